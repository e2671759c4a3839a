// float32 [5, 3], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0xD7D3974001732DBFAC839C3FC6EBD43F10738B405782D63F4798C93E712BC8BE839A5C40F04E673E5203BB3D0599CF3F72D9693F3471ED3FEF6321BC"> : tensor<5x3xf32>
    %got:5 = call @jax(%in0) : (tensor<5x3xf32>) -> (tensor<5x3xf32>, tensor<3xf32>, tensor<3x3xf32>, tensor<5x5xf32>, tensor<3x3xf32>)
    %want0 = stablehlo.constant dense<"0xFF021B3F42F22BBF4B6AD8BE8F0F2B3F0E4E233F79AC9DBBBB139F3EBCAE7CBEFF9D4D3F8EF82F3E479285BD7029B93E75787C3EFEE18D3E63355ABE"> : tensor<5x3xf32>
    check.expect_almost_eq %got#0, %want0, tolerance = 1.600000e-05 : tensor<5x3xf32>
    %want1 = stablehlo.constant dense<"0x7E0BC440552A8C4005BA5840"> : tensor<3xf32>
    check.expect_almost_eq %got#1, %want1, tolerance = 1.200000e-04 : tensor<3xf32>
    %want2 = stablehlo.constant dense<"0x10A4363FCC73EE3E1A07063F9EF5E7BEFF66603F1F4B26BEBFD808BFF57BF8BDD11C563F"> : tensor<3x3xf32>
    check.expect_almost_eq %got#2, %want2, tolerance = 1.800000e-05 : tensor<3x3xf32>
    %want3 = stablehlo.constant dense<"0x00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : tensor<5x5xf32>
    check.expect_almost_eq %got#3, %want3, tolerance = 2.000000e-08 : tensor<5x5xf32>
    %want4 = stablehlo.constant dense<"0x000000000000000000000000000000000000000000000000000000000000000000000000"> : tensor<3x3xf32>
    check.expect_almost_eq %got#4, %want4, tolerance = 2.000000e-08 : tensor<3x3xf32>
    return
  }
  func.func private @jax(%arg0: tensor<5x3xf32>) -> (tensor<5x3xf32> {jax.result_info = "result[0]"}, tensor<3xf32> {jax.result_info = "result[1]"}, tensor<3x3xf32> {jax.result_info = "result[2]"}, tensor<5x5xf32> {jax.result_info = "result[3]"}, tensor<3x3xf32> {jax.result_info = "result[4]"}) {
    %0:3 = call @svd(%arg0) : (tensor<5x3xf32>) -> (tensor<5x3xf32>, tensor<3xf32>, tensor<3x3xf32>)
    %1 = stablehlo.transpose %0#2, dims = [1, 0] : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %2 = stablehlo.abs %1 : tensor<3x3xf32>
    %3 = call @argmax(%2) : (tensor<3x3xf32>) -> tensor<3xi64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<3xi64>) -> tensor<1x3xi64>
    %5 = call @take_along_axis(%1, %4) : (tensor<3x3xf32>, tensor<1x3xi64>) -> tensor<1x3xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<3x3xf32>
    %7 = stablehlo.multiply %1, %6 : tensor<3x3xf32>
    %8 = stablehlo.abs %5 : tensor<1x3xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<3x3xf32>
    %10 = stablehlo.divide %7, %9 : tensor<3x3xf32>
    %11 = stablehlo.transpose %0#2, dims = [1, 0] : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %12 = stablehlo.multiply %10, %11 : tensor<3x3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<3x3xf32>, tensor<f32>) -> tensor<3xf32>
    %14 = stablehlo.slice %0#0 [0:5, 3:3] : (tensor<5x3xf32>) -> tensor<5x0xf32>
    %15 = stablehlo.slice %0#2 [3:3, 0:3] : (tensor<3x3xf32>) -> tensor<0x3xf32>
    %16 = stablehlo.broadcast_in_dim %13, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<5x3xf32>
    %18 = stablehlo.multiply %0#0, %17 : tensor<5x3xf32>
    %19 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x3xf32>
    %21 = stablehlo.multiply %0#2, %20 : tensor<3x3xf32>
    %22 = stablehlo.transpose %14, dims = [1, 0] : (tensor<5x0xf32>) -> tensor<0x5xf32>
    %23 = stablehlo.dot_general %14, %22, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x0xf32>, tensor<0x5xf32>) -> tensor<5x5xf32>
    %24 = stablehlo.transpose %15, dims = [1, 0] : (tensor<0x3xf32>) -> tensor<3x0xf32>
    %25 = stablehlo.dot_general %24, %15, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x0xf32>, tensor<0x3xf32>) -> tensor<3x3xf32>
    return %18, %0#1, %21, %23, %25 : tensor<5x3xf32>, tensor<3xf32>, tensor<3x3xf32>, tensor<5x5xf32>, tensor<3x3xf32>
  }
  func.func private @svd(%arg0: tensor<5x3xf32>) -> (tensor<5x3xf32>, tensor<3xf32>, tensor<3x3xf32>) {
    %0:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 83 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], [n, o], [p, q], []) {i=5, j=3, k=5, l=3, m=3, n=5, o=3, p=3, q=3}, custom>} : (tensor<5x3xf32>) -> (tensor<5x3xf32>, tensor<3xf32>, tensor<5x3xf32>, tensor<3x3xf32>, tensor<i32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %2 = stablehlo.compare EQ, %0#4, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<1xi1>) -> tensor<3xi1>
    %6 = stablehlo.select %5, %0#1, %4 : tensor<3xi1>, tensor<3xf32>
    %7 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst_0 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<5x3xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<5x3xi1>
    %10 = stablehlo.select %9, %0#2, %8 : tensor<5x3xi1>, tensor<5x3xf32>
    %11 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3x3xf32>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<3x3xi1>
    %14 = stablehlo.select %13, %0#3, %12 : tensor<3x3xi1>, tensor<3x3xf32>
    return %10, %6, %14 : tensor<5x3xf32>, tensor<3xf32>, tensor<3x3xf32>
  }
  func.func private @argmax(%arg0: tensor<3x3xf32>) -> tensor<3xi64> {
    %0 = stablehlo.iota dim = 0 : tensor<3x3xi64>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [0] : (tensor<3x3xf32>, tensor<3x3xi64>, tensor<f32>, tensor<i64>) -> (tensor<3xf32>, tensor<3xi64>)
     reducer(%arg1: tensor<f32>, %arg3: tensor<f32>) (%arg2: tensor<i64>, %arg4: tensor<i64>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f32>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i64>
      stablehlo.return %9, %10 : tensor<f32>, tensor<i64>
    }
    return %1#1 : tensor<3xi64>
  }
  func.func private @take_along_axis(%arg0: tensor<3x3xf32>, %arg1: tensor<1x3xi64>) -> tensor<1x3xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<1x3xi64>) -> tensor<1x3xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<1x3xi32>
    %2 = stablehlo.compare LT, %0, %1, SIGNED : (tensor<1x3xi32>, tensor<1x3xi32>) -> tensor<1x3xi1>
    %c_0 = stablehlo.constant dense<3> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<1x3xi32>
    %4 = stablehlo.add %0, %3 : tensor<1x3xi32>
    %5 = stablehlo.select %2, %4, %0 : tensor<1x3xi1>, tensor<1x3xi32>
    %6 = stablehlo.reshape %5 : (tensor<1x3xi32>) -> tensor<1x3x1xi32>
    %c_1 = stablehlo.constant dense<2> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<1x3x1xi32>
    %8 = stablehlo.compare GE, %6, %7, SIGNED : (tensor<1x3x1xi32>, tensor<1x3x1xi32>) -> tensor<1x3x1xi1>
    %9 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<1x3x1xi32>
    %11 = stablehlo.compare LE, %6, %10, SIGNED : (tensor<1x3x1xi32>, tensor<1x3x1xi32>) -> tensor<1x3x1xi1>
    %12 = stablehlo.and %8, %11 : tensor<1x3x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %13 = stablehlo.reduce(%12 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<1x3x1xi1>, tensor<i1>) -> tensor<1x3xi1>
    %14 = "stablehlo.gather"(%arg0, %6) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], operand_batching_dims = [1], start_indices_batching_dims = [1], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<3x3xf32>, tensor<1x3x1xi32>) -> tensor<1x3xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x3xf32>
    %16 = stablehlo.select %13, %14, %15 : tensor<1x3xi1>, tensor<1x3xf32>
    return %16 : tensor<1x3xf32>
  }
}
// -----
// float64 [2, 3, 4], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x3E7413D8F33EF63FD0FC327426F4FABF102E6691671AC03F3CFE5B6A570EED3F744C09AA2862E9BFB084CF47EB3EFD3F6076A8268126FC3FACC2B76DFEB2F9BF100795D9C8C0E2BF5C982B4A72AFEE3F768067A4F2030140BE2A3325CEE4F1BF8B2544A29D7506407A8C5E8086F8F63FB4D2066C03B7E0BFC8DADD148761E03FA476D734E119F93F26B581C194850E4094DF0B846AA6E8BFFA1492F233F8F1BF646A00584F7EF9BFD4D75BE86403FABF57D2758316FC0340B2DC55CCBE8BFEBF"> : tensor<2x3x4xf64>
    %got:5 = call @jax(%in0) : (tensor<2x3x4xf64>) -> (tensor<2x3x3xf64>, tensor<2x3xf64>, tensor<2x3x4xf64>, tensor<2x3x3xf64>, tensor<2x4x4xf64>)
    %want0 = stablehlo.constant dense<"0xC2583E5150D7DABFE48F671FA327EB3F152F6423E3A3D43F065D8228EBABE63FBCDECCA0A076B53F71652E875A6CE63FAB5753AEB129E23F5E9BD4B83CB7E03FCD064C59305DE4BF8C62351A0D10E03FD6C291409A00C03F052FE148C762EB3FFF40D5DA2F30E53F50F5144C1126E6BF1A4D5E645562D2BF2F7347B24CCEE1BF0F860E9941BFE6BF05C39F888888DB3F"> : tensor<2x3x3xf64>
    check.expect_almost_eq %got#0, %want0, tolerance = 8.600000e-13 : tensor<2x3x3xf64>
    %want1 = stablehlo.constant dense<"0x8F017EE465771140DE62EA177542FC3FAD93E2A10002D53FEFF42DCC841A1740E1694607DD310740F5D340D14B0BFA3F"> : tensor<2x3xf64>
    check.expect_almost_eq %got#1, %want1, tolerance = 5.800000e-12 : tensor<2x3xf64>
    %want2 = stablehlo.constant dense<"0x1656D71F9EA8D5BFE81B2A5410A8E23F1838FB355D98E13F41255E305E90DFBFA49D86EC0140DD3FB5710FE2A518DCBFEDA5DCCB7BBCE83FA0A915E902F39D3F7D6846FDEFE1E93F6700477477D2D83FAA2F08EC773BCFBF8B5089986396D7BFECAB40FA7079E23FEBC912631A00E73FE525729E82F5D7BFC14F980F2D83B93F50B03B00458FC13FEAF3409742D1DCBF2930EAE3CADEDCBFFF18C8289943E83F95ADB578F0E5E83F076F0DDF2E48D6BFBFD68BA680B0E03F4A5413A3D710A3BF"> : tensor<2x3x4xf64>
    check.expect_almost_eq %got#2, %want2, tolerance = 8.100000e-13 : tensor<2x3x4xf64>
    %want3 = stablehlo.constant dense<"0x000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : tensor<2x3x3xf64>
    check.expect_almost_eq %got#3, %want3, tolerance = 1.000000e-15 : tensor<2x3x3xf64>
    %want4 = stablehlo.constant dense<"0x00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : tensor<2x4x4xf64>
    check.expect_almost_eq %got#4, %want4, tolerance = 1.000000e-15 : tensor<2x4x4xf64>
    return
  }
  func.func private @jax(%arg0: tensor<2x3x4xf64>) -> (tensor<2x3x3xf64> {jax.result_info = "result[0]"}, tensor<2x3xf64> {jax.result_info = "result[1]"}, tensor<2x3x4xf64> {jax.result_info = "result[2]"}, tensor<2x3x3xf64> {jax.result_info = "result[3]"}, tensor<2x4x4xf64> {jax.result_info = "result[4]"}) {
    %0:3 = call @svd(%arg0) : (tensor<2x3x4xf64>) -> (tensor<2x3x3xf64>, tensor<2x3xf64>, tensor<2x3x4xf64>)
    %1 = stablehlo.transpose %0#2, dims = [0, 2, 1] : (tensor<2x3x4xf64>) -> tensor<2x4x3xf64>
    %2 = stablehlo.abs %1 : tensor<2x4x3xf64>
    %3 = call @argmax(%2) : (tensor<2x4x3xf64>) -> tensor<2x3xi64>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 2] : (tensor<2x3xi64>) -> tensor<2x1x3xi64>
    %5 = call @take_along_axis(%1, %4) : (tensor<2x4x3xf64>, tensor<2x1x3xi64>) -> tensor<2x1x3xf64>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2] : (tensor<2x1x3xf64>) -> tensor<2x4x3xf64>
    %7 = stablehlo.multiply %1, %6 : tensor<2x4x3xf64>
    %8 = stablehlo.abs %5 : tensor<2x1x3xf64>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<2x1x3xf64>) -> tensor<2x4x3xf64>
    %10 = stablehlo.divide %7, %9 : tensor<2x4x3xf64>
    %11 = stablehlo.transpose %0#2, dims = [0, 2, 1] : (tensor<2x3x4xf64>) -> tensor<2x4x3xf64>
    %12 = stablehlo.multiply %10, %11 : tensor<2x4x3xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %13 = stablehlo.reduce(%12 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<2x4x3xf64>, tensor<f64>) -> tensor<2x3xf64>
    %14 = stablehlo.slice %0#0 [0:2, 0:3, 3:3] : (tensor<2x3x3xf64>) -> tensor<2x3x0xf64>
    %15 = stablehlo.slice %0#2 [0:2, 3:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<2x0x4xf64>
    %16 = stablehlo.broadcast_in_dim %13, dims = [0, 2] : (tensor<2x3xf64>) -> tensor<2x1x3xf64>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2] : (tensor<2x1x3xf64>) -> tensor<2x3x3xf64>
    %18 = stablehlo.multiply %0#0, %17 : tensor<2x3x3xf64>
    %19 = stablehlo.broadcast_in_dim %13, dims = [0, 1] : (tensor<2x3xf64>) -> tensor<2x3x1xf64>
    %20 = stablehlo.broadcast_in_dim %19, dims = [0, 1, 2] : (tensor<2x3x1xf64>) -> tensor<2x3x4xf64>
    %21 = stablehlo.multiply %0#2, %20 : tensor<2x3x4xf64>
    %22 = stablehlo.transpose %14, dims = [0, 2, 1] : (tensor<2x3x0xf64>) -> tensor<2x0x3xf64>
    %23 = stablehlo.dot_general %14, %22, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x3x0xf64>, tensor<2x0x3xf64>) -> tensor<2x3x3xf64>
    %24 = stablehlo.transpose %15, dims = [0, 2, 1] : (tensor<2x0x4xf64>) -> tensor<2x4x0xf64>
    %25 = stablehlo.dot_general %24, %15, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x0xf64>, tensor<2x0x4xf64>) -> tensor<2x4x4xf64>
    return %18, %0#1, %21, %23, %25 : tensor<2x3x3xf64>, tensor<2x3xf64>, tensor<2x3x4xf64>, tensor<2x3x3xf64>, tensor<2x4x4xf64>
  }
  func.func private @svd(%arg0: tensor<2x3x4xf64>) -> (tensor<2x3x3xf64>, tensor<2x3xf64>, tensor<2x3x4xf64>) {
    %0:5 = stablehlo.custom_call @lapack_dgesdd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 83 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i, o, p], [i, q, r], [i]) {i=2, j=3, k=4, l=3, m=4, n=3, o=3, p=3, q=3, r=4}, custom>} : (tensor<2x3x4xf64>) -> (tensor<2x3x4xf64>, tensor<2x3xf64>, tensor<2x3x3xf64>, tensor<2x3x4xf64>, tensor<2xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %2 = stablehlo.compare EQ, %0#4, %1, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xi1>) -> tensor<2x1xi1>
    %cst = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2x3xf64>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<2x1xi1>) -> tensor<2x3xi1>
    %6 = stablehlo.select %5, %0#1, %4 : tensor<2x3xi1>, tensor<2x3xf64>
    %7 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %cst_0 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<2x3x3xf64>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x3x3xi1>
    %10 = stablehlo.select %9, %0#2, %8 : tensor<2x3x3xi1>, tensor<2x3x3xf64>
    %11 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %cst_1 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<2x3x4xf64>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x3x4xi1>
    %14 = stablehlo.select %13, %0#3, %12 : tensor<2x3x4xi1>, tensor<2x3x4xf64>
    return %10, %6, %14 : tensor<2x3x3xf64>, tensor<2x3xf64>, tensor<2x3x4xf64>
  }
  func.func private @argmax(%arg0: tensor<2x4x3xf64>) -> tensor<2x3xi64> {
    %0 = stablehlo.iota dim = 1 : tensor<2x4x3xi64>
    %cst = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<2x4x3xf64>, tensor<2x4x3xi64>, tensor<f64>, tensor<i64>) -> (tensor<2x3xf64>, tensor<2x3xi64>)
     reducer(%arg1: tensor<f64>, %arg3: tensor<f64>) (%arg2: tensor<i64>, %arg4: tensor<i64>)  {
      %2 = stablehlo.compare GT, %arg1, %arg3, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %3 = stablehlo.compare NE, %arg1, %arg1, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %4 = stablehlo.or %2, %3 : tensor<i1>
      %5 = stablehlo.compare EQ, %arg1, %arg3, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %6 = stablehlo.compare LT, %arg2, %arg4, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %7 = stablehlo.and %5, %6 : tensor<i1>
      %8 = stablehlo.or %4, %7 : tensor<i1>
      %9 = stablehlo.select %4, %arg1, %arg3 : tensor<i1>, tensor<f64>
      %10 = stablehlo.select %8, %arg2, %arg4 : tensor<i1>, tensor<i64>
      stablehlo.return %9, %10 : tensor<f64>, tensor<i64>
    }
    return %1#1 : tensor<2x3xi64>
  }
  func.func private @take_along_axis(%arg0: tensor<2x4x3xf64>, %arg1: tensor<2x1x3xi64>) -> tensor<2x1x3xf64> {
    %0 = stablehlo.convert %arg1 : (tensor<2x1x3xi64>) -> tensor<2x1x3xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2x1x3xi32>
    %2 = stablehlo.compare LT, %0, %1, SIGNED : (tensor<2x1x3xi32>, tensor<2x1x3xi32>) -> tensor<2x1x3xi1>
    %c_0 = stablehlo.constant dense<4> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2x1x3xi32>
    %4 = stablehlo.add %0, %3 : tensor<2x1x3xi32>
    %5 = stablehlo.select %2, %4, %0 : tensor<2x1x3xi1>, tensor<2x1x3xi32>
    %6 = stablehlo.reshape %5 : (tensor<2x1x3xi32>) -> tensor<2x1x3x1xi32>
    %c_1 = stablehlo.constant dense<3> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<2x1x3x1xi32>
    %8 = stablehlo.compare GE, %6, %7, SIGNED : (tensor<2x1x3x1xi32>, tensor<2x1x3x1xi32>) -> tensor<2x1x3x1xi1>
    %9 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<2x1x3x1xi32>
    %11 = stablehlo.compare LE, %6, %10, SIGNED : (tensor<2x1x3x1xi32>, tensor<2x1x3x1xi32>) -> tensor<2x1x3x1xi1>
    %12 = stablehlo.and %8, %11 : tensor<2x1x3x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %13 = stablehlo.reduce(%12 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<2x1x3x1xi1>, tensor<i1>) -> tensor<2x1x3xi1>
    %14 = "stablehlo.gather"(%arg0, %6) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0, 2], start_indices_batching_dims = [0, 2], start_index_map = [1], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<2x4x3xf64>, tensor<2x1x3x1xi32>) -> tensor<2x1x3xf64>
    %cst = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2x1x3xf64>
    %16 = stablehlo.select %13, %14, %15 : tensor<2x1x3xi1>, tensor<2x1x3xf64>
    return %16 : tensor<2x1x3xf64>
  }
}
