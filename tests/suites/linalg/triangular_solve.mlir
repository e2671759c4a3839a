// float32 [4, 4], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0xCFA09240A71022BEC78581BF5546DFBFA89DAC3FECB9524027DED13F49B87DBF2B4946BE249B8ABF5ECC5640AE3B7EBF44DA1BBFE46FB3BFAE57BD3F72C55D40"> : tensor<4x4xf32>
    %got = call @jax(%in0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %want0 = stablehlo.constant dense<"0xCFA092407022113F347E2C4066CA1741A89DAC3FCC62604008A22FC0241607402B4946BE5E878EBF208D9F404C18214044DA1BBF2CC5BFBF0375544012E28640"> : tensor<4x4xf32>
    check.expect_almost_eq %got, %want0, tolerance = 1.900000e-04 : tensor<4x4xf32>
    return
  }
  func.func private @jax(%arg0: tensor<4x4xf32>) -> (tensor<4x4xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.custom_call @lapack_strsm_ffi(%arg0, %arg0) {backend_config = "", mhlo.backend_config = {diag = 85 : ui8, side = 82 : ui8, trans_x = 78 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=4, j=4, k=4, l=4, m=4, n=4}, custom>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}
// -----
// float32 [2, 3, 3], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x4CBDE13F7AD1A1BE3D89DA3F5E65F7BE3F860D400B18D13F3C85EDBF83807EBFBFFF8B408C3D8B40A073E5BF1710483D3EDDD6BF12079940187CAB3D8AF13D3EFA65C6BF1447E23F"> : tensor<2x3x3xf32>
    %got = call @jax(%in0) : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %want0 = stablehlo.constant dense<"0x4CBDE13F1C20773E4D55D9BF5E65F7BE2CC00340168167BF3C85EDBFD451CABF860022418C3D8B40FC3CC04056AD2ABF3EDDD6BF60F2E23F806A8D3C8AF13D3E43D69BBFA82AEE3F"> : tensor<2x3x3xf32>
    check.expect_almost_eq %got, %want0, tolerance = 2.000000e-04 : tensor<2x3x3xf32>
    return
  }
  func.func private @jax(%arg0: tensor<2x3x3xf32>) -> (tensor<2x3x3xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.custom_call @lapack_strsm_ffi(%arg0, %arg0) {backend_config = "", mhlo.backend_config = {diag = 85 : ui8, side = 82 : ui8, trans_x = 78 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=3, k=3, l=3, m=3, n=3, o=3}, custom>} : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    return %0 : tensor<2x3x3xf32>
  }
}
// -----
// float64 [4, 4], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x309783A28E6E114008E506FB925DE63FA0460DA483D8D33F6E8A69311B61FEBF4C8B4493FD60F43F2FE26B3123990740A4E8DA007C6DE6BF705F3E748D5CE1BFD6990D6DAC66F33F180024A53A85FABFF93ADEF2647012402C86049D3302FF3FB0EB8F5A9879EEBF6288B334CF15F23FD095CB0D29B1CD3FDA764079A086F43F"> : tensor<4x4xf64>
    %got = call @jax(%in0) : (tensor<4x4xf64>) -> tensor<4x4xf64>
    %want0 = stablehlo.constant dense<"0x309783A28E6E1140023F172092C602C0F9287FCE477D05C064D17B68E19D24404C8B4493FD60F43F3B462149007A0040A8D5A3B81240D63F0DE936EA328E0240D6990D6DAC66F33FC240EF58460A04C0B64685111AD3034076AF6A58DABDFEBFB0EB8F5A9879EEBF1A5324422ABCFC3F921B179F6B93FC3FAC6784C22A1908C0"> : tensor<4x4xf64>
    check.expect_almost_eq %got, %want0, tolerance = 1.000000e-11 : tensor<4x4xf64>
    return
  }
  func.func private @jax(%arg0: tensor<4x4xf64>) -> (tensor<4x4xf64> {jax.result_info = "result"}) {
    %0 = stablehlo.custom_call @lapack_dtrsm_ffi(%arg0, %arg0) {backend_config = "", mhlo.backend_config = {diag = 85 : ui8, side = 82 : ui8, trans_x = 78 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=4, j=4, k=4, l=4, m=4, n=4}, custom>} : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
    return %0 : tensor<4x4xf64>
  }
}
// -----
// float64 [2, 3, 3], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x5CD8D431A4241240600D4B48D348BABF44DB4A6DB9FFF4BF24C8BFAF6F25F8BF612870B139560040E03B58822B1ACCBF64860B21E13EF73FC0DF5003755DABBF685D3BDDBEC00C4008FA041AE91F1040E0CE2ED3915FC7BF9CB014340177F53F58832084067CE33F088614EA948D1040B022E6AF4D3AFF3FE8672E43A84AF13F86950D4A4C6AF2BFB520F778459E0940"> : tensor<2x3x3xf64>
    %got = call @jax(%in0) : (tensor<2x3x3xf64>) -> tensor<2x3x3xf64>
    %want0 = stablehlo.constant dense<"0x5CD8D431A4241240FFA8F676EA3BD73FC98421D576E1124024C8BFAF6F25F8BFFFBEF095C731FE3F1699F77CED92FCBF64860B21E13EF73F6AE15F3F4181B83FA3F5D3CE6C16164008FA041AE91F10404F6BAA0E4BB6E13F1E27DEB8479614C058832084067CE33F8FA17B976FFF1040843CD4D4BBA21CC0E8672E43A84AF13F52C4FEE3F183EEBFBEA6F08CAEE80C40"> : tensor<2x3x3xf64>
    check.expect_almost_eq %got, %want0, tolerance = 7.200000e-12 : tensor<2x3x3xf64>
    return
  }
  func.func private @jax(%arg0: tensor<2x3x3xf64>) -> (tensor<2x3x3xf64> {jax.result_info = "result"}) {
    %0 = stablehlo.custom_call @lapack_dtrsm_ffi(%arg0, %arg0) {backend_config = "", mhlo.backend_config = {diag = 85 : ui8, side = 82 : ui8, trans_x = 78 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=3, k=3, l=3, m=3, n=3, o=3}, custom>} : (tensor<2x3x3xf64>, tensor<2x3x3xf64>) -> tensor<2x3x3xf64>
    return %0 : tensor<2x3x3xf64>
  }
}
