// float32 [5, 3], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x8B67A53F8F60873F5544C4BDDD4EBD3FF6636D40CC64BEBFE422393FFED1363E5EBAE03F010647BF0644B7BF878975BF392F023F20A74F3F5BA16E3F"> : tensor<5x3xf32>
    %got:2 = call @jax(%in0) : (tensor<5x3xf32>) -> (tensor<5x3xf32>, tensor<3x3xf32>)
    %want0 = stablehlo.constant dense<"0x6E7810BFAF35083F91080A3F455925BF6CAC2BBF5565343E76B4A1BE326B023F8A31D6BEA1D5AD3EFFA7B23D30BC0B3F796A63BE8055EA3BE0F9E7BE"> : tensor<5x3xf32>
    check.expect_almost_eq %got#0, %want0, tolerance = 1.300000e-05 : tensor<5x3xf32>
    %want1 = stablehlo.constant dense<"0x268C12C0FEC66DC0792894BD00000000DBF5F9BF3BC8E13F0000000000000000A23DFFBF"> : tensor<3x3xf32>
    check.expect_almost_eq %got#1, %want1, tolerance = 7.400000e-05 : tensor<3x3xf32>
    return
  }
  func.func private @jax(%arg0: tensor<5x3xf32>) -> (tensor<5x3xf32> {jax.result_info = "result.Q"}, tensor<3x3xf32> {jax.result_info = "result.R"}) {
    %0:2 = call @qr(%arg0) : (tensor<5x3xf32>) -> (tensor<5x3xf32>, tensor<3x3xf32>)
    return %0#0, %0#1 : tensor<5x3xf32>, tensor<3x3xf32>
  }
  func.func private @qr(%arg0: tensor<5x3xf32>) -> (tensor<5x3xf32>, tensor<3x3xf32>) {
    %0:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m]) {i=5, j=3, k=5, l=3, m=3}, custom>} : (tensor<5x3xf32>) -> (tensor<5x3xf32>, tensor<3xf32>)
    %1 = stablehlo.custom_call @lapack_sorgqr_ffi(%0#0, %0#1) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k])->([l, m]) {i=5, j=3, k=3, l=5, m=3}, custom>} : (tensor<5x3xf32>, tensor<3xf32>) -> tensor<5x3xf32>
    %2 = stablehlo.slice %0#0 [0:3, 0:3] : (tensor<5x3xf32>) -> tensor<3x3xf32>
    %3 = stablehlo.iota dim = 0 : tensor<3x3xi64>
    %c = stablehlo.constant dense<-1> : tensor<i64>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<3x3xi64>
    %5 = stablehlo.add %3, %4 : tensor<3x3xi64>
    %6 = stablehlo.iota dim = 1 : tensor<3x3xi64>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<3x3xi64>, tensor<3x3xi64>) -> tensor<3x3xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x3xf32>
    %9 = stablehlo.select %7, %8, %2 : tensor<3x3xi1>, tensor<3x3xf32>
    return %1, %9 : tensor<5x3xf32>, tensor<3x3xf32>
  }
}
// -----
// float32 [2, 3, 4], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0xC5D19F400DEF5CBF7F0C18BF0A93C63FCBBAAEBF317698406682E2BE66A5D23F1418C4BFAD967A3F98D180408893023FC6F090406686A4BF3935BABF1212A9BF40AE773FA58C83404F4B173FBFF3D6BFF854AE3FC26DB13FAF380E405290D7BF"> : tensor<2x3x4xf32>
    %got:2 = call @jax(%in0) : (tensor<2x3x4xf32>) -> (tensor<2x3x3xf32>, tensor<2x3x4xf32>)
    %want0 = stablehlo.constant dense<"0x38CB6CBF50A291BE6208813E5471813EA7A874BF895C1ABE1145913E00139BBD83B6743FD42E70BF2966923E479947BEB0374DBE587C68BFA831BCBEA57190BED7909CBE91CA683F"> : tensor<2x3x3xf32>
    check.expect_almost_eq %got#0, %want0, tolerance = 1.900000e-05 : tensor<2x3x3xf32>
    %want1 = stablehlo.constant dense<"0x40C8ACC05CF411400E34CA3F60CB5FBF0000000050398CC010E8923ECA5E03C0000000000000000071F770407B66213F477C9AC0003313BCD6971E3F25420340000000008ECA90C035ECD0BF5EC8D43F0000000000000000AF920540E21C28BF"> : tensor<2x3x4xf32>
    check.expect_almost_eq %got#1, %want1, tolerance = 1.100000e-04 : tensor<2x3x4xf32>
    return
  }
  func.func private @jax(%arg0: tensor<2x3x4xf32>) -> (tensor<2x3x3xf32> {jax.result_info = "result.Q"}, tensor<2x3x4xf32> {jax.result_info = "result.R"}) {
    %0:2 = call @qr(%arg0) : (tensor<2x3x4xf32>) -> (tensor<2x3x3xf32>, tensor<2x3x4xf32>)
    return %0#0, %0#1 : tensor<2x3x3xf32>, tensor<2x3x4xf32>
  }
  func.func private @qr(%arg0: tensor<2x3x4xf32>) -> (tensor<2x3x3xf32>, tensor<2x3x4xf32>) {
    %0:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n]) {i=2, j=3, k=4, l=3, m=4, n=3}, custom>} : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3xf32>)
    %1 = stablehlo.slice %0#0 [0:2, 0:3, 0:3] : (tensor<2x3x4xf32>) -> tensor<2x3x3xf32>
    %2 = stablehlo.custom_call @lapack_sorgqr_ffi(%1, %0#1) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l])->([i, m, n]) {i=2, j=3, k=3, l=3, m=3, n=3}, custom>} : (tensor<2x3x3xf32>, tensor<2x3xf32>) -> tensor<2x3x3xf32>
    %3 = stablehlo.iota dim = 0 : tensor<3x4xi64>
    %c = stablehlo.constant dense<-1> : tensor<i64>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<3x4xi64>
    %5 = stablehlo.add %3, %4 : tensor<3x4xi64>
    %6 = stablehlo.iota dim = 1 : tensor<3x4xi64>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<3x4xi64>, tensor<3x4xi64>) -> tensor<3x4xi1>
    %8 = stablehlo.broadcast_in_dim %7, dims = [1, 2] : (tensor<3x4xi1>) -> tensor<2x3x4xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3x4xf32>
    %10 = stablehlo.select %8, %9, %0#0 : tensor<2x3x4xi1>, tensor<2x3x4xf32>
    return %2, %10 : tensor<2x3x3xf32>, tensor<2x3x4xf32>
  }
}
// -----
// float64 [5, 3], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x34A91E6D57C61240A0D556377257F5BFFC089EA44D43EB3F9476046B40EBF93F6CE6CA8F756E0540F04FE003CCC2E63F904DFD378F23C93F36A215741205FEBF7F376347530B0B40743EE0155CE6E83F9E70781CAEBAFE3F18B531B25608F13F7A33E90C5FFAF2BF5C667676EF68E3BF6A4D81B5C8A5F2BF"> : tensor<5x3xf64>
    %got:2 = call @jax(%in0) : (tensor<5x3xf64>) -> (tensor<5x3xf64>, tensor<3x3xf64>)
    %want0 = stablehlo.constant dense<"0x02D014E37B10EDBF6A6236AE3AC9D43FBBAEFDDCB796CC3F1BA88487DE0FD4BF0BBD1731A01EE5BFF82F69AE9DCFC8BF1C99B74C4D75A3BF4DB243F11186DD3FCBC8ADB06F72EBBF3E18BF80EE45C3BFAFD96590D743DEBFD76733A14E21D5BF76B5ED670761CD3F580DFC685133C33FFD789B0FE6ABD03F"> : tensor<5x3xf64>
    check.expect_almost_eq %got#0, %want0, tolerance = 9.100000e-13 : tensor<5x3xf64>
    %want1 = stablehlo.constant dense<"0xCEC741B0CCAB14C080F0B90721F38D3F1600ABDD3FD9F8BF000000000000000093E215EB974310C0B935C66A2D08E63F000000000000000000000000000000009CA8B37F7D040CC0"> : tensor<3x3xf64>
    check.expect_almost_eq %got#1, %want1, tolerance = 5.200000e-12 : tensor<3x3xf64>
    return
  }
  func.func private @jax(%arg0: tensor<5x3xf64>) -> (tensor<5x3xf64> {jax.result_info = "result.Q"}, tensor<3x3xf64> {jax.result_info = "result.R"}) {
    %0:2 = call @qr(%arg0) : (tensor<5x3xf64>) -> (tensor<5x3xf64>, tensor<3x3xf64>)
    return %0#0, %0#1 : tensor<5x3xf64>, tensor<3x3xf64>
  }
  func.func private @qr(%arg0: tensor<5x3xf64>) -> (tensor<5x3xf64>, tensor<3x3xf64>) {
    %0:2 = stablehlo.custom_call @lapack_dgeqrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m]) {i=5, j=3, k=5, l=3, m=3}, custom>} : (tensor<5x3xf64>) -> (tensor<5x3xf64>, tensor<3xf64>)
    %1 = stablehlo.custom_call @lapack_dorgqr_ffi(%0#0, %0#1) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k])->([l, m]) {i=5, j=3, k=3, l=5, m=3}, custom>} : (tensor<5x3xf64>, tensor<3xf64>) -> tensor<5x3xf64>
    %2 = stablehlo.slice %0#0 [0:3, 0:3] : (tensor<5x3xf64>) -> tensor<3x3xf64>
    %3 = stablehlo.iota dim = 0 : tensor<3x3xi64>
    %c = stablehlo.constant dense<-1> : tensor<i64>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<3x3xi64>
    %5 = stablehlo.add %3, %4 : tensor<3x3xi64>
    %6 = stablehlo.iota dim = 1 : tensor<3x3xi64>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<3x3xi64>, tensor<3x3xi64>) -> tensor<3x3xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<3x3xf64>
    %9 = stablehlo.select %7, %8, %2 : tensor<3x3xi1>, tensor<3x3xf64>
    return %1, %9 : tensor<5x3xf64>, tensor<3x3xf64>
  }
}
// -----
// float64 [2, 3, 4], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0xCE4C4C95937BF93FAE34CE5F11E7F0BF68D363F8F7A8F03F82CE6A2782D4F23F60D1F1D79634D8BF82D768AC758FF53F48BFDDF9EA08EF3FDC9E5BDC90BDF03F94ACDCF0C506FDBFF8AACD04E8A7FFBF6F5125EDC5F712400ECC3BCEB5E0F7BFC63F3DDBE28EF93F325666D646A7F9BF6E10E2B855C2F83FC808C6C66F32D53FAC6D238622EFF2BFCA045601EBEFFA3F10349FA68631F43F7847F283C906FEBF6203B11B0DF9F7BF84723F822502E9BF6EA2505378B00E40005725CE527CA3BF"> : tensor<2x3x4xf64>
    %got:2 = call @jax(%in0) : (tensor<2x3x4xf64>) -> (tensor<2x3x3xf64>, tensor<2x3x4xf64>)
    %want0 = stablehlo.constant dense<"0x62EA903F7DDBE4BF8D5B58B013E9E13F0DA476495960E03FADE4FB63DACFC33FC37D326254FFE1BF63DE6432D8FDE93FC9859C8C05C2E73F10237D1CD379E33F281B145EB0EAD13F52587F0DAB88E4BF8CBDACCAC0ECD63F0762BFB6B1B3E53FF2D86A5B8B6CDE3F24995ADED942E0BF924704B261FBE63F913FA0039D42E33FACB04E124E10E93FA8B5753535F1C33F"> : tensor<2x3x3xf64>
    check.expect_almost_eq %got#0, %want0, tolerance = 8.100000e-13 : tensor<2x3x3xf64>
    %want1 = stablehlo.constant dense<"0xE60BC4A0548C03C08224BD16EB4BE2BF203A4C20ADEF0740D2EB71E4EF68FBBF0000000000000000F3D8A313296D04C0546C8FCD1D630740904F5C9D1DD1EABF00000000000000000000000000000000E2EF7F285A2F0540FF5D457B988CF03F38C992D938EA03C030F07A4C97BDF53FA95BCACE96A7FE3F953084B6710AF2BF0000000000000000DEFFBEF1EB5500C06A88E4F639570740BAF9DACDF6ADF03F00000000000000000000000000000000BC58F8A1A66D04409EADC889CC10F2BF"> : tensor<2x3x4xf64>
    check.expect_almost_eq %got#1, %want1, tolerance = 3.000000e-12 : tensor<2x3x4xf64>
    return
  }
  func.func private @jax(%arg0: tensor<2x3x4xf64>) -> (tensor<2x3x3xf64> {jax.result_info = "result.Q"}, tensor<2x3x4xf64> {jax.result_info = "result.R"}) {
    %0:2 = call @qr(%arg0) : (tensor<2x3x4xf64>) -> (tensor<2x3x3xf64>, tensor<2x3x4xf64>)
    return %0#0, %0#1 : tensor<2x3x3xf64>, tensor<2x3x4xf64>
  }
  func.func private @qr(%arg0: tensor<2x3x4xf64>) -> (tensor<2x3x3xf64>, tensor<2x3x4xf64>) {
    %0:2 = stablehlo.custom_call @lapack_dgeqrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n]) {i=2, j=3, k=4, l=3, m=4, n=3}, custom>} : (tensor<2x3x4xf64>) -> (tensor<2x3x4xf64>, tensor<2x3xf64>)
    %1 = stablehlo.slice %0#0 [0:2, 0:3, 0:3] : (tensor<2x3x4xf64>) -> tensor<2x3x3xf64>
    %2 = stablehlo.custom_call @lapack_dorgqr_ffi(%1, %0#1) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l])->([i, m, n]) {i=2, j=3, k=3, l=3, m=3, n=3}, custom>} : (tensor<2x3x3xf64>, tensor<2x3xf64>) -> tensor<2x3x3xf64>
    %3 = stablehlo.iota dim = 0 : tensor<3x4xi64>
    %c = stablehlo.constant dense<-1> : tensor<i64>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<3x4xi64>
    %5 = stablehlo.add %3, %4 : tensor<3x4xi64>
    %6 = stablehlo.iota dim = 1 : tensor<3x4xi64>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<3x4xi64>, tensor<3x4xi64>) -> tensor<3x4xi1>
    %8 = stablehlo.broadcast_in_dim %7, dims = [1, 2] : (tensor<3x4xi1>) -> tensor<2x3x4xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %9 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2x3x4xf64>
    %10 = stablehlo.select %8, %9, %0#0 : tensor<2x3x4xi1>, tensor<2x3x4xf64>
    return %2, %10 : tensor<2x3x3xf64>, tensor<2x3x4xf64>
  }
}
// -----
// complex64 [5, 3], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0xC7BD863FAD8DA73FD54413BFB5E9FABFAC8A2E3F590A2EBF4D4751BF4DFDAD3F98473640F7EB3CBE7B2E893F60DA213FD3CF3EBF18A738BDED6C973CAFD4043EB8FC963F535241BF01FAA6BFA690363F062F023F2344F03F27F14ABE6E45FC3F15F2BA3FAD9ACCBF173BF4BF948076BE853E88BD7670C8BE"> : tensor<5x3xcomplex<f32>>
    %got:2 = call @jax(%in0) : (tensor<5x3xcomplex<f32>>) -> (tensor<5x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>)
    %want0 = stablehlo.constant dense<"0xB8AE96BE6760BBBE9F18F73E14DAE53DB6C989BE4F210EBDC3096A3EF492C2BE449500BFA4E3463D2B26A33D288ADA3CFA62553EB47F4E3C7C22273EB038763ED57B34BF5991C03E42BBBA3E072A4CBE2225C43E7386FBBE76AD1ABEBA93E0BE2510D1BE90CFE43EBB1221BEC0F64EBDFE754CBE794324BE"> : tensor<5x3xcomplex<f32>>
    check.expect_almost_eq %got#0, %want0, tolerance = 1.600000e-05 : tensor<5x3xcomplex<f32>>
    %want1 = stablehlo.constant dense<"0xBEEA64C000000000AB240640F6E64A4060D6A5BEAA58D93F00000000000000005E5914C0000000009CFFA0BF2431EEBE00000000000000000000000000000000DD43F7BF00000000"> : tensor<3x3xcomplex<f32>>
    check.expect_almost_eq %got#1, %want1, tolerance = 7.600000e-05 : tensor<3x3xcomplex<f32>>
    return
  }
  func.func private @jax(%arg0: tensor<5x3xcomplex<f32>>) -> (tensor<5x3xcomplex<f32>> {jax.result_info = "result.Q"}, tensor<3x3xcomplex<f32>> {jax.result_info = "result.R"}) {
    %0:2 = call @qr(%arg0) : (tensor<5x3xcomplex<f32>>) -> (tensor<5x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>)
    return %0#0, %0#1 : tensor<5x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>
  }
  func.func private @qr(%arg0: tensor<5x3xcomplex<f32>>) -> (tensor<5x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>) {
    %0:2 = stablehlo.custom_call @lapack_cgeqrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m]) {i=5, j=3, k=5, l=3, m=3}, custom>} : (tensor<5x3xcomplex<f32>>) -> (tensor<5x3xcomplex<f32>>, tensor<3xcomplex<f32>>)
    %1 = stablehlo.custom_call @lapack_cungqr_ffi(%0#0, %0#1) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k])->([l, m]) {i=5, j=3, k=3, l=5, m=3}, custom>} : (tensor<5x3xcomplex<f32>>, tensor<3xcomplex<f32>>) -> tensor<5x3xcomplex<f32>>
    %2 = stablehlo.slice %0#0 [0:3, 0:3] : (tensor<5x3xcomplex<f32>>) -> tensor<3x3xcomplex<f32>>
    %3 = stablehlo.iota dim = 0 : tensor<3x3xi64>
    %c = stablehlo.constant dense<-1> : tensor<i64>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<3x3xi64>
    %5 = stablehlo.add %3, %4 : tensor<3x3xi64>
    %6 = stablehlo.iota dim = 1 : tensor<3x3xi64>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<3x3xi64>, tensor<3x3xi64>) -> tensor<3x3xi1>
    %cst = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %8 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f32>>) -> tensor<3x3xcomplex<f32>>
    %9 = stablehlo.select %7, %8, %2 : tensor<3x3xi1>, tensor<3x3xcomplex<f32>>
    return %1, %9 : tensor<5x3xcomplex<f32>>, tensor<3x3xcomplex<f32>>
  }
}
// -----
// complex128 [2, 3, 4], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x4CF5EA38E61012408455036A3435FE3F90327BAC9314E9BFF234998270AEF6BF30B77E1B60B6F33FE8CDBFA2DD42FABFB02A6D2A92F7D2BF82BEE8279A82FCBF3E28BBD02310F9BF9CB0A924268AEEBFFB1D6C54263A124046EA04DE9372F13F109AFEC4F352F9BFB01275EF1085FABFB0CD76251E95E93F8C795CFC178DE0BFF8B4FEF3FDEFE13F94D5905B285BE53FB43E085B9C74E43FA03F1343766DF93F22C90439E31E0A40401BF023A494B93F00412545BCAC823F5AA301C9DC29F2BFB881FE09C7BA1340740575712478ECBF60CAA62D348EDE3F2E6068B8CB55FF3F8091771174C5A5BF18E9175F5302D23FE0762E1D41B9C33FF8DC9D3D3AD2E73F22D8055D53D2F43F9470A9123943EABFE8CCAE10C1650540F898FC10E99ED83F78A95078DE88E23F242901F46D52EABF4CC93435C2F3E53F004DFCE74D2C913FD0D9286159E9D33F10D7184E7957FB3F2241744D435BFE3F94F4A2B7D05AF1BF6824DA2939D41340D4ED76830802E73FC01BCDA57CE4B53FF8B0920BBFAED3BF"> : tensor<2x3x4xcomplex<f64>>
    %got:2 = call @jax(%in0) : (tensor<2x3x4xcomplex<f64>>) -> (tensor<2x3x3xcomplex<f64>>, tensor<2x3x4xcomplex<f64>>)
    %want0 = stablehlo.constant dense<"0x38404FD44B45EBBF94A6CC2DA5CCD6BF7FD331DB6755D0BF618A799FCA01AC3FCA341BC85985D03F32CE87DA4A20BCBF002EEBC996EAD23F706109CBC10CC73F6D33A03569F1EABF1C2F138A3956BEBFCAD7395C9A14D43F334560B1B20ACFBF1D3C1C609F13BBBF045BAEF3571EC0BFD4E4D3E076A8C7BF84F89DBF2BC1DABF03A0EC85FD0BE9BFA6EA678AF3E6D8BFC8EA6A80EB93ECBF5000C1A6579EC43F50C2515C61DEAB3FD188715D7B32C3BF401C28BED2B375BF646503A7FEDED8BFC082BD90D628CEBF519CACF33405C33FC63397FEE876E4BF58AFD84673E390BFFB3DBDCBEEFEDF3F717971CCDC6AE03F786FB3B360D7ACBF5F43342947CDD3BF2810FF58A10EE5BF6BE41E3CED46D73FB57C9753FD19E1BFCF6A7A0A89ADCCBF"> : tensor<2x3x3xcomplex<f64>>
    check.expect_almost_eq %got#0, %want0, tolerance = 9.200000e-13 : tensor<2x3x3xcomplex<f64>>
    %want1 = stablehlo.constant dense<"0x77A49949F43215C0000000000000000088A60FD455960340D0A068C200F4D53FACEB0B7C606EF9BFD3896CE34F440040846BF3AA7DC2F23F3C1B120629CCF33F00000000000000000000000000000000459BCF57F28012C000000000000000006C1F222E78B1DE3F063D89BF633F07404445FD6B4D94C4BFC1C3A084EF6FF33F0000000000000000000000000000000000000000000000000000000000000000D4D995D6B68601C000000000000000001113DCCF76C3ED3F7C6A2D852698DB3FA825EC6F9B1716C00000000000000000D8876DAF5922DDBF0CF29A1C6BA7FABFBBE19046DEAAE5BF7004F72395B4F53F4421E65D7025B6BFCA7135C02B0EE8BF00000000000000000000000000000000ECBC415F3F050DC00000000000000000935916E81B370BC0A43BE8BD7DB4FBBF5511D93D61BBE6BF1B67734B7924CE3F0000000000000000000000000000000000000000000000000000000000000000E24FFA3A586A08C00000000000000000C68F09E844ACB53F7CB60C2232A7BABF"> : tensor<2x3x4xcomplex<f64>>
    check.expect_almost_eq %got#1, %want1, tolerance = 5.500000e-12 : tensor<2x3x4xcomplex<f64>>
    return
  }
  func.func private @jax(%arg0: tensor<2x3x4xcomplex<f64>>) -> (tensor<2x3x3xcomplex<f64>> {jax.result_info = "result.Q"}, tensor<2x3x4xcomplex<f64>> {jax.result_info = "result.R"}) {
    %0:2 = call @qr(%arg0) : (tensor<2x3x4xcomplex<f64>>) -> (tensor<2x3x3xcomplex<f64>>, tensor<2x3x4xcomplex<f64>>)
    return %0#0, %0#1 : tensor<2x3x3xcomplex<f64>>, tensor<2x3x4xcomplex<f64>>
  }
  func.func private @qr(%arg0: tensor<2x3x4xcomplex<f64>>) -> (tensor<2x3x3xcomplex<f64>>, tensor<2x3x4xcomplex<f64>>) {
    %0:2 = stablehlo.custom_call @lapack_zgeqrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n]) {i=2, j=3, k=4, l=3, m=4, n=3}, custom>} : (tensor<2x3x4xcomplex<f64>>) -> (tensor<2x3x4xcomplex<f64>>, tensor<2x3xcomplex<f64>>)
    %1 = stablehlo.slice %0#0 [0:2, 0:3, 0:3] : (tensor<2x3x4xcomplex<f64>>) -> tensor<2x3x3xcomplex<f64>>
    %2 = stablehlo.custom_call @lapack_zungqr_ffi(%1, %0#1) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l])->([i, m, n]) {i=2, j=3, k=3, l=3, m=3, n=3}, custom>} : (tensor<2x3x3xcomplex<f64>>, tensor<2x3xcomplex<f64>>) -> tensor<2x3x3xcomplex<f64>>
    %3 = stablehlo.iota dim = 0 : tensor<3x4xi64>
    %c = stablehlo.constant dense<-1> : tensor<i64>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<3x4xi64>
    %5 = stablehlo.add %3, %4 : tensor<3x4xi64>
    %6 = stablehlo.iota dim = 1 : tensor<3x4xi64>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<3x4xi64>, tensor<3x4xi64>) -> tensor<3x4xi1>
    %8 = stablehlo.broadcast_in_dim %7, dims = [1, 2] : (tensor<3x4xi1>) -> tensor<2x3x4xi1>
    %cst = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f64>>
    %9 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f64>>) -> tensor<2x3x4xcomplex<f64>>
    %10 = stablehlo.select %8, %9, %0#0 : tensor<2x3x4xi1>, tensor<2x3x4xcomplex<f64>>
    return %2, %10 : tensor<2x3x3xcomplex<f64>>, tensor<2x3x4xcomplex<f64>>
  }
}
