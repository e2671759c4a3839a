// float32 [4, 4], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x06010C404DDCD9BEA0DD0ABFB3B3FBBF4FE1AD3FBF79853F84BAB8BF8FD646BEDCAD213FACAEBD3FD5018C40E6BA4C3F77DF62BE810EBF3F5168963F836AF33F"> : tensor<4x4xf32>
    %got = call @jax(%in0) : (tensor<4x4xf32>) -> tensor<4x2xf32>
    %want0 = stablehlo.constant dense<"0xE9361D3F2A8BF13E72A9A63F797164BE1CA4863EE0655C3E8795D13E87C6A73F"> : tensor<4x2xf32>
    check.expect_almost_eq %got, %want0, tolerance = 2.600000e-05 : tensor<4x2xf32>
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
    %in0 = stablehlo.constant dense<"0xA4CE75408D40A03F12B8683F8FF5223FA5609340E95FC9BD6D1085BF4EC6AE3E8ACAC73F"> : tensor<3x3xf32>
    %got = call @jax(%in0) : (tensor<3x3xf32>) -> tensor<3x2xf32>
    %want0 = stablehlo.constant dense<"0xD4DE983FA3B5203F0FE6B63EBEA3933F1BA5CFBC64FF5B3F"> : tensor<3x2xf32>
    check.expect_almost_eq %got, %want0, tolerance = 2.400000e-05 : tensor<3x2xf32>
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
    %in0 = stablehlo.constant dense<"0x83A4B67212381240F0741C666E7BED3FF254E63BEFB8F33F00F8C6330BE4803FA659F117D2C2FABF0CE68B3B19E5114004878D820311F2BF101368CFF2D3D2BFDC4BE0F66C57E63F08ACAB935F03D0BF075C024A15E40740C28BEC270CC1F9BFD0FC327426F4FABF102E6691671AC03F3CFE5B6A570EED3FE3AC7DD575A70140"> : tensor<4x4xf64>
    %got = call @jax(%in0) : (tensor<4x4xf64>) -> tensor<4x2xf64>
    %want0 = stablehlo.constant dense<"0xF9FD923AA7DFEE3F746D1D3637ABF03F3245DD5EBDC2BABF14920891C96EF33F74AE7A050537E53F09BA037EBF90B83FCFAA84A8D1DAD3BFFECB6F303C53E03F"> : tensor<4x2xf64>
    check.expect_almost_eq %got, %want0, tolerance = 1.200000e-12 : tensor<4x2xf64>
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
    %in0 = stablehlo.constant dense<"0xB084CF47EB3EFD3F6076A8268126FC3FACC2B76DFEB2F9BF100795D9C8C0E2BF17E68A92DCAB0F4028FE616E35F0EBBFBE2A3325CEE4F1BF50A7BDDB25A6C8BF1EA317A021BE1140"> : tensor<3x3xf64>
    %got = call @jax(%in0) : (tensor<3x3xf64>) -> tensor<3x2xf64>
    %want0 = stablehlo.constant dense<"0x90B9C9A39C05F93FFFF273311B340040CB6D1B71C06FBA3F0059E2DBE42EF43F58D4D158FF529BBF71D7192AC94CC73F"> : tensor<3x2xf64>
    check.expect_almost_eq %got, %want0, tolerance = 2.000000e-12 : tensor<3x2xf64>
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
