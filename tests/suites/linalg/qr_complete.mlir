// float32 [5, 3], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0xC79E334076ED8A3F2196073FE6FAF8BF643C5440A2E2C9BEFE8C4B3EFBD51BBF36AE07407AF2B43F9D8F6EBE2DDE9D3FA5F5F13E81B2383FCFCF9ABF"> : tensor<5x3xf32>
    %got:2 = call @jax(%in0) : (tensor<5x3xf32>) -> (tensor<5x5xf32>, tensor<5x3xf32>)
    %want0 = stablehlo.constant dense<"0xB48F40BF354903BF7C31FDBCF778B4BE34A25BBE8E75053FD7C84EBF4CD983BE58EBC33D888B8BBC4D375ABD6787233E1AF545BFAA4AB5BE4F25FF3EE2FBC1BEAA0111BDA963AEBECCB15B3F605E553D2FB201BEB42476BE297AEF3E21278D3D5897563F"> : tensor<5x5xf32>
    check.expect_almost_eq %got#0, %want0, tolerance = 1.700000e-05 : tensor<5x5xf32>
    %want1 = stablehlo.constant dense<"0xA2CB6EC08814713F78F783BF00000000B2D95FC0EEEB213F00000000000000009A8E22C0000000000000000000000000000000000000000000000000"> : tensor<5x3xf32>
    check.expect_almost_eq %got#1, %want1, tolerance = 7.500000e-05 : tensor<5x3xf32>
    return
  }
  func.func private @jax(%arg0: tensor<5x3xf32>) -> (tensor<5x5xf32> {jax.result_info = "result.Q"}, tensor<5x3xf32> {jax.result_info = "result.R"}) {
    %0:2 = call @qr(%arg0) : (tensor<5x3xf32>) -> (tensor<5x5xf32>, tensor<5x3xf32>)
    return %0#0, %0#1 : tensor<5x5xf32>, tensor<5x3xf32>
  }
  func.func private @qr(%arg0: tensor<5x3xf32>) -> (tensor<5x5xf32>, tensor<5x3xf32>) {
    %0:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m]) {i=5, j=3, k=5, l=3, m=3}, custom>} : (tensor<5x3xf32>) -> (tensor<5x3xf32>, tensor<3xf32>)
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.pad %0#0, %cst, low = [0, 0], high = [0, 2], interior = [0, 0] : (tensor<5x3xf32>, tensor<f32>) -> tensor<5x5xf32>
    %2 = stablehlo.custom_call @lapack_sorgqr_ffi(%1, %0#1) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k])->([l, m]) {i=5, j=5, k=3, l=5, m=5}, custom>} : (tensor<5x5xf32>, tensor<3xf32>) -> tensor<5x5xf32>
    %3 = stablehlo.iota dim = 0 : tensor<5x3xi64>
    %c = stablehlo.constant dense<-1> : tensor<i64>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<5x3xi64>
    %5 = stablehlo.add %3, %4 : tensor<5x3xi64>
    %6 = stablehlo.iota dim = 1 : tensor<5x3xi64>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<5x3xi64>, tensor<5x3xi64>) -> tensor<5x3xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<5x3xf32>
    %9 = stablehlo.select %7, %8, %0#0 : tensor<5x3xi1>, tensor<5x3xf32>
    return %2, %9 : tensor<5x5xf32>, tensor<5x3xf32>
  }
}
// -----
// float32 [2, 3, 4], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0xBEE78140AD7A7C3E6ED2713DCC11263FF2D6FBBF39909840345530BFFADBCABF8A2E853F2960233F2A3487407FF8123FB5709B3FA73BEABF351DD53E0D626CBF34C57F3FFFF6484081A80F3FC91CBEBF541E383F942BD5BD75186940B5479F3F"> : tensor<2x3x4xf32>
    %got:2 = call @jax(%in0) : (tensor<2x3x4xf32>) -> (tensor<2x3x3xf32>, tensor<2x3x4xf32>)
    %want0 = stablehlo.constant dense<"0xE27960BF3180C1BE2D2198BED996D93E0DF765BFA67FE4BD502366BE007C65BE93C3723F02C833BFB7401A3F0F1FC2BE46E913BFC8254BBFFD8543BE49F3D4BE0204AE3DD8C9673F"> : tensor<2x3x3xf32>
    check.expect_almost_eq %got#0, %want0, tolerance = 1.900000e-05 : tensor<2x3x3xf32>
    %want1 = stablehlo.constant dense<"0xF52594C0FF4FD53FE6A3A5BF4489AFBF000000003B9B90C0636CB3BEF760863F0000000000000000751C8240694B073FEC56DDBF74C2F8BE4A6808C005327D3F00000000F69B66C04C70EB3D565C3A3F0000000000000000B2174240E553E13F"> : tensor<2x3x4xf32>
    check.expect_almost_eq %got#1, %want1, tolerance = 9.300000e-05 : tensor<2x3x4xf32>
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
    %in0 = stablehlo.constant dense<"0x266B7CF657B4F43FCA453B7D6BEBF63F0664CDDD1B24FF3F960346D2B09EF33F426C7F9A8336F53F606AC49FD853B63FF4CEA48A37B3FD3FF2D7EBEC4B99F23FA99917F509790040B0D6E1CEE60ED13F2016D352697BE2BF9AD2A681AC99F9BF00145345D0B89D3F0ED40E09CCC3F7BF34F72423B107E8BF"> : tensor<5x3xf64>
    %got:2 = call @jax(%in0) : (tensor<5x3xf64>) -> (tensor<5x5xf64>, tensor<5x3xf64>)
    %want0 = stablehlo.constant dense<"0x2A38CF20B400E0BF993DD9D7AAEECABF2BA453A1E427D0BFE2D251D8A84FE6BF52FCD42FF642D9BFDF9B524B3454DEBF388F1CD75049C7BF14936972EF4DE43F3030F2F6C79EC3BFFF0A6167B5FEE13F452F0CBF9FF4E6BF24451D86C46EC83F34E44C7D2524D5BF96212391B4A6E23F108187F42DE286BF50BA95F7775EBABF0219063E3F0FDC3F802990EBDE0BE43F0E4EB9EAA593B23F5705D06E9B39E4BFF1C9FF1EF3F886BFF16C93B05BA8EA3F1A045D62F7EFC6BF6250BAE78267D8BFD521D04481EED63F"> : tensor<5x5xf64>
    check.expect_almost_eq %got#0, %want0, tolerance = 8.300000e-13 : tensor<5x5xf64>
    %want1 = stablehlo.constant dense<"0x5AB169E96EB304C0BAC20FFAA9D100C0491A04D7608C02C00000000000000000C64BE533FAFAFCBFF0145C0E29C0F5BF0000000000000000000000000000000081BD760F29BEFFBF000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : tensor<5x3xf64>
    check.expect_almost_eq %got#1, %want1, tolerance = 2.600000e-12 : tensor<5x3xf64>
    return
  }
  func.func private @jax(%arg0: tensor<5x3xf64>) -> (tensor<5x5xf64> {jax.result_info = "result.Q"}, tensor<5x3xf64> {jax.result_info = "result.R"}) {
    %0:2 = call @qr(%arg0) : (tensor<5x3xf64>) -> (tensor<5x5xf64>, tensor<5x3xf64>)
    return %0#0, %0#1 : tensor<5x5xf64>, tensor<5x3xf64>
  }
  func.func private @qr(%arg0: tensor<5x3xf64>) -> (tensor<5x5xf64>, tensor<5x3xf64>) {
    %0:2 = stablehlo.custom_call @lapack_dgeqrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m]) {i=5, j=3, k=5, l=3, m=3}, custom>} : (tensor<5x3xf64>) -> (tensor<5x3xf64>, tensor<3xf64>)
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.pad %0#0, %cst, low = [0, 0], high = [0, 2], interior = [0, 0] : (tensor<5x3xf64>, tensor<f64>) -> tensor<5x5xf64>
    %2 = stablehlo.custom_call @lapack_dorgqr_ffi(%1, %0#1) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k])->([l, m]) {i=5, j=5, k=3, l=5, m=5}, custom>} : (tensor<5x5xf64>, tensor<3xf64>) -> tensor<5x5xf64>
    %3 = stablehlo.iota dim = 0 : tensor<5x3xi64>
    %c = stablehlo.constant dense<-1> : tensor<i64>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<5x3xi64>
    %5 = stablehlo.add %3, %4 : tensor<5x3xi64>
    %6 = stablehlo.iota dim = 1 : tensor<5x3xi64>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<5x3xi64>, tensor<5x3xi64>) -> tensor<5x3xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<5x3xf64>
    %9 = stablehlo.select %7, %8, %0#0 : tensor<5x3xi1>, tensor<5x3xf64>
    return %2, %9 : tensor<5x5xf64>, tensor<5x3xf64>
  }
}
// -----
// float64 [2, 3, 4], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x9E9CC4B292B111400E774CA0E9EFFB3F408F2560B276FC3FA61D10FD38D0FC3FCC40BF1E7EA7EB3FE5E2F595989605403E571E6576DBF43F7495016F91DFF33F68C3831FE8B8E93F826AA56E0474FA3F4BBBC29AA08F064000389990B471FE3F57097861657713404889A8167BB2E7BFE0ED6B2161C2DEBFE0699BB6B0E4DCBF0EEB6364A301F13FC446FBBA4CCC094018AC24A563C0E4BFE6A9EF4BC182FD3F1617E2557C8AF23F1C47AC0BCAE9FE3F4639C9228083134060B8F09FFA12C4BF"> : tensor<2x3x4xf64>
    %got:2 = call @jax(%in0) : (tensor<2x3x4xf64>) -> (tensor<2x3x3xf64>, tensor<2x3x4xf64>)
    %want0 = stablehlo.constant dense<"0x50AC6EF519EBEEBF0E533CCB3405D03FD2991CB29090AFBFC177BA667329C8BF0FCDA34EAE31EBBF87E23AB8E87EDFBF37409CFF5279C6BF3AD5D739B5AFDDBF6956745273C9EB3F2E9AC0663073EEBF44F3048685E2D23F15BBD35A0C1DB6BF8AF8BC031A9ACABF072098F40D61EABFCFFE8B3B87D9E0BFBD3887349B00CDBFAAB976870AEBDEBF11F9F5845110EB3F"> : tensor<2x3x3xf64>
    check.expect_almost_eq %got#0, %want0, tolerance = 9.700000e-13 : tensor<2x3x3xf64>
    %want1 = stablehlo.constant dense<"0x2EB588A2085012C04BC0A2E0D1E403C0B21D72A738AE03C0AFF6677FD37702C000000000000000004E443FEA0DFC04C09B0220FE9A87FFBFA07ACAF431CCF7BF000000000000000000000000000000007BD467778B29FB3F1E882A874EC2ED3F90E274E2127514C0E7D351BFA8CFD9BF9BF38A8A8B6CE0BF085BB2F0FDF0B43F0000000000000000BC12BF93507B0EC03A494E637A6CFFBF45DF02DA0F3FF9BF000000000000000000000000000000007FDD0BF6120912402388176F8809F1BF"> : tensor<2x3x4xf64>
    check.expect_almost_eq %got#1, %want1, tolerance = 5.100000e-12 : tensor<2x3x4xf64>
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
    %in0 = stablehlo.constant dense<"0x7313684071234D3FE64CA1BF7E04083EDB69D7BE5EB4223FB9194EBF0046023FBBA7EB3F3305973F7C22F33FDB41E7BE0010873E19EC6EBF245F34BF414F96BFA0DB8A4012D5343FF10D66BF98DC333E0561BB3F6610353FDDB8DCBF0AE595BF866FC2BFD0E3CC3F442773BEA89B4F3F3A419C3D68AA89BF"> : tensor<5x3xcomplex<f32>>
    %got:2 = call @jax(%in0) : (tensor<5x3xcomplex<f32>>) -> (tensor<5x5xcomplex<f32>>, tensor<5x3xcomplex<f32>>)
    %want0 = stablehlo.constant dense<"0x1CEB48BFF09831BE0DDC5E3E8E5780BE86F192BD01FC943D4AFC3B3EB2D9C2BDE8AEFE3DD03DD63E286E323E2291E1BD163400BF1876B7BE1BC119BF9A95B43B57A983BE3FCD11BEF7BCFDBD403DAE3EF1DB69BD76D84E3E52C8243E5E93CF3E7CFE38BF7147E0BC208FE03E0B3EA7BD5F0C1B3D7F8352BE162B473ED6B61BBD188CC9BE1A2241BE7ED0773ED5B6373E4F38503F8CDF70BDDCD386BDC2C2CD3DDF54A83ED961B1BE1AAC6E3E01AD8CBEF884DBBDFD3E76BD7C08923D98D329BD6C2A483F320DC0BD"> : tensor<5x5xcomplex<f32>>
    check.expect_almost_eq %got#0, %want0, tolerance = 1.600000e-05 : tensor<5x5xcomplex<f32>>
    %want1 = stablehlo.constant dense<"0x85D993C000000000D8D15B3FF6282C3FD83A1A3FB943FDBF0000000000000000B5B14EC0000000006423943F8CC34CBF00000000000000000000000000000000765F99C000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : tensor<5x3xcomplex<f32>>
    check.expect_almost_eq %got#1, %want1, tolerance = 9.600000e-05 : tensor<5x3xcomplex<f32>>
    return
  }
  func.func private @jax(%arg0: tensor<5x3xcomplex<f32>>) -> (tensor<5x5xcomplex<f32>> {jax.result_info = "result.Q"}, tensor<5x3xcomplex<f32>> {jax.result_info = "result.R"}) {
    %0:2 = call @qr(%arg0) : (tensor<5x3xcomplex<f32>>) -> (tensor<5x5xcomplex<f32>>, tensor<5x3xcomplex<f32>>)
    return %0#0, %0#1 : tensor<5x5xcomplex<f32>>, tensor<5x3xcomplex<f32>>
  }
  func.func private @qr(%arg0: tensor<5x3xcomplex<f32>>) -> (tensor<5x5xcomplex<f32>>, tensor<5x3xcomplex<f32>>) {
    %0:2 = stablehlo.custom_call @lapack_cgeqrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m]) {i=5, j=3, k=5, l=3, m=3}, custom>} : (tensor<5x3xcomplex<f32>>) -> (tensor<5x3xcomplex<f32>>, tensor<3xcomplex<f32>>)
    %cst = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %1 = stablehlo.pad %0#0, %cst, low = [0, 0], high = [0, 2], interior = [0, 0] : (tensor<5x3xcomplex<f32>>, tensor<complex<f32>>) -> tensor<5x5xcomplex<f32>>
    %2 = stablehlo.custom_call @lapack_cungqr_ffi(%1, %0#1) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k])->([l, m]) {i=5, j=5, k=3, l=5, m=5}, custom>} : (tensor<5x5xcomplex<f32>>, tensor<3xcomplex<f32>>) -> tensor<5x5xcomplex<f32>>
    %3 = stablehlo.iota dim = 0 : tensor<5x3xi64>
    %c = stablehlo.constant dense<-1> : tensor<i64>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<5x3xi64>
    %5 = stablehlo.add %3, %4 : tensor<5x3xi64>
    %6 = stablehlo.iota dim = 1 : tensor<5x3xi64>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<5x3xi64>, tensor<5x3xi64>) -> tensor<5x3xi1>
    %cst_0 = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f32>>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f32>>) -> tensor<5x3xcomplex<f32>>
    %9 = stablehlo.select %7, %8, %0#0 : tensor<5x3xi1>, tensor<5x3xcomplex<f32>>
    return %2, %9 : tensor<5x5xcomplex<f32>>, tensor<5x3xcomplex<f32>>
  }
}
// -----
// complex128 [2, 3, 4], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0xF72ADC20BE3C04403A258D383C4CF23F38C2CF61B6DCE23FB6A4184E8EA8F8BF0A0E327B71BEF5BF108F2A590A74D5BF103B0F894EFDD4BF30CA484D11C2EB3FC0154661FC30E93F52C348996DFEF13F2CBCAB987C5F0640FEBB11C30C24FE3FEE7C6919E51EF9BF90C584A375F3CABFA01C88BD2CAAD03FC8D8BA3DBFD4D0BF74637B5F5384EBBF928DCEF1E830FEBF1800EBB40E8BEA3FEC1CAD19FCE7F33F9D5EC0EBD98E0B4054E4C3054842F4BFBED2ED37A733F43F44BEEA94D196FCBF1A8779BAECC6F03FCC2A41FCCD1BFEBF3A6B1CFD4C67F4BF407C334C1FD2F5BF64835BB2EF28F93F301505656FD6CC3F9A9E38F9B07CF9BFB8CE8414E62BFA3F90586C041130CA3F4C415219BCDDF3BF9264E2E958A30C40CA36CD6B4A29F03F8087CC085A2FEF3FF88259960B11FB3FA8B3A87A5EA4F8BFE88E7392F0DBEC3FF27E5F71E0C2F1BF406603370D07C5BF6CC3587C4DD7E83F98C36EA1CF1BE73F938C9F1AD1BE10400C5948267AE4F6BFFC1110247F0BF33F0073678074E2ACBF"> : tensor<2x3x4xcomplex<f64>>
    %got:2 = call @jax(%in0) : (tensor<2x3x4xcomplex<f64>>) -> (tensor<2x3x3xcomplex<f64>>, tensor<2x3x4xcomplex<f64>>)
    %want0 = stablehlo.constant dense<"0xD6495DD108B8E5BFFBA973402DA3D3BF44A6D5805F4C913FF18E7C056DD4C33F1C1E42BFDF92CFBFF8CD48CFA733E33F807376C72009CBBF3B6BB759AC4FD3BF9CEBECCA588BE3BFF448DE8A6648E2BF4CC3182BBCAAD93F4297DAA5514AB0BF9C1C21C50D88CD3F498469FD6033E03F54A1385175AFDCBFB0E4E6B9EF91D1BFD4FB5A377947E0BF967B7CFBB03AD93F50C149E51888D8BF71C3CC713A03E63FB79457202BFED23F56DF37E94DA9D53F1C57597E84F7C4BFAE9CF67A72D2D83FDE30E3756325B3BF44D89D306E0CDD3FF4525D96098EEABF819D3335F1A4CCBF319C57DDBEFACB3F84B69EA0AD56A63F995D054181F8D93F941059D22BBFAE3F40E4D49E2FD7C5BF62840DE80801C6BF3409BEADF547EBBF4A5DB99DAC86CB3F"> : tensor<2x3x3xcomplex<f64>>
    check.expect_almost_eq %got#0, %want0, tolerance = 8.800000e-13 : tensor<2x3x3xcomplex<f64>>
    %want1 = stablehlo.constant dense<"0x0BEC527E29D10DC0000000000000000028DBC7638BF6D0BF4E21487A86A3F83F4AD92B937F2FF93FBDC59225233D05C0802B8D54AC3DE4BF30264F4729B5F9BF00000000000000000000000000000000B81E78C3D7CF0DC00000000000000000CCF739937E94C8BFEEC8ECC19563EE3FA05C780492E1A63FEE7E5639895BF83F00000000000000000000000000000000000000000000000000000000000000001F0ECA10B8DE05C00000000000000000B7036B94D9F8E3BFEAFFFC264B88D33FFBD042F876E205C00000000000000000807137FEC389B93F4040035A9A9EABBFB6FF768BAEC2FD3F42A2EE3A1F8D04C06F472DF362EB0540333393819F18F03F00000000000000000000000000000000EAFCEDA6532C11C00000000000000000FE8451F0A9CDF1BF6240C8134FFEE5BFE0A16628E5D6EE3F202F8C2291A8C23F00000000000000000000000000000000000000000000000000000000000000009E75C1D199140EC00000000000000000FE0C829FD472DBBFE00F55D95601DA3F"> : tensor<2x3x4xcomplex<f64>>
    check.expect_almost_eq %got#1, %want1, tolerance = 4.300000e-12 : tensor<2x3x4xcomplex<f64>>
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
