// float32 [4, 4], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x8962F03FBF5C6C3F1EA78A3E5C87853FC970CFBF783C6640307EDCBE10BD00BCD9BDD93F0575F03FD6AF54408D201ABF8747D43E7817B03F4BF2443F648F8540"> : tensor<4x4xf32>
    %got:2 = call @jax(%in0) : (tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4x4xf32>)
    %want0 = stablehlo.constant dense<"0xC6DD813F0D8F544041466B4016BC9E40"> : tensor<4xf32>
    check.expect_almost_eq %got#0, %want0, tolerance = 9.900000e-05 : tensor<4xf32>
    %want1 = stablehlo.constant dense<"0xF621513F3EC305BFC4420F3D9A72773E483E973E9925393FF470B53E1E8F033F3A96DDBE2490E2BEBB9D2B3F7488D13E16C376BEF86DB8BD64A726BF6DD3363F"> : tensor<4x4xf32>
    check.expect_almost_eq %got#1, %want1, tolerance = 1.600000e-05 : tensor<4x4xf32>
    return
  }
  func.func private @jax(%arg0: tensor<4x4xf32>) -> (tensor<4xf32> {jax.result_info = "result[0]"}, tensor<4x4xf32> {jax.result_info = "result[1]"}) {
    %0:2 = call @eigh(%arg0) : (tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4x4xf32>)
    %1 = stablehlo.abs %0#1 : tensor<4x4xf32>
    %2 = call @argmax(%1) : (tensor<4x4xf32>) -> tensor<4xi64>
    %3 = stablehlo.broadcast_in_dim %2, dims = [1] : (tensor<4xi64>) -> tensor<1x4xi64>
    %4 = call @take_along_axis(%0#1, %3) : (tensor<4x4xf32>, tensor<1x4xi64>) -> tensor<1x4xf32>
    %5 = stablehlo.sign %4 : tensor<1x4xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<1x4xf32>) -> tensor<4x4xf32>
    %7 = stablehlo.multiply %0#1, %6 : tensor<4x4xf32>
    return %0#0, %7 : tensor<4xf32>, tensor<4x4xf32>
  }
  func.func private @eigh(%arg0: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4x4xf32>) {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %1 = stablehlo.add %arg0, %0 : tensor<4x4xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %3 = stablehlo.divide %1, %2 : tensor<4x4xf32>
    %4:3 = stablehlo.custom_call @lapack_ssyevd_ffi(%3) {backend_config = "", mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], []) {i=4, j=4, k=4, l=4, m=4}, custom>} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>, tensor<i32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %6 = stablehlo.compare EQ, %4#2, %5, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst_0 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<4x4xi1>
    %10 = stablehlo.select %9, %4#0, %8 : tensor<4x4xi1>, tensor<4x4xf32>
    %11 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0] : (tensor<1xi1>) -> tensor<4xi1>
    %14 = stablehlo.select %13, %4#1, %12 : tensor<4xi1>, tensor<4xf32>
    return %14, %10 : tensor<4xf32>, tensor<4x4xf32>
  }
  func.func private @argmax(%arg0: tensor<4x4xf32>) -> tensor<4xi64> {
    %0 = stablehlo.iota dim = 0 : tensor<4x4xi64>
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [0] : (tensor<4x4xf32>, tensor<4x4xi64>, tensor<f32>, tensor<i64>) -> (tensor<4xf32>, tensor<4xi64>)
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
    return %1#1 : tensor<4xi64>
  }
  func.func private @take_along_axis(%arg0: tensor<4x4xf32>, %arg1: tensor<1x4xi64>) -> tensor<1x4xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<1x4xi64>) -> tensor<1x4xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<1x4xi32>
    %2 = stablehlo.compare LT, %0, %1, SIGNED : (tensor<1x4xi32>, tensor<1x4xi32>) -> tensor<1x4xi1>
    %c_0 = stablehlo.constant dense<4> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<1x4xi32>
    %4 = stablehlo.add %0, %3 : tensor<1x4xi32>
    %5 = stablehlo.select %2, %4, %0 : tensor<1x4xi1>, tensor<1x4xi32>
    %6 = stablehlo.reshape %5 : (tensor<1x4xi32>) -> tensor<1x4x1xi32>
    %c_1 = stablehlo.constant dense<3> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<1x4x1xi32>
    %8 = stablehlo.compare GE, %6, %7, SIGNED : (tensor<1x4x1xi32>, tensor<1x4x1xi32>) -> tensor<1x4x1xi1>
    %9 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<1x4x1xi32>
    %11 = stablehlo.compare LE, %6, %10, SIGNED : (tensor<1x4x1xi32>, tensor<1x4x1xi32>) -> tensor<1x4x1xi1>
    %12 = stablehlo.and %8, %11 : tensor<1x4x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %13 = stablehlo.reduce(%12 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<1x4x1xi1>, tensor<i1>) -> tensor<1x4xi1>
    %14 = "stablehlo.gather"(%arg0, %6) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0], operand_batching_dims = [1], start_indices_batching_dims = [1], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x4xf32>, tensor<1x4x1xi32>) -> tensor<1x4xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<1x4xf32>
    %16 = stablehlo.select %13, %14, %15 : tensor<1x4xi1>, tensor<1x4xf32>
    return %16 : tensor<1x4xf32>
  }
}
// -----
// float64 [2, 3, 3], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x24F5182A8566F73F928C583CA5F1F7BF90902697E0A2DBBFD89FE2F0EC51E93FA65A4761C7B5134090BDFF0789E6D4BF7CEF5DFFBF0DF7BF9C0B2D24EA08FDBF467E145C87091140812561E07BDE104030E0C697D24DD9BF94B21FB300A1E8BFB8616C145BC2D2BF6809CEAE6B0DFB3F96AAC623EEBBFA3FEE005A964963FBBFE877B385BA3EE93FE839AD56C4700740"> : tensor<2x3x3xf64>
    %got:2 = call @jax(%in0) : (tensor<2x3x3xf64>) -> (tensor<2x3xf64>, tensor<2x3x3xf64>)
    %want0 = stablehlo.constant dense<"0x9E6EEF4032FDF03F3BFB3A272DD40E40EDBC08E48CEF16406B9D23DFED64EC3FC9EE17AF06B90540BED9FAE317F11440"> : tensor<2x3xf64>
    check.expect_almost_eq %got#0, %want0, tolerance = 5.700000e-12 : tensor<2x3xf64>
    %want1 = stablehlo.constant dense<"0xCB2C6686E1ABED3F7D6F5588C48BD7BF589A55786DE5B13FAA5E776ED78AC63F51C97090EDFAE23F4F51E6E5B323E93FC2872E7ECF26D53F8E691BF587EAE63F34BBA30022ACE3BFBB81A2D33748C0BF01BF3ECDED9FE33FDE5E7AAA2AF2E83F50520A13ED09EA3FC0AACAA23D72E03FD080A313E560D1BFC7D642675526E2BF1659103B8A31E33FBCCC17B9960FE2BF"> : tensor<2x3x3xf64>
    check.expect_almost_eq %got#1, %want1, tolerance = 9.300000e-13 : tensor<2x3x3xf64>
    return
  }
  func.func private @jax(%arg0: tensor<2x3x3xf64>) -> (tensor<2x3xf64> {jax.result_info = "result[0]"}, tensor<2x3x3xf64> {jax.result_info = "result[1]"}) {
    %0:2 = call @eigh(%arg0) : (tensor<2x3x3xf64>) -> (tensor<2x3xf64>, tensor<2x3x3xf64>)
    %1 = stablehlo.abs %0#1 : tensor<2x3x3xf64>
    %2 = call @argmax(%1) : (tensor<2x3x3xf64>) -> tensor<2x3xi64>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 2] : (tensor<2x3xi64>) -> tensor<2x1x3xi64>
    %4 = call @take_along_axis(%0#1, %3) : (tensor<2x3x3xf64>, tensor<2x1x3xi64>) -> tensor<2x1x3xf64>
    %5 = stablehlo.sign %4 : tensor<2x1x3xf64>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2] : (tensor<2x1x3xf64>) -> tensor<2x3x3xf64>
    %7 = stablehlo.multiply %0#1, %6 : tensor<2x3x3xf64>
    return %0#0, %7 : tensor<2x3xf64>, tensor<2x3x3xf64>
  }
  func.func private @eigh(%arg0: tensor<2x3x3xf64>) -> (tensor<2x3xf64>, tensor<2x3x3xf64>) {
    %0 = stablehlo.transpose %arg0, dims = [0, 2, 1] : (tensor<2x3x3xf64>) -> tensor<2x3x3xf64>
    %1 = stablehlo.add %arg0, %0 : tensor<2x3x3xf64>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2x3x3xf64>
    %3 = stablehlo.divide %1, %2 : tensor<2x3x3xf64>
    %4:3 = stablehlo.custom_call @lapack_dsyevd_ffi(%3) {backend_config = "", mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i]) {i=2, j=3, k=3, l=3, m=3, n=3}, custom>} : (tensor<2x3x3xf64>) -> (tensor<2x3x3xf64>, tensor<2x3xf64>, tensor<2xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %6 = stablehlo.compare EQ, %4#2, %5, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %cst_0 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<2x3x3xf64>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x3x3xi1>
    %10 = stablehlo.select %9, %4#0, %8 : tensor<2x3x3xi1>, tensor<2x3x3xf64>
    %11 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<2xi1>) -> tensor<2x1xi1>
    %cst_1 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<2x3xf64>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<2x1xi1>) -> tensor<2x3xi1>
    %14 = stablehlo.select %13, %4#1, %12 : tensor<2x3xi1>, tensor<2x3xf64>
    return %14, %10 : tensor<2x3xf64>, tensor<2x3x3xf64>
  }
  func.func private @argmax(%arg0: tensor<2x3x3xf64>) -> tensor<2x3xi64> {
    %0 = stablehlo.iota dim = 1 : tensor<2x3x3xi64>
    %cst = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<2x3x3xf64>, tensor<2x3x3xi64>, tensor<f64>, tensor<i64>) -> (tensor<2x3xf64>, tensor<2x3xi64>)
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
  func.func private @take_along_axis(%arg0: tensor<2x3x3xf64>, %arg1: tensor<2x1x3xi64>) -> tensor<2x1x3xf64> {
    %0 = stablehlo.convert %arg1 : (tensor<2x1x3xi64>) -> tensor<2x1x3xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2x1x3xi32>
    %2 = stablehlo.compare LT, %0, %1, SIGNED : (tensor<2x1x3xi32>, tensor<2x1x3xi32>) -> tensor<2x1x3xi1>
    %c_0 = stablehlo.constant dense<3> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2x1x3xi32>
    %4 = stablehlo.add %0, %3 : tensor<2x1x3xi32>
    %5 = stablehlo.select %2, %4, %0 : tensor<2x1x3xi1>, tensor<2x1x3xi32>
    %6 = stablehlo.reshape %5 : (tensor<2x1x3xi32>) -> tensor<2x1x3x1xi32>
    %c_1 = stablehlo.constant dense<2> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<2x1x3x1xi32>
    %8 = stablehlo.compare GE, %6, %7, SIGNED : (tensor<2x1x3x1xi32>, tensor<2x1x3x1xi32>) -> tensor<2x1x3x1xi1>
    %9 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<2x1x3x1xi32>
    %11 = stablehlo.compare LE, %6, %10, SIGNED : (tensor<2x1x3x1xi32>, tensor<2x1x3x1xi32>) -> tensor<2x1x3x1xi1>
    %12 = stablehlo.and %8, %11 : tensor<2x1x3x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %13 = stablehlo.reduce(%12 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<2x1x3x1xi1>, tensor<i1>) -> tensor<2x1x3xi1>
    %14 = "stablehlo.gather"(%arg0, %6) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0, 2], start_indices_batching_dims = [0, 2], start_index_map = [1], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<2x3x3xf64>, tensor<2x1x3x1xi32>) -> tensor<2x1x3xf64>
    %cst = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2x1x3xf64>
    %16 = stablehlo.select %13, %14, %15 : tensor<2x1x3xi1>, tensor<2x1x3xf64>
    return %16 : tensor<2x1x3xf64>
  }
}
// -----
// complex128 [2, 3, 3], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0xC849BACB04841240A411534769D5ED3F583C5269C435DE3F128FA62E75A0F2BF146D21F819C4F3BFE2243705551BF13FE86E630D617AEBBF20FF40041EF9B8BF9968A29B4BAD0C40F867EDDEF11AEEBFA09273C5F3A9FEBF00B77A8BD33598BFDE50AAC3510DF73F9C223632716BF5BF4AC9D6BDC2DFF43F00FF0AC8E408AB3F0045533EB6730340E895F3F5E54ADFBF91C500460247064010376F5FA510F2BF40BD6C1782F5A33F6CC6FEB8CE78EB3FE0E28D34F949C3BF18505930E503DA3F0013FF6A921EB83F0A7FD0D04051F9BFA5BC4A1E328111409883719A8EFCE23FE06349FD6BB9C4BF0871C6B8CBE7EDBF708DDA644BFAD0BFD0641F2D92F9CCBFAE53975BDAD1FA3F205D9D0C376AEA3F13DC14181E121240F0FF2C36D9E9DABF"> : tensor<2x3x3xcomplex<f64>>
    %got:2 = call @jax(%in0) : (tensor<2x3x3xcomplex<f64>>) -> (tensor<2x3xf64>, tensor<2x3x3xcomplex<f64>>)
    %want0 = stablehlo.constant dense<"0x01392F4FDD4FFE3F5628E8BA64DE0A402B3E75075C911540E75480CD5223FF3F78F1162BD0A80E40896D749094991740"> : tensor<2x3xf64>
    check.expect_almost_eq %got#0, %want0, tolerance = 5.900000e-12 : tensor<2x3xf64>
    %want1 = stablehlo.constant dense<"0x1F7F5FD7996A9DBFFB3DE1FC896DD9BF3752791B9C72B73FE47EFD0D529DD33F6E2E83E44482EB3F0000000000000000A1BB4CA99E0DA33F8BB7603DFD0890BF36492DE7171FEE3FC905BD03B09B43BCF8A878108135BBBF007BD496D857D43F30E7B599B352ED3FF0D1C79888C5393C034A902E94F7B83FC1DA68584CA6A7BFAC2A09450FCAA23FD6320D108990D8BFD974ECEDF2F0E93F00000000000000002F7B0C86ECEADBBF24BC24B22549CFBF6EA494D7692EAEBFA78DF026CF20D33F40150ED0BAB5B9BF1E66DDF8A94FE03F72CD8A89FA4BDABFCC40F77EC232CD3F40A67040D9D5E63F4223347415962CBC4E091FA19240D13F50CB5ABEA85890BF0466E513E046E73FF68E0F43A1384B3C021FA7D985F6DD3F3A09181E920FDB3F"> : tensor<2x3x3xcomplex<f64>>
    check.expect_almost_eq %got#1, %want1, tolerance = 9.400000e-13 : tensor<2x3x3xcomplex<f64>>
    return
  }
  func.func private @jax(%arg0: tensor<2x3x3xcomplex<f64>>) -> (tensor<2x3xf64> {jax.result_info = "result[0]"}, tensor<2x3x3xcomplex<f64>> {jax.result_info = "result[1]"}) {
    %0:2 = call @eigh(%arg0) : (tensor<2x3x3xcomplex<f64>>) -> (tensor<2x3xf64>, tensor<2x3x3xcomplex<f64>>)
    %1 = stablehlo.real %0#1 : (tensor<2x3x3xcomplex<f64>>) -> tensor<2x3x3xf64>
    %2 = stablehlo.real %0#1 : (tensor<2x3x3xcomplex<f64>>) -> tensor<2x3x3xf64>
    %3 = stablehlo.multiply %1, %2 : tensor<2x3x3xf64>
    %4 = stablehlo.imag %0#1 : (tensor<2x3x3xcomplex<f64>>) -> tensor<2x3x3xf64>
    %5 = stablehlo.imag %0#1 : (tensor<2x3x3xcomplex<f64>>) -> tensor<2x3x3xf64>
    %6 = stablehlo.multiply %4, %5 : tensor<2x3x3xf64>
    %7 = stablehlo.add %3, %6 : tensor<2x3x3xf64>
    %8 = call @argmax(%7) : (tensor<2x3x3xf64>) -> tensor<2x3xi64>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 2] : (tensor<2x3xi64>) -> tensor<2x1x3xi64>
    %10 = call @take_along_axis(%0#1, %9) : (tensor<2x3x3xcomplex<f64>>, tensor<2x1x3xi64>) -> tensor<2x1x3xcomplex<f64>>
    %11 = stablehlo.real %10 : (tensor<2x1x3xcomplex<f64>>) -> tensor<2x1x3xf64>
    %12 = stablehlo.imag %10 : (tensor<2x1x3xcomplex<f64>>) -> tensor<2x1x3xf64>
    %13 = stablehlo.negate %12 : tensor<2x1x3xf64>
    %14 = stablehlo.complex %11, %13 : tensor<2x1x3xcomplex<f64>>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<2x1x3xcomplex<f64>>) -> tensor<2x3x3xcomplex<f64>>
    %16 = stablehlo.multiply %0#1, %15 : tensor<2x3x3xcomplex<f64>>
    %17 = stablehlo.real %10 : (tensor<2x1x3xcomplex<f64>>) -> tensor<2x1x3xf64>
    %18 = stablehlo.real %10 : (tensor<2x1x3xcomplex<f64>>) -> tensor<2x1x3xf64>
    %19 = stablehlo.multiply %17, %18 : tensor<2x1x3xf64>
    %20 = stablehlo.imag %10 : (tensor<2x1x3xcomplex<f64>>) -> tensor<2x1x3xf64>
    %21 = stablehlo.imag %10 : (tensor<2x1x3xcomplex<f64>>) -> tensor<2x1x3xf64>
    %22 = stablehlo.multiply %20, %21 : tensor<2x1x3xf64>
    %23 = stablehlo.add %19, %22 : tensor<2x1x3xf64>
    %24 = stablehlo.sqrt %23 : tensor<2x1x3xf64>
    %25 = stablehlo.convert %24 : (tensor<2x1x3xf64>) -> tensor<2x1x3xcomplex<f64>>
    %26 = stablehlo.broadcast_in_dim %25, dims = [0, 1, 2] : (tensor<2x1x3xcomplex<f64>>) -> tensor<2x3x3xcomplex<f64>>
    %27 = stablehlo.divide %16, %26 : tensor<2x3x3xcomplex<f64>>
    return %0#0, %27 : tensor<2x3xf64>, tensor<2x3x3xcomplex<f64>>
  }
  func.func private @eigh(%arg0: tensor<2x3x3xcomplex<f64>>) -> (tensor<2x3xf64>, tensor<2x3x3xcomplex<f64>>) {
    %0 = stablehlo.transpose %arg0, dims = [0, 2, 1] : (tensor<2x3x3xcomplex<f64>>) -> tensor<2x3x3xcomplex<f64>>
    %1 = stablehlo.real %0 : (tensor<2x3x3xcomplex<f64>>) -> tensor<2x3x3xf64>
    %2 = stablehlo.imag %0 : (tensor<2x3x3xcomplex<f64>>) -> tensor<2x3x3xf64>
    %3 = stablehlo.negate %2 : tensor<2x3x3xf64>
    %4 = stablehlo.complex %1, %3 : tensor<2x3x3xcomplex<f64>>
    %5 = stablehlo.add %arg0, %4 : tensor<2x3x3xcomplex<f64>>
    %cst = stablehlo.constant dense<(2.000000e+00,0.000000e+00)> : tensor<complex<f64>>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f64>>) -> tensor<2x3x3xcomplex<f64>>
    %7 = stablehlo.divide %5, %6 : tensor<2x3x3xcomplex<f64>>
    %8:3 = stablehlo.custom_call @lapack_zheevd_ffi(%7) {backend_config = "", mhlo.backend_config = {mode = 86 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i]) {i=2, j=3, k=3, l=3, m=3, n=3}, custom>} : (tensor<2x3x3xcomplex<f64>>) -> (tensor<2x3x3xcomplex<f64>>, tensor<2x3xf64>, tensor<2xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %10 = stablehlo.compare EQ, %8#2, %9, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %cst_0 = stablehlo.constant dense<(0x7FF8000000000000,0x7FF8000000000000)> : tensor<complex<f64>>
    %12 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<complex<f64>>) -> tensor<2x3x3xcomplex<f64>>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x3x3xi1>
    %14 = stablehlo.select %13, %8#0, %12 : tensor<2x3x3xi1>, tensor<2x3x3xcomplex<f64>>
    %15 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<2xi1>) -> tensor<2x1xi1>
    %cst_1 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %16 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<2x3xf64>
    %17 = stablehlo.broadcast_in_dim %15, dims = [0, 1] : (tensor<2x1xi1>) -> tensor<2x3xi1>
    %18 = stablehlo.select %17, %8#1, %16 : tensor<2x3xi1>, tensor<2x3xf64>
    return %18, %14 : tensor<2x3xf64>, tensor<2x3x3xcomplex<f64>>
  }
  func.func private @argmax(%arg0: tensor<2x3x3xf64>) -> tensor<2x3xi64> {
    %0 = stablehlo.iota dim = 1 : tensor<2x3x3xi64>
    %cst = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1:2 = stablehlo.reduce(%arg0 init: %cst), (%0 init: %c) across dimensions = [1] : (tensor<2x3x3xf64>, tensor<2x3x3xi64>, tensor<f64>, tensor<i64>) -> (tensor<2x3xf64>, tensor<2x3xi64>)
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
  func.func private @take_along_axis(%arg0: tensor<2x3x3xcomplex<f64>>, %arg1: tensor<2x1x3xi64>) -> tensor<2x1x3xcomplex<f64>> {
    %0 = stablehlo.convert %arg1 : (tensor<2x1x3xi64>) -> tensor<2x1x3xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2x1x3xi32>
    %2 = stablehlo.compare LT, %0, %1, SIGNED : (tensor<2x1x3xi32>, tensor<2x1x3xi32>) -> tensor<2x1x3xi1>
    %c_0 = stablehlo.constant dense<3> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2x1x3xi32>
    %4 = stablehlo.add %0, %3 : tensor<2x1x3xi32>
    %5 = stablehlo.select %2, %4, %0 : tensor<2x1x3xi1>, tensor<2x1x3xi32>
    %6 = stablehlo.reshape %5 : (tensor<2x1x3xi32>) -> tensor<2x1x3x1xi32>
    %c_1 = stablehlo.constant dense<2> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<2x1x3x1xi32>
    %8 = stablehlo.compare GE, %6, %7, SIGNED : (tensor<2x1x3x1xi32>, tensor<2x1x3x1xi32>) -> tensor<2x1x3x1xi1>
    %9 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<2x1x3x1xi32>
    %11 = stablehlo.compare LE, %6, %10, SIGNED : (tensor<2x1x3x1xi32>, tensor<2x1x3x1xi32>) -> tensor<2x1x3x1xi1>
    %12 = stablehlo.and %8, %11 : tensor<2x1x3x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %13 = stablehlo.reduce(%12 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<2x1x3x1xi1>, tensor<i1>) -> tensor<2x1x3xi1>
    %14 = "stablehlo.gather"(%arg0, %6) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0, 2], start_indices_batching_dims = [0, 2], start_index_map = [1], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<2x3x3xcomplex<f64>>, tensor<2x1x3x1xi32>) -> tensor<2x1x3xcomplex<f64>>
    %cst = stablehlo.constant dense<(0x7FF8000000000000,0.000000e+00)> : tensor<complex<f64>>
    %15 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f64>>) -> tensor<2x1x3xcomplex<f64>>
    %16 = stablehlo.select %13, %14, %15 : tensor<2x1x3xi1>, tensor<2x1x3xcomplex<f64>>
    return %16 : tensor<2x1x3xcomplex<f64>>
  }
}
