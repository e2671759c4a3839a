// float32 [4, 4], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0xCB4EE23F8F94C23DAF89FCBF8D3F22BF41ABD4BFB65D8B4081B6813FBA31AB3F65DDD23F0EF72A3FA0DADF3F40324EBF0F5A79BE50D06E3F0FEB8EBECD725940"> : tensor<4x4xf32>
    %got = call @jax(%in0) : (tensor<4x4xf32>) -> tensor<4x2xf32>
    %want0 = stablehlo.constant dense<"0x1F2984BE8F6F1D3FE4D1DFBEB795723FEA4FC63F29B1853F1BFF633E88A2113F"> : tensor<4x2xf32>
    check.expect_almost_eq %got, %want0, tolerance = 3.100000e-05 : tensor<4x2xf32>
    return
  }
  func.func private @jax(%arg0: tensor<4x4xf32>) -> (tensor<4x2xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.slice %arg0 [0:4, 0:2] : (tensor<4x4xf32>) -> tensor<4x2xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x2xf32>
    %2 = stablehlo.add %0, %1 : tensor<4x2xf32>
    %3 = call @_solve_triangular(%arg0, %2) : (tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
    return %3 : tensor<4x2xf32>
  }
  func.func private @_solve_triangular(%arg0: tensor<4x4xf32>, %arg1: tensor<4x2xf32>) -> tensor<4x2xf32> {
    %0 = stablehlo.custom_call @lapack_strsm_ffi(%arg0, %arg1) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=4, j=4, k=4, l=2, m=4, n=2}, custom>} : (tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
    return %0 : tensor<4x2xf32>
  }
}
// -----
// float32 [3, 3], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x91712140F527123FA4F9D8BFD57686BFC80EDE3F67C7F83F2E30E43E3C7897BFD0E4FD3F"> : tensor<3x3xf32>
    %got = call @jax(%in0) : (tensor<3x3xf32>) -> tensor<3x2xf32>
    %want0 = stablehlo.constant dense<"0x6535BB3FEF78A23F40A3EF3E31B6C13F07953A3F9D50BDBD"> : tensor<3x2xf32>
    check.expect_almost_eq %got, %want0, tolerance = 3.000000e-05 : tensor<3x2xf32>
    return
  }
  func.func private @jax(%arg0: tensor<3x3xf32>) -> (tensor<3x2xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.slice %arg0 [0:3, 0:2] : (tensor<3x3xf32>) -> tensor<3x2xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
    %2 = stablehlo.add %0, %1 : tensor<3x2xf32>
    %3 = call @_solve_triangular(%arg0, %2) : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    return %3 : tensor<3x2xf32>
  }
  func.func private @_solve_triangular(%arg0: tensor<3x3xf32>, %arg1: tensor<3x2xf32>) -> tensor<3x2xf32> {
    %0 = stablehlo.custom_call @lapack_strsm_ffi(%arg0, %arg1) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=3, j=3, k=3, l=2, m=3, n=2}, custom>} : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
}
// -----
// float64 [4, 4], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x0099933F88CEF63F80055CB59528C03F00CDBA0A211DE6BFC0176AC1154FF03FE20975274551F13F903685CD36AC0F407CCD7D70B1E7E7BFF8C960458290DBBF709D41022BDEF2BFD4795B393102F03F902A816941030840AE4C5C9BAC6AF23F92B259A18AADFF3F8654F77F13B5F1BF46E85AFC859BF7BFA007F626F0180540"> : tensor<4x4xf64>
    %got = call @jax(%in0) : (tensor<4x4xf64>) -> tensor<4x2xf64>
    %want0 = stablehlo.constant dense<"0x2AFCAB049BF25EBF227DF5C07A02E23FDC61AB80F3EDE63F9969688EEE3EF13F642FD10AF3B9DF3FD6BBB44FF6B0E43F75AA5DB74214F23F809D2F8890B7A4BF"> : tensor<4x2xf64>
    check.expect_almost_eq %got, %want0, tolerance = 1.100000e-12 : tensor<4x2xf64>
    return
  }
  func.func private @jax(%arg0: tensor<4x4xf64>) -> (tensor<4x2xf64> {jax.result_info = "result"}) {
    %0 = stablehlo.slice %arg0 [0:4, 0:2] : (tensor<4x4xf64>) -> tensor<4x2xf64>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<4x2xf64>
    %2 = stablehlo.add %0, %1 : tensor<4x2xf64>
    %3 = call @_solve_triangular(%arg0, %2) : (tensor<4x4xf64>, tensor<4x2xf64>) -> tensor<4x2xf64>
    return %3 : tensor<4x2xf64>
  }
  func.func private @_solve_triangular(%arg0: tensor<4x4xf64>, %arg1: tensor<4x2xf64>) -> tensor<4x2xf64> {
    %0 = stablehlo.custom_call @lapack_dtrsm_ffi(%arg0, %arg1) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=4, j=4, k=4, l=2, m=4, n=2}, custom>} : (tensor<4x4xf64>, tensor<4x2xf64>) -> tensor<4x2xf64>
    return %0 : tensor<4x2xf64>
  }
}
// -----
// float64 [3, 3], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0xA8D3818CF36612401066FAF2840EF53F589313AEDA4BFC3FB8B2F2B2C09FEBBF04913FD2EA26094068038BBCA118D9BFD0EE5618BE21D2BF86A8C870401EF1BF5AE3DF650B151040"> : tensor<3x3xf64>
    %got = call @jax(%in0) : (tensor<3x3xf64>) -> tensor<3x2xf64>
    %want0 = stablehlo.constant dense<"0xEB67EB5B58F7F33F87CBB6004EF4E73F958CB66EE5A9BA3FCFAB24E891FEF43F19D71A3B1ED1C63FE41A69CF9DCC91BF"> : tensor<3x2xf64>
    check.expect_almost_eq %got, %want0, tolerance = 1.300000e-12 : tensor<3x2xf64>
    return
  }
  func.func private @jax(%arg0: tensor<3x3xf64>) -> (tensor<3x2xf64> {jax.result_info = "result"}) {
    %0 = stablehlo.slice %arg0 [0:3, 0:2] : (tensor<3x3xf64>) -> tensor<3x2xf64>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<3x2xf64>
    %2 = stablehlo.add %0, %1 : tensor<3x2xf64>
    %3 = call @_solve_triangular(%arg0, %2) : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
    return %3 : tensor<3x2xf64>
  }
  func.func private @_solve_triangular(%arg0: tensor<3x3xf64>, %arg1: tensor<3x2xf64>) -> tensor<3x2xf64> {
    %0 = stablehlo.custom_call @lapack_dtrsm_ffi(%arg0, %arg1) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=3, j=3, k=3, l=2, m=3, n=2}, custom>} : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
    return %0 : tensor<3x2xf64>
  }
}
