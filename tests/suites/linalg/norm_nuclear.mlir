// float32 [5, 3], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0xBA438740C4E68D3E570B61BFE17BF0BFB65D2240A001D93FACAD543F47D0863F8E01A33F3D86E8BF59C922BF84E3E9BF4000663F7C2067BD69829DBE"> : tensor<5x3xf32>
    %got = call @jax(%in0) : (tensor<5x3xf32>) -> tensor<f32>
    %want0 = stablehlo.constant dense<"0x618C2441"> : tensor<f32>
    check.expect_almost_eq %got, %want0, tolerance = 2.100000e-04 : tensor<f32>
    return
  }
  func.func private @jax(%arg0: tensor<5x3xf32>) -> (tensor<f32> {jax.result_info = "result"}) {
    %0 = call @norm(%arg0) : (tensor<5x3xf32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @norm(%arg0: tensor<5x3xf32>) -> tensor<f32> {
    %0 = call @svd(%arg0) : (tensor<5x3xf32>) -> tensor<3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
  func.func private @svd(%arg0: tensor<5x3xf32>) -> tensor<3xf32> {
    %0:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 78 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], [n, o], [p, q], []) {i=5, j=3, k=5, l=3, m=3, n=5, o=5, p=3, q=3}, custom>} : (tensor<5x3xf32>) -> (tensor<5x3xf32>, tensor<3xf32>, tensor<5x5xf32>, tensor<3x3xf32>, tensor<i32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %2 = stablehlo.compare EQ, %0#4, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<1xi1>) -> tensor<3xi1>
    %6 = stablehlo.select %5, %0#1, %4 : tensor<3xi1>, tensor<3xf32>
    return %6 : tensor<3xf32>
  }
}
// -----
// float32 [2, 3, 4], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x45218140908C053FF240C83F185BEF3EB5ECF93F5CD9BB3FB586CA3FDA82A8BF2151C0BFDD65F43FFC182040598B843F5B3B90403896823EF2E4B0BEFF94B4BF7773C9BF83B7484052683E3FC641923FAB7FF93DECD2F7BD6F6D8840E46D903F"> : tensor<2x3x4xf32>
    %got = call @jax(%in0) : (tensor<2x3x4xf32>) -> tensor<2xf32>
    %want0 = stablehlo.constant dense<"0x82972741FAFD4941"> : tensor<2xf32>
    check.expect_almost_eq %got, %want0, tolerance = 2.500000e-04 : tensor<2xf32>
    return
  }
  func.func private @jax(%arg0: tensor<2x3x4xf32>) -> (tensor<2xf32> {jax.result_info = "result"}) {
    %0 = call @norm(%arg0) : (tensor<2x3x4xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func private @norm(%arg0: tensor<2x3x4xf32>) -> tensor<2xf32> {
    %0 = call @svd(%arg0) : (tensor<2x3x4xf32>) -> tensor<2x3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    return %1 : tensor<2xf32>
  }
  func.func private @svd(%arg0: tensor<2x3x4xf32>) -> tensor<2x3xf32> {
    %0:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 78 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i, o, p], [i, q, r], [i]) {i=2, j=3, k=4, l=3, m=4, n=3, o=3, p=3, q=4, r=4}, custom>} : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3x3xf32>, tensor<2x4x4xf32>, tensor<2xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %2 = stablehlo.compare EQ, %0#4, %1, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xi1>) -> tensor<2x1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<2x1xi1>) -> tensor<2x3xi1>
    %6 = stablehlo.select %5, %0#1, %4 : tensor<2x3xi1>, tensor<2x3xf32>
    return %6 : tensor<2x3xf32>
  }
}
// -----
// float64 [5, 3], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x55D34B8272370D4010ED3F0E548DE63FD8153FAE11ABE13F7056390638E8F53F9498A8903B71F53FBE66F74F8482FF3F5CF672361E3CE8BF642E73F08706F43F8464C0D5AE1B0B4030A3C441CE50EF3F2C284C0EBF06EBBF70E3FFCD8339C93F1C8746DDF3A1EDBF406E17FAB846EC3F58D7AD29E695EBBF"> : tensor<5x3xf64>
    %got = call @jax(%in0) : (tensor<5x3xf64>) -> tensor<f64>
    %want0 = stablehlo.constant dense<"0x5AB1AF292A3E2440"> : tensor<f64>
    check.expect_almost_eq %got, %want0, tolerance = 1.000000e-11 : tensor<f64>
    return
  }
  func.func private @jax(%arg0: tensor<5x3xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %0 = call @norm(%arg0) : (tensor<5x3xf64>) -> tensor<f64>
    return %0 : tensor<f64>
  }
  func.func private @norm(%arg0: tensor<5x3xf64>) -> tensor<f64> {
    %0 = call @svd(%arg0) : (tensor<5x3xf64>) -> tensor<3xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
    return %1 : tensor<f64>
  }
  func.func private @svd(%arg0: tensor<5x3xf64>) -> tensor<3xf64> {
    %0:5 = stablehlo.custom_call @lapack_dgesdd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 78 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], [n, o], [p, q], []) {i=5, j=3, k=5, l=3, m=3, n=5, o=5, p=3, q=3}, custom>} : (tensor<5x3xf64>) -> (tensor<5x3xf64>, tensor<3xf64>, tensor<5x5xf64>, tensor<3x3xf64>, tensor<i32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %2 = stablehlo.compare EQ, %0#4, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %cst = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<1xi1>) -> tensor<3xi1>
    %6 = stablehlo.select %5, %0#1, %4 : tensor<3xi1>, tensor<3xf64>
    return %6 : tensor<3xf64>
  }
}
// -----
// float64 [2, 3, 4], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0xC1CAEC3BDF5F124070642B478738FF3FFE43BA75A9E0F6BFD8B1886187D4DCBF14640F3E2C19F53F94661086A8340B4040DE6E9FB89FE83F28082B7BFEBAF03FA6ED145E43E5F23F00AE001D299A74BFD45682643014F03FE25CE199B97CF8BFBCF5B5070BE21140C0F001080DC9AF3FEC90DC82CE92F5BFF462675E68B0F43F001005F94782AEBFF070C2CB83AF1140205AD0DF43E5BB3FF89F3A05CFF7E3BFD42668E6F022FF3FA88C2BEF6D31E73F2C619D331641124020E086A06430CDBF"> : tensor<2x3x4xf64>
    %got = call @jax(%in0) : (tensor<2x3x4xf64>) -> tensor<2xf64>
    %want0 = stablehlo.constant dense<"0x2759441C1C77254096ABDAB268912C40"> : tensor<2xf64>
    check.expect_almost_eq %got, %want0, tolerance = 1.400000e-11 : tensor<2xf64>
    return
  }
  func.func private @jax(%arg0: tensor<2x3x4xf64>) -> (tensor<2xf64> {jax.result_info = "result"}) {
    %0 = call @norm(%arg0) : (tensor<2x3x4xf64>) -> tensor<2xf64>
    return %0 : tensor<2xf64>
  }
  func.func private @norm(%arg0: tensor<2x3x4xf64>) -> tensor<2xf64> {
    %0 = call @svd(%arg0) : (tensor<2x3x4xf64>) -> tensor<2x3xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf64>, tensor<f64>) -> tensor<2xf64>
    return %1 : tensor<2xf64>
  }
  func.func private @svd(%arg0: tensor<2x3x4xf64>) -> tensor<2x3xf64> {
    %0:5 = stablehlo.custom_call @lapack_dgesdd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 78 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i, o, p], [i, q, r], [i]) {i=2, j=3, k=4, l=3, m=4, n=3, o=3, p=3, q=4, r=4}, custom>} : (tensor<2x3x4xf64>) -> (tensor<2x3x4xf64>, tensor<2x3xf64>, tensor<2x3x3xf64>, tensor<2x4x4xf64>, tensor<2xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %2 = stablehlo.compare EQ, %0#4, %1, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xi1>) -> tensor<2x1xi1>
    %cst = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2x3xf64>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<2x1xi1>) -> tensor<2x3xi1>
    %6 = stablehlo.select %5, %0#1, %4 : tensor<2x3xi1>, tensor<2x3xf64>
    return %6 : tensor<2x3xf64>
  }
}
