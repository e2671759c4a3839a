// float32 [5, 3], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x4011114035D7BBBE9319D13FF5119FBF622948407976AFBFB924C1BE183513BFCB6298408FA79FBF635DE1BF3A2CD53F0FC03ABFBC7B3EBF08A1CBBF"> : tensor<5x3xf32>
    %got = call @jax(%in0) : (tensor<5x3xf32>) -> tensor<f32>
    %want0 = stablehlo.constant dense<"0x5317C240"> : tensor<f32>
    check.expect_almost_eq %got, %want0, tolerance = 1.200000e-04 : tensor<f32>
    return
  }
  func.func private @jax(%arg0: tensor<5x3xf32>) -> (tensor<f32> {jax.result_info = "result"}) {
    %0 = call @norm(%arg0) : (tensor<5x3xf32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @norm(%arg0: tensor<5x3xf32>) -> tensor<f32> {
    %0 = call @svd(%arg0) : (tensor<5x3xf32>) -> tensor<3xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.maximum %cst_0, %1 : tensor<f32>
    return %2 : tensor<f32>
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
    %in0 = stablehlo.constant dense<"0xD996C33FA18D4F3F1BC134BFA12EAC3F88F3433F88B180405AF36C3EB71AF83E10725EBD081E77BF48159C3F153EBD3ED2649C404793C53FE60DCEBFED4D3E3F3E4AA73F6A7CBD3F3265A53F58FE14BE14C43CBF80D1D6BED49B3B40A5DFCA3F"> : tensor<2x3x4xf32>
    %got = call @jax(%in0) : (tensor<2x3x4xf32>) -> tensor<2xf32>
    %want0 = stablehlo.constant dense<"0xF5C38D409103B940"> : tensor<2xf32>
    check.expect_almost_eq %got, %want0, tolerance = 1.200000e-04 : tensor<2xf32>
    return
  }
  func.func private @jax(%arg0: tensor<2x3x4xf32>) -> (tensor<2xf32> {jax.result_info = "result"}) {
    %0 = call @norm(%arg0) : (tensor<2x3x4xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func private @norm(%arg0: tensor<2x3x4xf32>) -> tensor<2xf32> {
    %0 = call @svd(%arg0) : (tensor<2x3x4xf32>) -> tensor<2x3xf32>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %3 = stablehlo.maximum %2, %1 : tensor<2xf32>
    return %3 : tensor<2xf32>
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
    %in0 = stablehlo.constant dense<"0xDF62DE25078500404E1E869C3C92F7BF64E1052BF04EF03F14EDD3FA7942F73F0FAA5F045FB20940D061EEA33D66C13FA88FB4395336E4BF801CAB641AF1F9BF9AA6BFD47D6F08401436B69A8C90FF3F08BFC8F9BAAEFCBFBC40BEEAFFDBFF3F66B8073EC3F0FE3F98EA278F2AC7D5BF4821B0AC2621F53F"> : tensor<5x3xf64>
    %got = call @jax(%in0) : (tensor<5x3xf64>) -> tensor<f64>
    %want0 = stablehlo.constant dense<"0x8CCD3FF7CDC51540"> : tensor<f64>
    check.expect_almost_eq %got, %want0, tolerance = 5.400000e-12 : tensor<f64>
    return
  }
  func.func private @jax(%arg0: tensor<5x3xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %0 = call @norm(%arg0) : (tensor<5x3xf64>) -> tensor<f64>
    return %0 : tensor<f64>
  }
  func.func private @norm(%arg0: tensor<5x3xf64>) -> tensor<f64> {
    %0 = call @svd(%arg0) : (tensor<5x3xf64>) -> tensor<3xf64>
    %cst = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.maximum across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.maximum %cst_0, %1 : tensor<f64>
    return %2 : tensor<f64>
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
    %in0 = stablehlo.constant dense<"0x6E818C02BBDEFF3FCED843E46283FE3F5C0267ADB3C5E1BF94C619D43EEDE5BFE27CE9A557A5F83FFF0B41C972FB0440C484F796D93BF93F70DBB0522301FD3FE8FB6E03F235F13F4269FDB644E9F13F421C241376900C40B85889DDD597E8BFA6DF783E6CDAF33FE0756E153648B03FC02A6C581464FDBF40D4A8D69E29B53FC28FD6CFCA8DF1BF949F77A98A4C08403033919AB354C2BFC2877A4171FDF83F9834BB3F1C21DCBFFAC53098DFF2F8BF4CC10A58ABF80D406C952D66ECD5E53F"> : tensor<2x3x4xf64>
    %got = call @jax(%in0) : (tensor<2x3x4xf64>) -> tensor<2xf64>
    %want0 = stablehlo.constant dense<"0x1A87A563108A14400A89155D8EA61240"> : tensor<2xf64>
    check.expect_almost_eq %got, %want0, tolerance = 5.100000e-12 : tensor<2xf64>
    return
  }
  func.func private @jax(%arg0: tensor<2x3x4xf64>) -> (tensor<2xf64> {jax.result_info = "result"}) {
    %0 = call @norm(%arg0) : (tensor<2x3x4xf64>) -> tensor<2xf64>
    return %0 : tensor<2xf64>
  }
  func.func private @norm(%arg0: tensor<2x3x4xf64>) -> tensor<2xf64> {
    %0 = call @svd(%arg0) : (tensor<2x3x4xf64>) -> tensor<2x3xf64>
    %cst = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<2x3xf64>, tensor<f64>) -> tensor<2xf64>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %3 = stablehlo.maximum %2, %1 : tensor<2xf64>
    return %3 : tensor<2xf64>
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
