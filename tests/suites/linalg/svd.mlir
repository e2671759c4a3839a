// float32 [5, 3], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x2D0104405CDC5EBDAE50BD3F2D51853F9922984048B3DABF99429EBF43478B3F89B485403B40F2BEB28D36BF948E8EBFA0345B3F385BEDBFC7B5EBBF"> : tensor<5x3xf32>
    %got:5 = call @jax(%in0) : (tensor<5x3xf32>) -> (tensor<5x3xf32>, tensor<3xf32>, tensor<3x3xf32>, tensor<5x5xf32>, tensor<3x3xf32>)
    %want0 = stablehlo.constant dense<"0x04B7383E4FF4033D266A6D3F604CA9BE7A8D6A3F46CC1E3DCC81523F4A9F333E26070ABEDE403FBEF69412BE409881BE785AC4BE5B72A8BEBFBA723E"> : tensor<5x3xf32>
    check.expect_almost_eq %got#0, %want0, tolerance = 1.900000e-05 : tensor<5x3xf32>
    %want1 = stablehlo.constant dense<"0xBA7DAA407149A94095B92140"> : tensor<3xf32>
    check.expect_almost_eq %got#1, %want1, tolerance = 1.100000e-04 : tensor<3xf32>
    %want2 = stablehlo.constant dense<"0xF7376CBE1CC1F13C14FB783FA75AE43DDB667E3FFBF472BB6074773F7457DCBD111D6E3E"> : tensor<3x3xf32>
    check.expect_almost_eq %got#2, %want2, tolerance = 2.000000e-05 : tensor<3x3xf32>
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
    %6 = stablehlo.sign %5 : tensor<1x3xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<3x3xf32>
    %8 = stablehlo.multiply %1, %7 : tensor<3x3xf32>
    %9 = stablehlo.multiply %8, %1 : tensor<3x3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%9 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<3x3xf32>, tensor<f32>) -> tensor<3xf32>
    %11 = stablehlo.slice %0#0 [0:5, 3:3] : (tensor<5x3xf32>) -> tensor<5x0xf32>
    %12 = stablehlo.slice %0#2 [3:3, 0:3] : (tensor<3x3xf32>) -> tensor<0x3xf32>
    %13 = stablehlo.broadcast_in_dim %10, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<5x3xf32>
    %15 = stablehlo.multiply %0#0, %14 : tensor<5x3xf32>
    %16 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x3xf32>
    %18 = stablehlo.multiply %0#2, %17 : tensor<3x3xf32>
    %19 = stablehlo.transpose %11, dims = [1, 0] : (tensor<5x0xf32>) -> tensor<0x5xf32>
    %20 = stablehlo.dot_general %11, %19, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x0xf32>, tensor<0x5xf32>) -> tensor<5x5xf32>
    %21 = stablehlo.transpose %12, dims = [1, 0] : (tensor<0x3xf32>) -> tensor<3x0xf32>
    %22 = stablehlo.dot_general %21, %12, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x0xf32>, tensor<0x3xf32>) -> tensor<3x3xf32>
    return %15, %0#1, %18, %20, %22 : tensor<5x3xf32>, tensor<3xf32>, tensor<3x3xf32>, tensor<5x5xf32>, tensor<3x3xf32>
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
    %in0 = stablehlo.constant dense<"0xA4800AA8E5ECFD3F00664AAF4998F2BFF0506085CE99F03F0660B4134AF7F6BF88110B4B0B8AF0BF8000FA3B264A084080268FDA1FA7BF3FEADCF90AF257FC3FFE579A306848F6BF64594E06FBD5F3BFC70A27FC473510408A83C05B8B07F7BF76CAD3C61CB11140C4929EF1B1BBF8BFF033A906788BF0BF3C4D4E30EE5CE13F885E9AD707E5EC3FEC6CB60C362613407C7B7EAD40B3E3BF3848DF62BD3AD8BF3C668D17D87BE83FC80CCED22EB2FD3F7C91E11E091B0F4050E4E234C528DA3F"> : tensor<2x3x4xf64>
    %got:5 = call @jax(%in0) : (tensor<2x3x4xf64>) -> (tensor<2x3x3xf64>, tensor<2x3xf64>, tensor<2x3x4xf64>, tensor<2x3x3xf64>, tensor<2x4x4xf64>)
    %want0 = stablehlo.constant dense<"0xA201ED704AB9D93FE989BF54C987D83FECD2B3645F9CEA3F0CDBC8905580DEBF6C7320C84D03E6BFF21470216284E13FAADB5D131005E93FE12F926A16B9E3BF62837E54D104B8BF908B41724BF8DDBFDE54F791D301EC3F3E5C4DEF8409BF3F49ADDF4DEA93E63F9DA8BB6BD1FDDC3F5D9D9CAC5E70E1BF4BC3ABD13905E13F92FF685F4AB7C53F55B38638758CEA3F"> : tensor<2x3x3xf64>
    check.expect_almost_eq %got#0, %want0, tolerance = 8.800000e-13 : tensor<2x3x3xf64>
    %want1 = stablehlo.constant dense<"0xD18091DC33E21440879F1F1F75D60D40469123F85DDDF73F5C1A6326CE7516407BE232191864124078D54B15AB2A0E40"> : tensor<2x3xf64>
    check.expect_almost_eq %got#1, %want1, tolerance = 5.600000e-12 : tensor<2x3xf64>
    %want2 = stablehlo.constant dense<"0x20AA01ED14809E3F54CE508F56ACE1BF06FE8FFBF79CE53F3009D5907B37DFBF79F7166ABB9DE33F30263F8F1F5FDEBFADA17197C4BEE2BF84922573B841CEBFB9E1FBC43A08E83F204B1C2C416BE13F98D479D9119DD73FDAAF85E30382AEBFA05E0356206AC7BF734FEC7D3700ED3F397F1492E923D83FCB8475D981B3ABBF8DBD9A3055B1EE3F51A294B76F79CF3F0B0E40C78730BDBF23B06DEE01C1B43F12A2EF1FCD0BC73F9CEE50377C53D5BF0EBB61168028ED3F110B94374FBFC43F"> : tensor<2x3x4xf64>
    check.expect_almost_eq %got#2, %want2, tolerance = 9.600000e-13 : tensor<2x3x4xf64>
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
    %6 = stablehlo.sign %5 : tensor<2x1x3xf64>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1, 2] : (tensor<2x1x3xf64>) -> tensor<2x4x3xf64>
    %8 = stablehlo.multiply %1, %7 : tensor<2x4x3xf64>
    %9 = stablehlo.multiply %8, %1 : tensor<2x4x3xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %10 = stablehlo.reduce(%9 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<2x4x3xf64>, tensor<f64>) -> tensor<2x3xf64>
    %11 = stablehlo.slice %0#0 [0:2, 0:3, 3:3] : (tensor<2x3x3xf64>) -> tensor<2x3x0xf64>
    %12 = stablehlo.slice %0#2 [0:2, 3:3, 0:4] : (tensor<2x3x4xf64>) -> tensor<2x0x4xf64>
    %13 = stablehlo.broadcast_in_dim %10, dims = [0, 2] : (tensor<2x3xf64>) -> tensor<2x1x3xf64>
    %14 = stablehlo.broadcast_in_dim %13, dims = [0, 1, 2] : (tensor<2x1x3xf64>) -> tensor<2x3x3xf64>
    %15 = stablehlo.multiply %0#0, %14 : tensor<2x3x3xf64>
    %16 = stablehlo.broadcast_in_dim %10, dims = [0, 1] : (tensor<2x3xf64>) -> tensor<2x3x1xf64>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2] : (tensor<2x3x1xf64>) -> tensor<2x3x4xf64>
    %18 = stablehlo.multiply %0#2, %17 : tensor<2x3x4xf64>
    %19 = stablehlo.transpose %11, dims = [0, 2, 1] : (tensor<2x3x0xf64>) -> tensor<2x0x3xf64>
    %20 = stablehlo.dot_general %11, %19, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x3x0xf64>, tensor<2x0x3xf64>) -> tensor<2x3x3xf64>
    %21 = stablehlo.transpose %12, dims = [0, 2, 1] : (tensor<2x0x4xf64>) -> tensor<2x4x0xf64>
    %22 = stablehlo.dot_general %21, %12, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x0xf64>, tensor<2x0x4xf64>) -> tensor<2x4x4xf64>
    return %15, %0#1, %18, %20, %22 : tensor<2x3x3xf64>, tensor<2x3xf64>, tensor<2x3x4xf64>, tensor<2x3x3xf64>, tensor<2x4x4xf64>
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
// -----
// complex128 [2, 3, 4], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0xE4DD173DFAEC094056D39AEE35D9F03F00BED4A7C656BCBFB6C9F15048F0FC3F6A5CA51AE3BBF53F8A1C66463F66F33F20FEC593C70DF1BF48C2D798283CFBBFECD723D0A445E5BFC0E2F4C5C449AB3FF0DDB3E0010E1240B8699184EED0E13F0060BE2260BF6C3F3A8E64810ADFFD3FA2F35EFAE214FD3FF8E4FE7DF496DD3F8C5035CA85E4E83F80D12522C361D03F6C0107C0FE30FB3FAE037CA5C7E3F53F71EAE9F5B1B20640A8A62889E8CCFB3FB0311A327B34E2BFB0076F74863CC0BF220DCCD7AD1F0340A414DA22847AE13F745BF337B238FE3F82F706354C41F03F2250E9EA1EB7FABF608AA010CB94EA3F848C142F7FE4FF3F7E6968F9F075FB3FA441A7EE3494EC3F128100A46911F13F743A12C5EB7207400CCDF5F68915E63F0C6531465127F53F1074C7D60DD2E4BFA64F55A92D6AF83F3073D8A77D3DDBBF3CB419F4F3A4F53FDE725C64BD7BF7BF801FB6757D27BD3F6EB2C8505E74F9BF32D9A3A2A9C90A4014B835D532BFEF3F8066C9CD8541E43FBAF833271D1FFDBF"> : tensor<2x3x4xcomplex<f64>>
    %got:5 = call @jax(%in0) : (tensor<2x3x4xcomplex<f64>>) -> (tensor<2x3x3xcomplex<f64>>, tensor<2x3xf64>, tensor<2x3x4xcomplex<f64>>, tensor<2x3x3xcomplex<f64>>, tensor<2x4x4xcomplex<f64>>)
    %want0 = stablehlo.constant dense<"0x9E3003139C2DC73F9EA9C56969C7DD3F21D7B11EB05CE43F4C1947AE3DA5CB3FB016245A0919DDBF3E63029FD575D3BF501CF1419B26E33FD0C73396061BC93F31FAEF2AA375E5BFDFC7A6D99163C83F9508F182E996D3BF76ACCFA46FB0C3BF0093B92EC44AE03F858BD6087EB6D33F08113FDBB903CA3F75D7F32EF39AC23F501F37FB5194E73FDB1372B6B5C4C93F19AF0A9BA718E13F73492C7C197DD73FF53B866ADB67CEBF734236F3B7DFC8BFCE430FD69F88DD3F7E7ED48928B6E0BF468AB5F0B04ED83FCB16F24420697C3FD6430C43A973E03F4893EB19A6C6E5BF7F40DC8C52C5D5BFBD75247F67B9BC3F618C31A6B292CC3FD1D85EDFE4DFE3BFAC31D08F9CAED93FFFA38F297FE0C03F9DE1654DD29CE33FBEA7F3BD4B14BA3F"> : tensor<2x3x3xcomplex<f64>>
    check.expect_almost_eq %got#0, %want0, tolerance = 8.500000e-13 : tensor<2x3x3xcomplex<f64>>
    %want1 = stablehlo.constant dense<"0xF2647CE72D8F1840009B39D1A88814406F1C20CA9075FC3FF23214DB04801A40636F343C831B0C40ECFC221FF13AFB3F"> : tensor<2x3xf64>
    check.expect_almost_eq %got#1, %want1, tolerance = 6.600000e-12 : tensor<2x3xf64>
    %want2 = stablehlo.constant dense<"0x0BCEA106E145C83F646A067A0D5BCABFB93D40B5A0A2E93F5AE3882854D888BCA8BBB855AD75E03F22B1BC110ACEBD3F2146736E8E9096BFE80B6FB9AA39A23F9415D29BEF54E23F70A900F55EAA6BBCC4E9D9092DA3D9BF3CA7EC8A3A0176BF7ED5BF4CC1C8DC3F0CCCFBB469CAC4BFB6AF3E9FF5CEDCBF0E2EF1DE6E1BD2BF6D320D41FA83E1BF8931397DBB3ACE3F8B98DC11649ACFBF860F5AD1F906C83F09281D7FCCF9E43F906DB2E61E7472BCE8542EB2C027A4BF9A50AB151BE9D53FB83E51237758DD3F983EE316AA31A93F4FAB24A291F8E03F4C415C887DD79DBF7F792906B4CC793FFA92235500F6DD3F3004BC72331DE13F6C37340FE5AE8ABC08FF8E3EF48BC5BF04598DE3035DCA3FB43D5473C08CB03FE9DF1D909697E03F3E63661B90CBE93F9E99EC71DD7593BC172DB01B6D7CB43F1FBE521AD20971BFB96BB902BFB1E83FB8F405FCCC1E95BCA92F99DC1D3AD9BF2986AF472C99ACBFE19D364DA507D03F11B9E1CFF55FB6BF78694B8314A1C9BF28F837C89C8FD73F"> : tensor<2x3x4xcomplex<f64>>
    check.expect_almost_eq %got#2, %want2, tolerance = 8.100000e-13 : tensor<2x3x4xcomplex<f64>>
    %want3 = stablehlo.constant dense<"0x000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : tensor<2x3x3xcomplex<f64>>
    check.expect_almost_eq %got#3, %want3, tolerance = 1.000000e-15 : tensor<2x3x3xcomplex<f64>>
    %want4 = stablehlo.constant dense<"0x0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : tensor<2x4x4xcomplex<f64>>
    check.expect_almost_eq %got#4, %want4, tolerance = 1.000000e-15 : tensor<2x4x4xcomplex<f64>>
    return
  }
  func.func private @jax(%arg0: tensor<2x3x4xcomplex<f64>>) -> (tensor<2x3x3xcomplex<f64>> {jax.result_info = "result[0]"}, tensor<2x3xf64> {jax.result_info = "result[1]"}, tensor<2x3x4xcomplex<f64>> {jax.result_info = "result[2]"}, tensor<2x3x3xcomplex<f64>> {jax.result_info = "result[3]"}, tensor<2x4x4xcomplex<f64>> {jax.result_info = "result[4]"}) {
    %0:3 = call @svd(%arg0) : (tensor<2x3x4xcomplex<f64>>) -> (tensor<2x3x3xcomplex<f64>>, tensor<2x3xf64>, tensor<2x3x4xcomplex<f64>>)
    %1 = stablehlo.transpose %0#2, dims = [0, 2, 1] : (tensor<2x3x4xcomplex<f64>>) -> tensor<2x4x3xcomplex<f64>>
    %2 = stablehlo.real %1 : (tensor<2x4x3xcomplex<f64>>) -> tensor<2x4x3xf64>
    %3 = stablehlo.real %1 : (tensor<2x4x3xcomplex<f64>>) -> tensor<2x4x3xf64>
    %4 = stablehlo.multiply %2, %3 : tensor<2x4x3xf64>
    %5 = stablehlo.imag %1 : (tensor<2x4x3xcomplex<f64>>) -> tensor<2x4x3xf64>
    %6 = stablehlo.imag %1 : (tensor<2x4x3xcomplex<f64>>) -> tensor<2x4x3xf64>
    %7 = stablehlo.multiply %5, %6 : tensor<2x4x3xf64>
    %8 = stablehlo.add %4, %7 : tensor<2x4x3xf64>
    %9 = call @argmax(%8) : (tensor<2x4x3xf64>) -> tensor<2x3xi64>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 2] : (tensor<2x3xi64>) -> tensor<2x1x3xi64>
    %11 = call @take_along_axis(%1, %10) : (tensor<2x4x3xcomplex<f64>>, tensor<2x1x3xi64>) -> tensor<2x1x3xcomplex<f64>>
    %12 = stablehlo.real %11 : (tensor<2x1x3xcomplex<f64>>) -> tensor<2x1x3xf64>
    %13 = stablehlo.imag %11 : (tensor<2x1x3xcomplex<f64>>) -> tensor<2x1x3xf64>
    %14 = stablehlo.negate %13 : tensor<2x1x3xf64>
    %15 = stablehlo.complex %12, %14 : tensor<2x1x3xcomplex<f64>>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1, 2] : (tensor<2x1x3xcomplex<f64>>) -> tensor<2x4x3xcomplex<f64>>
    %17 = stablehlo.multiply %1, %16 : tensor<2x4x3xcomplex<f64>>
    %18 = stablehlo.real %11 : (tensor<2x1x3xcomplex<f64>>) -> tensor<2x1x3xf64>
    %19 = stablehlo.real %11 : (tensor<2x1x3xcomplex<f64>>) -> tensor<2x1x3xf64>
    %20 = stablehlo.multiply %18, %19 : tensor<2x1x3xf64>
    %21 = stablehlo.imag %11 : (tensor<2x1x3xcomplex<f64>>) -> tensor<2x1x3xf64>
    %22 = stablehlo.imag %11 : (tensor<2x1x3xcomplex<f64>>) -> tensor<2x1x3xf64>
    %23 = stablehlo.multiply %21, %22 : tensor<2x1x3xf64>
    %24 = stablehlo.add %20, %23 : tensor<2x1x3xf64>
    %25 = stablehlo.sqrt %24 : tensor<2x1x3xf64>
    %26 = stablehlo.convert %25 : (tensor<2x1x3xf64>) -> tensor<2x1x3xcomplex<f64>>
    %27 = stablehlo.broadcast_in_dim %26, dims = [0, 1, 2] : (tensor<2x1x3xcomplex<f64>>) -> tensor<2x4x3xcomplex<f64>>
    %28 = stablehlo.divide %17, %27 : tensor<2x4x3xcomplex<f64>>
    %29 = stablehlo.real %1 : (tensor<2x4x3xcomplex<f64>>) -> tensor<2x4x3xf64>
    %30 = stablehlo.imag %1 : (tensor<2x4x3xcomplex<f64>>) -> tensor<2x4x3xf64>
    %31 = stablehlo.negate %30 : tensor<2x4x3xf64>
    %32 = stablehlo.complex %29, %31 : tensor<2x4x3xcomplex<f64>>
    %33 = stablehlo.multiply %28, %32 : tensor<2x4x3xcomplex<f64>>
    %cst = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f64>>
    %34 = stablehlo.reduce(%33 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<2x4x3xcomplex<f64>>, tensor<complex<f64>>) -> tensor<2x3xcomplex<f64>>
    %35 = stablehlo.slice %0#0 [0:2, 0:3, 3:3] : (tensor<2x3x3xcomplex<f64>>) -> tensor<2x3x0xcomplex<f64>>
    %36 = stablehlo.slice %0#2 [0:2, 3:3, 0:4] : (tensor<2x3x4xcomplex<f64>>) -> tensor<2x0x4xcomplex<f64>>
    %37 = stablehlo.real %34 : (tensor<2x3xcomplex<f64>>) -> tensor<2x3xf64>
    %38 = stablehlo.imag %34 : (tensor<2x3xcomplex<f64>>) -> tensor<2x3xf64>
    %39 = stablehlo.negate %38 : tensor<2x3xf64>
    %40 = stablehlo.complex %37, %39 : tensor<2x3xcomplex<f64>>
    %41 = stablehlo.broadcast_in_dim %40, dims = [0, 2] : (tensor<2x3xcomplex<f64>>) -> tensor<2x1x3xcomplex<f64>>
    %42 = stablehlo.broadcast_in_dim %41, dims = [0, 1, 2] : (tensor<2x1x3xcomplex<f64>>) -> tensor<2x3x3xcomplex<f64>>
    %43 = stablehlo.multiply %0#0, %42 : tensor<2x3x3xcomplex<f64>>
    %44 = stablehlo.broadcast_in_dim %34, dims = [0, 1] : (tensor<2x3xcomplex<f64>>) -> tensor<2x3x1xcomplex<f64>>
    %45 = stablehlo.broadcast_in_dim %44, dims = [0, 1, 2] : (tensor<2x3x1xcomplex<f64>>) -> tensor<2x3x4xcomplex<f64>>
    %46 = stablehlo.multiply %0#2, %45 : tensor<2x3x4xcomplex<f64>>
    %47 = stablehlo.transpose %35, dims = [0, 2, 1] : (tensor<2x3x0xcomplex<f64>>) -> tensor<2x0x3xcomplex<f64>>
    %48 = stablehlo.real %47 : (tensor<2x0x3xcomplex<f64>>) -> tensor<2x0x3xf64>
    %49 = stablehlo.imag %47 : (tensor<2x0x3xcomplex<f64>>) -> tensor<2x0x3xf64>
    %50 = stablehlo.negate %49 : tensor<2x0x3xf64>
    %51 = stablehlo.complex %48, %50 : tensor<2x0x3xcomplex<f64>>
    %52 = stablehlo.dot_general %35, %51, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x3x0xcomplex<f64>>, tensor<2x0x3xcomplex<f64>>) -> tensor<2x3x3xcomplex<f64>>
    %53 = stablehlo.transpose %36, dims = [0, 2, 1] : (tensor<2x0x4xcomplex<f64>>) -> tensor<2x4x0xcomplex<f64>>
    %54 = stablehlo.real %53 : (tensor<2x4x0xcomplex<f64>>) -> tensor<2x4x0xf64>
    %55 = stablehlo.imag %53 : (tensor<2x4x0xcomplex<f64>>) -> tensor<2x4x0xf64>
    %56 = stablehlo.negate %55 : tensor<2x4x0xf64>
    %57 = stablehlo.complex %54, %56 : tensor<2x4x0xcomplex<f64>>
    %58 = stablehlo.dot_general %57, %36, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x0xcomplex<f64>>, tensor<2x0x4xcomplex<f64>>) -> tensor<2x4x4xcomplex<f64>>
    return %43, %0#1, %46, %52, %58 : tensor<2x3x3xcomplex<f64>>, tensor<2x3xf64>, tensor<2x3x4xcomplex<f64>>, tensor<2x3x3xcomplex<f64>>, tensor<2x4x4xcomplex<f64>>
  }
  func.func private @svd(%arg0: tensor<2x3x4xcomplex<f64>>) -> (tensor<2x3x3xcomplex<f64>>, tensor<2x3xf64>, tensor<2x3x4xcomplex<f64>>) {
    %0:5 = stablehlo.custom_call @lapack_zgesdd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 83 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i, o, p], [i, q, r], [i]) {i=2, j=3, k=4, l=3, m=4, n=3, o=3, p=3, q=3, r=4}, custom>} : (tensor<2x3x4xcomplex<f64>>) -> (tensor<2x3x4xcomplex<f64>>, tensor<2x3xf64>, tensor<2x3x3xcomplex<f64>>, tensor<2x3x4xcomplex<f64>>, tensor<2xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %2 = stablehlo.compare EQ, %0#4, %1, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xi1>) -> tensor<2x1xi1>
    %cst = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2x3xf64>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<2x1xi1>) -> tensor<2x3xi1>
    %6 = stablehlo.select %5, %0#1, %4 : tensor<2x3xi1>, tensor<2x3xf64>
    %7 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %cst_0 = stablehlo.constant dense<(0x7FF8000000000000,0x7FF8000000000000)> : tensor<complex<f64>>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f64>>) -> tensor<2x3x3xcomplex<f64>>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x3x3xi1>
    %10 = stablehlo.select %9, %0#2, %8 : tensor<2x3x3xi1>, tensor<2x3x3xcomplex<f64>>
    %11 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %cst_1 = stablehlo.constant dense<(0x7FF8000000000000,0x7FF8000000000000)> : tensor<complex<f64>>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<complex<f64>>) -> tensor<2x3x4xcomplex<f64>>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x3x4xi1>
    %14 = stablehlo.select %13, %0#3, %12 : tensor<2x3x4xi1>, tensor<2x3x4xcomplex<f64>>
    return %10, %6, %14 : tensor<2x3x3xcomplex<f64>>, tensor<2x3xf64>, tensor<2x3x4xcomplex<f64>>
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
  func.func private @take_along_axis(%arg0: tensor<2x4x3xcomplex<f64>>, %arg1: tensor<2x1x3xi64>) -> tensor<2x1x3xcomplex<f64>> {
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
    %14 = "stablehlo.gather"(%arg0, %6) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0, 2], start_indices_batching_dims = [0, 2], start_index_map = [1], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<2x4x3xcomplex<f64>>, tensor<2x1x3x1xi32>) -> tensor<2x1x3xcomplex<f64>>
    %cst = stablehlo.constant dense<(0x7FF8000000000000,0.000000e+00)> : tensor<complex<f64>>
    %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f64>>) -> tensor<2x1x3xcomplex<f64>>
    %16 = stablehlo.select %13, %14, %15 : tensor<2x1x3xi1>, tensor<2x1x3xcomplex<f64>>
    return %16 : tensor<2x1x3xcomplex<f64>>
  }
}
