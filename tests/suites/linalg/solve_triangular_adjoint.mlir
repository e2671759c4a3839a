// float32 [4, 4], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0xF9911E40390C033F0ACFC83F98B2503F543345BF603EF03F7BF2CBBF271BD0BF307D00BFF65DF4BF3A2490406286B53F9F21B3BF102548BE3459BB3F2768C73F"> : tensor<4x4xf32>
    %got = call @jax(%in0) : (tensor<4x4xf32>) -> tensor<4x2xf32>
    %want0 = stablehlo.constant dense<"0x0000803F2791533E60E32EBF0993713F6D8C33BF23E225BE8D80BFBF9211663F"> : tensor<4x2xf32>
    check.expect_almost_eq %got, %want0, tolerance = 3.000000e-05 : tensor<4x2xf32>
    return
  }
  func.func private @jax(%arg0: tensor<4x4xf32>) -> (tensor<4x2xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.slice %arg0 [0:4, 0:2] : (tensor<4x4xf32>) -> tensor<4x2xf32>
    %1 = call @_solve_triangular(%arg0, %0) : (tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
    return %1 : tensor<4x2xf32>
  }
  func.func private @_solve_triangular(%arg0: tensor<4x4xf32>, %arg1: tensor<4x2xf32>) -> tensor<4x2xf32> {
    %0 = stablehlo.custom_call @lapack_strsm_ffi(%arg0, %arg1) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=4, j=4, k=4, l=2, m=4, n=2}, custom>} : (tensor<4x4xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
    return %0 : tensor<4x2xf32>
  }
}
// -----
// float32 [3, 3], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x50DE2740E665633E2CEE473E6396A7BFC6092840DEB9AD3F73A7CE3F5E013EBC2EC67040"> : tensor<3x3xf32>
    %got = call @jax(%in0) : (tensor<3x3xf32>) -> tensor<3x2xf32>
    %want0 = stablehlo.constant dense<"0x0000803F3764AD3D084F15BFB72A7E3FD670163F9E37BBBE"> : tensor<3x2xf32>
    check.expect_almost_eq %got, %want0, tolerance = 2.000000e-05 : tensor<3x2xf32>
    return
  }
  func.func private @jax(%arg0: tensor<3x3xf32>) -> (tensor<3x2xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.slice %arg0 [0:3, 0:2] : (tensor<3x3xf32>) -> tensor<3x2xf32>
    %1 = call @_solve_triangular(%arg0, %0) : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    return %1 : tensor<3x2xf32>
  }
  func.func private @_solve_triangular(%arg0: tensor<3x3xf32>, %arg1: tensor<3x2xf32>) -> tensor<3x2xf32> {
    %0 = stablehlo.custom_call @lapack_strsm_ffi(%arg0, %arg1) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=3, j=3, k=3, l=2, m=3, n=2}, custom>} : (tensor<3x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
}
// -----
// float64 [4, 4], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x56AB645F2C01F73FE08FDEAE4E43FBBF4EC5C8A35CFAFE3FE064395D2B2FB1BF706E75B09074F03F41017C97538C0C40CAAF9537D727F5BFF0EA718BA9E4DD3F9CABA4F3DB82F7BF883D4324615CDB3FE0918924550D0440908D3D0F822CF6BFC2F01745895AFC3F1E245B21D712F03F5C39DD3B1E0BEEBF838774C0A4A10C40"> : tensor<4x4xf64>
    %got = call @jax(%in0) : (tensor<4x4xf64>) -> tensor<4x2xf64>
    %want0 = stablehlo.constant dense<"0x000000000000F03FC225B4F833F6F2BF94C50E208F80E83FCF563307AAC8DB3FB47FC8E7828DEEBF0875B7C6330AF53F8D5E6E2F16A9A63F85977709A7C0E63F"> : tensor<4x2xf64>
    check.expect_almost_eq %got, %want0, tolerance = 1.300000e-12 : tensor<4x2xf64>
    return
  }
  func.func private @jax(%arg0: tensor<4x4xf64>) -> (tensor<4x2xf64> {jax.result_info = "result"}) {
    %0 = stablehlo.slice %arg0 [0:4, 0:2] : (tensor<4x4xf64>) -> tensor<4x2xf64>
    %1 = call @_solve_triangular(%arg0, %0) : (tensor<4x4xf64>, tensor<4x2xf64>) -> tensor<4x2xf64>
    return %1 : tensor<4x2xf64>
  }
  func.func private @_solve_triangular(%arg0: tensor<4x4xf64>, %arg1: tensor<4x2xf64>) -> tensor<4x2xf64> {
    %0 = stablehlo.custom_call @lapack_dtrsm_ffi(%arg0, %arg1) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=4, j=4, k=4, l=2, m=4, n=2}, custom>} : (tensor<4x4xf64>, tensor<4x2xf64>) -> tensor<4x2xf64>
    return %0 : tensor<4x2xf64>
  }
}
// -----
// float64 [3, 3], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x72E893357274FC3FEC89B68B2224FF3FE4946E71F4D9F83F869F0C91BC28F8BFA4812E2C4EBF0440CEBDF3444DB3F53F40B0676D24D3AFBF946858F01840EFBF040FF0FB5939F63F"> : tensor<3x3xf64>
    %got = call @jax(%in0) : (tensor<3x3xf64>) -> tensor<3x2xf64>
    %want0 = stablehlo.constant dense<"0x000000000000F03FE4CD2FEAAE82F13F3621B2E7C852F5BF21BCAE666CDEC63FFFD1E72018B5C13F1411483B7FCF00C0"> : tensor<3x2xf64>
    check.expect_almost_eq %got, %want0, tolerance = 2.100000e-12 : tensor<3x2xf64>
    return
  }
  func.func private @jax(%arg0: tensor<3x3xf64>) -> (tensor<3x2xf64> {jax.result_info = "result"}) {
    %0 = stablehlo.slice %arg0 [0:3, 0:2] : (tensor<3x3xf64>) -> tensor<3x2xf64>
    %1 = call @_solve_triangular(%arg0, %0) : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
    return %1 : tensor<3x2xf64>
  }
  func.func private @_solve_triangular(%arg0: tensor<3x3xf64>, %arg1: tensor<3x2xf64>) -> tensor<3x2xf64> {
    %0 = stablehlo.custom_call @lapack_dtrsm_ffi(%arg0, %arg1) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=3, j=3, k=3, l=2, m=3, n=2}, custom>} : (tensor<3x3xf64>, tensor<3x2xf64>) -> tensor<3x2xf64>
    return %0 : tensor<3x2xf64>
  }
}
// -----
// complex64 [4, 4], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x23EFC93FB9D4DF3FC6A2313F7048583F427DDB3DDFBB99BF0620CF3E4DD6303FB4F58FBFEC8DBD3F1CC50C407B57913FF061D53F02E4313F87F6D3BE44D22EBF5DB5F23E14A9AC3F29CCBF3E91CDC53FCCC4034043914A3E7AE3523E189DC33E0B8D9FBF46DF94BE8288433E5202F3BF72D32F3ECB0D49BF0B7B2740E45E823F"> : tensor<4x4xcomplex<f32>>
    %got = call @jax(%in0) : (tensor<4x4xcomplex<f32>>) -> tensor<4x2xcomplex<f32>>
    %want0 = stablehlo.constant dense<"0x5019D2BD3BA67E3FE04C8DBDF708EB3E62714FBFFC39C9BD05E6063F66F01D3FA02CB93F34B91B3F849F63BE3D06D93EA2D375BF86E79CBE2A81E73ED8903EBF"> : tensor<4x2xcomplex<f32>>
    check.expect_almost_eq %got, %want0, tolerance = 3.100000e-05 : tensor<4x2xcomplex<f32>>
    return
  }
  func.func private @jax(%arg0: tensor<4x4xcomplex<f32>>) -> (tensor<4x2xcomplex<f32>> {jax.result_info = "result"}) {
    %0 = stablehlo.slice %arg0 [0:4, 0:2] : (tensor<4x4xcomplex<f32>>) -> tensor<4x2xcomplex<f32>>
    %1 = call @_solve_triangular(%arg0, %0) : (tensor<4x4xcomplex<f32>>, tensor<4x2xcomplex<f32>>) -> tensor<4x2xcomplex<f32>>
    return %1 : tensor<4x2xcomplex<f32>>
  }
  func.func private @_solve_triangular(%arg0: tensor<4x4xcomplex<f32>>, %arg1: tensor<4x2xcomplex<f32>>) -> tensor<4x2xcomplex<f32>> {
    %0 = stablehlo.custom_call @lapack_ctrsm_ffi(%arg0, %arg1) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 67 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=4, j=4, k=4, l=2, m=4, n=2}, custom>} : (tensor<4x4xcomplex<f32>>, tensor<4x2xcomplex<f32>>) -> tensor<4x2xcomplex<f32>>
    return %0 : tensor<4x2xcomplex<f32>>
  }
}
// -----
// complex128 [3, 3], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x9687C404C384114040858D37AE52CEBFDC05BF96F300FE3F3416F2D433B2F9BFD07FFCC0A24BD83F40ECCB517373CABF84B7B3C0CCF7F33FB4AFC5D295BCE73F6E4922C4301903403892ACF32BE4F3BF6E340F974225F3BF2EE16B7117E9F5BFE47A7C950607E0BF66FCE852D873FF3FD447B8844D55E13FF03CDF3EE9CCD53FA599F4BC08E90040C896F73150E7F7BF"> : tensor<3x3xcomplex<f64>>
    %got = call @jax(%in0) : (tensor<3x3xcomplex<f64>>) -> tensor<3x2xcomplex<f64>>
    %want0 = stablehlo.constant dense<"0xDDBD611A34D0EF3F49A37AE6169DBBBFD80E64C1A20EDA3FA661E131CAE0D8BF2F2DF5AE50D1D7BF82531891025EB4BF188125732480C03F1396251867CEE1BF9089F40B45F6A13FCB55EA90F25FF03F0407E0C3F7A9C8BFE81C28835138B2BF"> : tensor<3x2xcomplex<f64>>
    check.expect_almost_eq %got, %want0, tolerance = 1.000000e-12 : tensor<3x2xcomplex<f64>>
    return
  }
  func.func private @jax(%arg0: tensor<3x3xcomplex<f64>>) -> (tensor<3x2xcomplex<f64>> {jax.result_info = "result"}) {
    %0 = stablehlo.slice %arg0 [0:3, 0:2] : (tensor<3x3xcomplex<f64>>) -> tensor<3x2xcomplex<f64>>
    %1 = call @_solve_triangular(%arg0, %0) : (tensor<3x3xcomplex<f64>>, tensor<3x2xcomplex<f64>>) -> tensor<3x2xcomplex<f64>>
    return %1 : tensor<3x2xcomplex<f64>>
  }
  func.func private @_solve_triangular(%arg0: tensor<3x3xcomplex<f64>>, %arg1: tensor<3x2xcomplex<f64>>) -> tensor<3x2xcomplex<f64>> {
    %0 = stablehlo.custom_call @lapack_ztrsm_ffi(%arg0, %arg1) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 67 : ui8, uplo = 85 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=3, j=3, k=3, l=2, m=3, n=2}, custom>} : (tensor<3x3xcomplex<f64>>, tensor<3x2xcomplex<f64>>) -> tensor<3x2xcomplex<f64>>
    return %0 : tensor<3x2xcomplex<f64>>
  }
}
