// float32 [4, 4], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x3C582E4029150BBFF818D63FBCB1B2BF215AA3BF9F41CE3F40A3ACBD41F7D43F243FB63F45EA803F715E63407BACE3BFCB0D833F84497A3F9E28973F7038EF3F"> : tensor<4x4xf32>
    %got = call @jax(%in0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %want0 = stablehlo.constant dense<"0x3C582E401ECC6F3F5B8333C09F7F84C0215AA3BF5D046B3F122C0840E5E90840243FB63F9EEDE33F651EA93FA6A6CEBECB0D833F1458C43FD7FBCDBE46F9F93C"> : tensor<4x4xf32>
    check.expect_almost_eq %got, %want0, tolerance = 8.300000e-05 : tensor<4x4xf32>
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
    %in0 = stablehlo.constant dense<"0x3940224061E9853F6A7E9C3EC7BD0C3EEEDF9D40A311FC3EC995493F0C86D43FA6ECD03FBC3F53405B12FA3C2B5B23BE8EDAD3BF3E085E40D319A0BF6F4CA03EC0ADAE3EEE6AA13F"> : tensor<2x3x3xf32>
    %got = call @jax(%in0) : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    %want0 = stablehlo.constant dense<"0x39402240BD93CDBF9498A43EC7BD0C3E004699401733F4BFC995493FEA26563F5CCD7A3FBC3F5340CCD68FBDAAF18E3E8EDAD3BF08446140A0CF38406F4CA03E0FC9A93EEFE6DC3F"> : tensor<2x3x3xf32>
    check.expect_almost_eq %got, %want0, tolerance = 9.600000e-05 : tensor<2x3x3xf32>
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
    %in0 = stablehlo.constant dense<"0x6EACB41EFE5F06404E2AEA4BC2E6FF3F3ADCDD5C2F29FEBF000807B5BBF7CFBF000E106DF9D9E2BF78F3ADB31A9EFC3F76D3550DE44AF3BF481321F37613EE3FC8CD5CED66F9F9BFA80ED9B54674F23F8DC429D3EC1F0D40A850B2C3EA64D63F24F0A5C85676F7BF3CA1F22A06A1F2BF80C7F4F04217FDBFF89EC6F8052D0540"> : tensor<4x4xf64>
    %got = call @jax(%in0) : (tensor<4x4xf64>) -> tensor<4x4xf64>
    %want0 = stablehlo.constant dense<"0x6EACB41EFE5F0640A90095D04EA90CC04C5C439AE0D8EDBFF24C6D1AD1911040000E106DF9D9E2BF892E23BE9AB4074048F6ABCB581BF43FCD5DC2DBBD7403C0C8CD5CED66F9F9BF068A23AD868F1140FE18E633F97E1740BE0F5666CBF218C024F0A5C85676F7BFCC898103A426FC3FCA9244D1F1AF03C0D6DDEC52ADCFF73F"> : tensor<4x4xf64>
    check.expect_almost_eq %got, %want0, tolerance = 6.200000e-12 : tensor<4x4xf64>
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
    %in0 = stablehlo.constant dense<"0xCB4D12B50A2D07401E65C1669775F63FBED816138BBCF93F04C4FCBF4BA7EEBF5DBD204D03850640A212BAEDD676F0BF98943AAD80BADC3F7066441D4E70DCBF83B38EA8740512403EB75179BE8AFA3F349D5B6D17D0E73F7C5883714669EA3F00945E163E02A2BF920C4E3C0D26FB3F005B7E5241F1C8BFC8221F2A4F40EF3FE05078EA9C85C73FB1F5041033B40140"> : tensor<2x3x3xf64>
    %got = call @jax(%in0) : (tensor<2x3x3xf64>) -> tensor<2x3x3xf64>
    %want0 = stablehlo.constant dense<"0xCB4D12B50A2D074029E1D0B1774D05C01864AC87732A17C004C4FCBF4BA7EEBFBB4AC4D86BA3104088F7ACAA1E2B134098943AAD80BADC3F629141ACF830F1BF385927A9D66B05403EB75179BE8AFA3FCCF41BD41961DFBFA223E4477F75E4BF00945E163E02A2BF2E7664FF4291FB3F8882AD1694BFC53FC8221F2A4F40EF3F7F833F8F0A60E1BF2A11ED387DD1F43F"> : tensor<2x3x3xf64>
    check.expect_almost_eq %got, %want0, tolerance = 5.800000e-12 : tensor<2x3x3xf64>
    return
  }
  func.func private @jax(%arg0: tensor<2x3x3xf64>) -> (tensor<2x3x3xf64> {jax.result_info = "result"}) {
    %0 = stablehlo.custom_call @lapack_dtrsm_ffi(%arg0, %arg0) {backend_config = "", mhlo.backend_config = {diag = 85 : ui8, side = 82 : ui8, trans_x = 78 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=3, k=3, l=3, m=3, n=3, o=3}, custom>} : (tensor<2x3x3xf64>, tensor<2x3x3xf64>) -> tensor<2x3x3xf64>
    return %0 : tensor<2x3x3xf64>
  }
}
// -----
// complex64 [4, 4], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0xCA3473407AE4C93E8C18F63E6CB5FC3F44981E3F45A1A83F24A094BE3A93D73EFB6AA5BF7685A33F4EEBCC3F9C32813F8E39BABF2ECFCABFD51801BE4E4F8C3F99B1C6BFD7A2E6BF4EDD653F6C0C95BF5CEF7C4036CFDD3F61EF5C3F049C083ED5ABC53FCBA6963FD0D4433F6C12CBBF5F218F3FB4E8BBBF48076A40E535FA3F"> : tensor<4x4xcomplex<f32>>
    %got = call @jax(%in0) : (tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
    %want0 = stablehlo.constant dense<"0xCA3473407AE4C93ED63F11BF9EF7B6C0B899E040A56952C1DCC052C1F2FE1341FB6AA5BF7685A33F0AD197405D973C40F5C6504000183241EA352240C6BF4DC199B1C6BFD7A2E6BFF9E7F4BF120B3140440E94C04E64BC403625E7404C75E0BFD5ABC53FCBA6963FA22A1640906FA6C0A7DD5541DE4B01C160B356C1D4006740"> : tensor<4x4xcomplex<f32>>
    check.expect_almost_eq %got, %want0, tolerance = 3.200000e-04 : tensor<4x4xcomplex<f32>>
    return
  }
  func.func private @jax(%arg0: tensor<4x4xcomplex<f32>>) -> (tensor<4x4xcomplex<f32>> {jax.result_info = "result"}) {
    %0 = stablehlo.custom_call @lapack_ctrsm_ffi(%arg0, %arg0) {backend_config = "", mhlo.backend_config = {diag = 85 : ui8, side = 82 : ui8, trans_x = 78 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=4, j=4, k=4, l=4, m=4, n=4}, custom>} : (tensor<4x4xcomplex<f32>>, tensor<4x4xcomplex<f32>>) -> tensor<4x4xcomplex<f32>>
    return %0 : tensor<4x4xcomplex<f32>>
  }
}
// -----
// complex128 [2, 3, 3], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0xA350B7728BA10640A82946BD4CF5D43F3AED2D9352D3FB3FCEABBEC9D4C7FA3F506C42946E21DBBFC831FA6B7AEAFD3F047A02FD9DD4F5BF0259F76C918BF83F3F4FC5EA85A0004038997B6D749CF0BF46646655751BFF3F70582078B3DBEA3F18264BA30EE8E13F809F2E61C88DACBF42BCB100A4EAF6BF6C44F49261E1EBBF35232D296ED81140DE419B5EF819F7BF50114630174A13403286B3213367F1BF94F1B060ED4BF63F983828F7730FDBBF00F52A816EF6F03F2A29010A7E0AF03F4E36774C779DF43F10BE51833A6ADB3F614AB3DCAB4906400074D6EC1E7FFB3FE46697407BB9F03F007DDA10BB6DACBFD27958F877E9F03F607BBFC8FD5DF53F346C2A2802A5FEBF3A0CC483871AF4BF56F5ED1102950D40B6C641591DDAFDBF"> : tensor<2x3x3xcomplex<f64>>
    %got = call @jax(%in0) : (tensor<2x3x3xcomplex<f64>>) -> tensor<2x3x3xcomplex<f64>>
    %want0 = stablehlo.constant dense<"0xA350B7728BA10640A82946BD4CF5D43F23FEFE674D0F05C02D516B77960B0DC072AE480EB9AA0B4084ED233434F31740047A02FD9DD4F5BF0259F76C918BF83FE6C3C06761131C40E8B2AC9301C2F6BFF8E53CC0383625C06892F9828947ED3F18264BA30EE8E13F809F2E61C88DACBFFFBD226B84FD03C0D29555C1CB5FFBBFE638C6996E0820407BE5AAD95C47074050114630174A13403286B3213367F1BF298D39B27E7713C0911EDFD3230E094068B91D6D6364CDBFF62652934FE418C04E36774C779DF43F10BE51833A6ADB3F08E111CF47E6E93F84E61B3B7DA9FA3F5209F2C7618DEABF8F65630E84FC0BC0D27958F877E9F03F607BBFC8FD5DF53F8E8F041C8C9F0FC0FE7E880A4B5D05C0E5D72A0477642040FD072BA9D74EFCBF"> : tensor<2x3x3xcomplex<f64>>
    check.expect_almost_eq %got, %want0, tolerance = 1.100000e-11 : tensor<2x3x3xcomplex<f64>>
    return
  }
  func.func private @jax(%arg0: tensor<2x3x3xcomplex<f64>>) -> (tensor<2x3x3xcomplex<f64>> {jax.result_info = "result"}) {
    %0 = stablehlo.custom_call @lapack_ztrsm_ffi(%arg0, %arg0) {backend_config = "", mhlo.backend_config = {diag = 85 : ui8, side = 82 : ui8, trans_x = 78 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l, m])->([i, n, o]) {i=2, j=3, k=3, l=3, m=3, n=3, o=3}, custom>} : (tensor<2x3x3xcomplex<f64>>, tensor<2x3x3xcomplex<f64>>) -> tensor<2x3x3xcomplex<f64>>
    return %0 : tensor<2x3x3xcomplex<f64>>
  }
}
