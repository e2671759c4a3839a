// float32 [4, 4], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x21A88C40EBFCC2BBA7D33A3F44FDBBBEE2E67D3FD3A72D40EE64993FB6244EBF0286CF3FD83C1FBF9F3E8B40F7D09BBFF21ADEBE6F5A83BF074D473F30A6FC3F"> : tensor<4x4xf32>
    %got = call @jax(%in0) : (tensor<4x4xf32>) -> tensor<f32>
    %want0 = stablehlo.constant dense<"0x7C76D042"> : tensor<f32>
    check.expect_almost_eq %got, %want0, tolerance = 2.100000e-03 : tensor<f32>
    return
  }
  func.func private @jax(%arg0: tensor<4x4xf32>) -> (tensor<f32> {jax.result_info = "result"}) {
    %0 = call @det(%arg0) : (tensor<4x4xf32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @det(%arg0: tensor<4x4xf32>) -> tensor<f32> {
    %0:2 = call @slogdet(%arg0) : (tensor<4x4xf32>) -> (tensor<f32>, tensor<f32>)
    %1 = stablehlo.exponential %0#1 : tensor<f32>
    %2 = stablehlo.multiply %0#0, %1 : tensor<f32>
    return %2 : tensor<f32>
  }
  func.func private @slogdet(%arg0: tensor<4x4xf32>) -> (tensor<f32>, tensor<f32>) {
    %0:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], []) {i=4, j=4, k=4, l=4, m=4}, custom>} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xi32>, tensor<i32>)
    %c = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<4xi32>
    %2 = stablehlo.subtract %0#1, %1 : tensor<4xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<i32>
    %4 = stablehlo.compare GE, %0#2, %3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
    %7 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<4x4xi1>
    %8 = stablehlo.select %7, %0#0, %6 : tensor<4x4xi1>, tensor<4x4xf32>
    %9 = stablehlo.iota dim = 0 : tensor<4xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %10:4 = stablehlo.while(%iterArg = %2, %iterArg_13 = %c_2, %iterArg_14 = %c_1, %iterArg_15 = %9) : tensor<4xi32>, tensor<i64>, tensor<i64>, tensor<4xi32>
    cond {
      %c_16 = stablehlo.constant dense<4> : tensor<i64>
      %32 = stablehlo.compare LT, %iterArg_13, %c_16, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %32 : tensor<i1>
    } do {
      %c_16 = stablehlo.constant dense<1> : tensor<i64>
      %32 = stablehlo.add %iterArg_14, %c_16 : tensor<i64>
      %c_17 = stablehlo.constant dense<0> : tensor<i64>
      %33 = stablehlo.compare LT, %iterArg_14, %c_17, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %34 = stablehlo.convert %iterArg_14 : tensor<i64>
      %c_18 = stablehlo.constant dense<4> : tensor<i64>
      %35 = stablehlo.add %34, %c_18 : tensor<i64>
      %36 = stablehlo.select %33, %35, %iterArg_14 : tensor<i1>, tensor<i64>
      %37 = stablehlo.dynamic_slice %iterArg, %36, sizes = [1] : (tensor<4xi32>, tensor<i64>) -> tensor<1xi32>
      %38 = stablehlo.reshape %37 : (tensor<1xi32>) -> tensor<i32>
      %c_19 = stablehlo.constant dense<0> : tensor<i64>
      %39 = stablehlo.compare LT, %iterArg_14, %c_19, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %40 = stablehlo.convert %iterArg_14 : tensor<i64>
      %c_20 = stablehlo.constant dense<4> : tensor<i64>
      %41 = stablehlo.add %40, %c_20 : tensor<i64>
      %42 = stablehlo.select %39, %41, %iterArg_14 : tensor<i1>, tensor<i64>
      %43 = stablehlo.dynamic_slice %iterArg_15, %42, sizes = [1] : (tensor<4xi32>, tensor<i64>) -> tensor<1xi32>
      %44 = stablehlo.reshape %43 : (tensor<1xi32>) -> tensor<i32>
      %c_21 = stablehlo.constant dense<0> : tensor<i32>
      %45 = stablehlo.compare LT, %38, %c_21, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_22 = stablehlo.constant dense<4> : tensor<i32>
      %46 = stablehlo.add %38, %c_22 : tensor<i32>
      %47 = stablehlo.select %45, %46, %38 : tensor<i1>, tensor<i32>
      %48 = stablehlo.dynamic_slice %iterArg_15, %47, sizes = [1] : (tensor<4xi32>, tensor<i32>) -> tensor<1xi32>
      %49 = stablehlo.reshape %48 : (tensor<1xi32>) -> tensor<i32>
      %c_23 = stablehlo.constant dense<0> : tensor<i64>
      %50 = stablehlo.compare LT, %iterArg_14, %c_23, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %c_24 = stablehlo.constant dense<4> : tensor<i64>
      %51 = stablehlo.add %iterArg_14, %c_24 : tensor<i64>
      %52 = stablehlo.select %50, %51, %iterArg_14 : tensor<i1>, tensor<i64>
      %53 = stablehlo.convert %52 : (tensor<i64>) -> tensor<i32>
      %54 = stablehlo.broadcast_in_dim %53, dims = [] : (tensor<i32>) -> tensor<1xi32>
      %55 = "stablehlo.scatter"(%iterArg_15, %54, %49) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
      ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
        stablehlo.return %arg2 : tensor<i32>
      }) : (tensor<4xi32>, tensor<1xi32>, tensor<i32>) -> tensor<4xi32>
      %c_25 = stablehlo.constant dense<0> : tensor<i32>
      %56 = stablehlo.compare LT, %38, %c_25, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_26 = stablehlo.constant dense<4> : tensor<i32>
      %57 = stablehlo.add %38, %c_26 : tensor<i32>
      %58 = stablehlo.select %56, %57, %38 : tensor<i1>, tensor<i32>
      %59 = stablehlo.broadcast_in_dim %58, dims = [] : (tensor<i32>) -> tensor<1xi32>
      %60 = "stablehlo.scatter"(%55, %59, %44) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
      ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
        stablehlo.return %arg2 : tensor<i32>
      }) : (tensor<4xi32>, tensor<1xi32>, tensor<i32>) -> tensor<4xi32>
      %c_27 = stablehlo.constant dense<1> : tensor<i64>
      %61 = stablehlo.add %iterArg_13, %c_27 : tensor<i64>
      stablehlo.return %iterArg, %61, %32, %60 : tensor<4xi32>, tensor<i64>, tensor<i64>, tensor<4xi32>
    }
    %11 = call @diagonal(%8) : (tensor<4x4xf32>) -> tensor<4xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %13 = stablehlo.compare EQ, %11, %12, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %c_4 = stablehlo.constant dense<false> : tensor<i1>
    %14 = stablehlo.reduce(%13 init: %c_4) applies stablehlo.or across dimensions = [0] : (tensor<4xi1>, tensor<i1>) -> tensor<i1>
    %15 = stablehlo.iota dim = 0 : tensor<4xi32>
    %16 = stablehlo.compare NE, %2, %15, SIGNED : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
    %17 = call @count_nonzero(%16) : (tensor<4xi1>) -> tensor<i64>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %19 = stablehlo.compare LT, %11, %18, FLOAT : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    %20 = call @count_nonzero(%19) : (tensor<4xi1>) -> tensor<i64>
    %21 = stablehlo.add %17, %20 : tensor<i64>
    %c_6 = stablehlo.constant dense<2> : tensor<i64>
    %22 = call @remainder(%21, %c_6) : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %c_7 = stablehlo.constant dense<-2> : tensor<i64>
    %23 = stablehlo.multiply %c_7, %22 : tensor<i64>
    %c_8 = stablehlo.constant dense<1> : tensor<i64>
    %24 = stablehlo.add %23, %c_8 : tensor<i64>
    %25 = stablehlo.convert %24 : (tensor<i64>) -> tensor<f32>
    %cst_9 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %26 = stablehlo.multiply %cst_9, %25 : tensor<f32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %27 = call @_where_0(%14, %cst_10, %26) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    %28 = stablehlo.abs %11 : tensor<4xf32>
    %29 = stablehlo.log %28 : tensor<4xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.reduce(%29 init: %cst_11) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %cst_12 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %31 = call @_where_0(%14, %cst_12, %30) : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
    return %27, %31 : tensor<f32>, tensor<f32>
  }
  func.func private @diagonal(%arg0: tensor<4x4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<4x4xi64>
    %1 = stablehlo.iota dim = 1 : tensor<4x4xi64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %2 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<4x4xi64>
    %3 = stablehlo.add %0, %2 : tensor<4x4xi64>
    %4 = stablehlo.compare EQ, %3, %1, SIGNED : (tensor<4x4xi64>, tensor<4x4xi64>) -> tensor<4x4xi1>
    %5 = stablehlo.convert %4 : (tensor<4x4xi1>) -> tensor<4x4xf32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %6 = "stablehlo.case"(%c_0) ({
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      stablehlo.return %c_1 : tensor<i32>
    }, {
      %c_1 = stablehlo.constant dense<0> : tensor<i32>
      stablehlo.return %c_1 : tensor<i32>
    }) : (tensor<i32>) -> tensor<i32>
    %7 = "stablehlo.case"(%6) ({
      %8 = stablehlo.iota dim = 0 : tensor<4xi64>
      %9 = stablehlo.iota dim = 0 : tensor<4xi64>
      %c_1 = stablehlo.constant dense<0> : tensor<i64>
      %10 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i64>) -> tensor<4xi64>
      %11 = stablehlo.compare LT, %8, %10, SIGNED : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
      %c_2 = stablehlo.constant dense<4> : tensor<i64>
      %12 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i64>) -> tensor<4xi64>
      %13 = stablehlo.add %8, %12 : tensor<4xi64>
      %14 = stablehlo.select %11, %13, %8 : tensor<4xi1>, tensor<4xi64>
      %c_3 = stablehlo.constant dense<0> : tensor<i64>
      %15 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i64>) -> tensor<4xi64>
      %16 = stablehlo.compare LT, %9, %15, SIGNED : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi1>
      %c_4 = stablehlo.constant dense<4> : tensor<i64>
      %17 = stablehlo.broadcast_in_dim %c_4, dims = [] : (tensor<i64>) -> tensor<4xi64>
      %18 = stablehlo.add %9, %17 : tensor<4xi64>
      %19 = stablehlo.select %16, %18, %9 : tensor<4xi1>, tensor<4xi64>
      %20 = stablehlo.convert %14 : (tensor<4xi64>) -> tensor<4xi32>
      %21 = stablehlo.convert %19 : (tensor<4xi64>) -> tensor<4xi32>
      %22 = stablehlo.broadcast_in_dim %20, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
      %23 = stablehlo.broadcast_in_dim %21, dims = [0] : (tensor<4xi32>) -> tensor<4x1xi32>
      %24 = stablehlo.concatenate %22, %23, dim = 1 : (tensor<4x1xi32>, tensor<4x1xi32>) -> tensor<4x2xi32>
      %25 = "stablehlo.gather"(%arg0, %24) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [0, 1], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<4x4xf32>, tensor<4x2xi32>) -> tensor<4xf32>
      stablehlo.return %25 : tensor<4xf32>
    }) : (tensor<i32>) -> tensor<4xf32>
    return %7 : tensor<4xf32>
  }
  func.func private @count_nonzero(%arg0: tensor<4xi1>) -> tensor<i64> {
    %c = stablehlo.constant dense<false> : tensor<i1>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i1>) -> tensor<4xi1>
    %1 = stablehlo.compare NE, %arg0, %0, UNSIGNED : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
    %2 = stablehlo.convert %1 : (tensor<4xi1>) -> tensor<4xi32>
    %3 = stablehlo.convert %2 : (tensor<4xi32>) -> tensor<4xi64>
    %c_0 = stablehlo.constant dense<0> : tensor<i64>
    %4 = stablehlo.reduce(%3 init: %c_0) applies stablehlo.add across dimensions = [0] : (tensor<4xi64>, tensor<i64>) -> tensor<i64>
    return %4 : tensor<i64>
  }
  func.func private @remainder(%arg0: tensor<i64>, %arg1: tensor<i64>) -> tensor<i64> {
    %0 = stablehlo.convert %arg1 : tensor<i64>
    %c = stablehlo.constant dense<0> : tensor<i64>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i64>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
    %3 = stablehlo.remainder %arg0, %2 : tensor<i64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %4 = stablehlo.compare NE, %3, %c_1, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %5 = stablehlo.compare LT, %3, %c_2, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %6 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %7 = stablehlo.compare NE, %5, %6, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %8 = stablehlo.and %7, %4 : tensor<i1>
    %9 = stablehlo.add %3, %2 : tensor<i64>
    %10 = stablehlo.select %8, %9, %3 : tensor<i1>, tensor<i64>
    return %10 : tensor<i64>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i64>, %arg2: tensor<i64>) -> tensor<i64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i64>
    return %0 : tensor<i64>
  }
  func.func private @_where_0(%arg0: tensor<i1>, %arg1: tensor<f32>, %arg2: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<f32>
    return %0 : tensor<f32>
  }
}
// -----
// float64 [2, 3, 3], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x9AFF0B25D9EB0E40C0CB42C8F404E43FC87296907649EDBFC0E0EE5DC415B23FA8D9828E59360E40E6A363AA3603FE3F483592430FBCF63F38E414B585B5FDBF256724C1196D0540629A70EB1448FE3F8826000B5BF5EF3F005D0A60BD10A1BFA86FF28BFFFBE5BFC4E783F1BE5711403E837242F595F13F5684848EAAF3F53F94BC1663D5FAE8BF77B807AB26BE1140"> : tensor<2x3x3xf64>
    %got = call @jax(%in0) : (tensor<2x3x3xf64>) -> tensor<2xf64>
    %want0 = stablehlo.constant dense<"0x8E5547FE8D914D4029080A8837604540"> : tensor<2xf64>
    check.expect_almost_eq %got, %want0, tolerance = 5.900000e-11 : tensor<2xf64>
    return
  }
  func.func private @jax(%arg0: tensor<2x3x3xf64>) -> (tensor<2xf64> {jax.result_info = "result"}) {
    %0 = call @det(%arg0) : (tensor<2x3x3xf64>) -> tensor<2xf64>
    return %0 : tensor<2xf64>
  }
  func.func private @det(%arg0: tensor<2x3x3xf64>) -> tensor<2xf64> {
    %0 = stablehlo.slice %arg0 [0:2, 1:2, 0:1] : (tensor<2x3x3xf64>) -> tensor<2x1x1xf64>
    %1 = stablehlo.reshape %0 : (tensor<2x1x1xf64>) -> tensor<2xf64>
    %2 = stablehlo.abs %1 : tensor<2xf64>
    %3 = stablehlo.slice %arg0 [0:2, 0:1, 0:1] : (tensor<2x3x3xf64>) -> tensor<2x1x1xf64>
    %4 = stablehlo.reshape %3 : (tensor<2x1x1xf64>) -> tensor<2xf64>
    %5 = stablehlo.abs %4 : tensor<2xf64>
    %6 = stablehlo.compare GT, %2, %5, FLOAT : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xi1>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<2xi1>) -> tensor<2x1xi1>
    %8 = stablehlo.slice %arg0 [0:2, 1:2, 0:3] : (tensor<2x3x3xf64>) -> tensor<2x1x3xf64>
    %9 = stablehlo.reshape %8 : (tensor<2x1x3xf64>) -> tensor<2x3xf64>
    %10 = stablehlo.slice %arg0 [0:2, 0:1, 0:3] : (tensor<2x3x3xf64>) -> tensor<2x1x3xf64>
    %11 = stablehlo.reshape %10 : (tensor<2x1x3xf64>) -> tensor<2x3xf64>
    %12 = call @_where(%7, %9, %11) : (tensor<2x1xi1>, tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    %13 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<2xi1>) -> tensor<2x1xi1>
    %14 = stablehlo.slice %arg0 [0:2, 0:1, 0:3] : (tensor<2x3x3xf64>) -> tensor<2x1x3xf64>
    %15 = stablehlo.reshape %14 : (tensor<2x1x3xf64>) -> tensor<2x3xf64>
    %16 = stablehlo.slice %arg0 [0:2, 1:2, 0:3] : (tensor<2x3x3xf64>) -> tensor<2x1x3xf64>
    %17 = stablehlo.reshape %16 : (tensor<2x1x3xf64>) -> tensor<2x3xf64>
    %18 = call @_where(%13, %15, %17) : (tensor<2x1xi1>, tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    %19 = stablehlo.slice %arg0 [0:2, 2:3, 0:3] : (tensor<2x3x3xf64>) -> tensor<2x1x3xf64>
    %20 = stablehlo.reshape %19 : (tensor<2x1x3xf64>) -> tensor<2x3xf64>
    %c = stablehlo.constant dense<-1> : tensor<i64>
    %c_0 = stablehlo.constant dense<1> : tensor<i64>
    %21 = call @_where_0(%6, %c, %c_0) : (tensor<2xi1>, tensor<i64>, tensor<i64>) -> tensor<2xi64>
    %22 = stablehlo.slice %20 [0:2, 0:1] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %23 = stablehlo.reshape %22 : (tensor<2x1xf64>) -> tensor<2xf64>
    %24 = stablehlo.abs %23 : tensor<2xf64>
    %25 = stablehlo.slice %12 [0:2, 0:1] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %26 = stablehlo.reshape %25 : (tensor<2x1xf64>) -> tensor<2xf64>
    %27 = stablehlo.abs %26 : tensor<2xf64>
    %28 = stablehlo.compare GT, %24, %27, FLOAT : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xi1>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0] : (tensor<2xi1>) -> tensor<2x1xi1>
    %30 = call @_where(%29, %20, %12) : (tensor<2x1xi1>, tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    %31 = stablehlo.broadcast_in_dim %28, dims = [0] : (tensor<2xi1>) -> tensor<2x1xi1>
    %32 = call @_where(%31, %12, %20) : (tensor<2x1xi1>, tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    %33 = stablehlo.negate %21 : tensor<2xi64>
    %34 = call @_where_1(%28, %33, %21) : (tensor<2xi1>, tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
    %35 = stablehlo.slice %30 [0:2, 0:1] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %36 = stablehlo.reshape %35 : (tensor<2x1xf64>) -> tensor<2xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %37 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %38 = stablehlo.compare EQ, %36, %37, FLOAT : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xi1>
    %39 = stablehlo.slice %30 [0:2, 0:1] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %40 = stablehlo.reshape %39 : (tensor<2x1xf64>) -> tensor<2xf64>
    %c_1 = stablehlo.constant dense<1> : tensor<i64>
    %41 = call @_where_2(%38, %c_1, %40) : (tensor<2xi1>, tensor<i64>, tensor<2xf64>) -> tensor<2xf64>
    %42 = stablehlo.slice %30 [0:2, 0:1] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %43 = stablehlo.reshape %42 : (tensor<2x1xf64>) -> tensor<2xf64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %44 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %45 = stablehlo.compare EQ, %43, %44, FLOAT : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xi1>
    %46 = stablehlo.slice %18 [0:2, 0:1] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %47 = stablehlo.reshape %46 : (tensor<2x1xf64>) -> tensor<2xf64>
    %48 = stablehlo.divide %47, %41 : tensor<2xf64>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %49 = call @_where_2(%45, %c_3, %48) : (tensor<2xi1>, tensor<i64>, tensor<2xf64>) -> tensor<2xf64>
    %50 = stablehlo.slice %30 [0:2, 0:1] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %51 = stablehlo.reshape %50 : (tensor<2x1xf64>) -> tensor<2xf64>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %52 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %53 = stablehlo.compare EQ, %51, %52, FLOAT : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xi1>
    %54 = stablehlo.slice %32 [0:2, 0:1] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %55 = stablehlo.reshape %54 : (tensor<2x1xf64>) -> tensor<2xf64>
    %56 = stablehlo.divide %55, %41 : tensor<2xf64>
    %c_5 = stablehlo.constant dense<0> : tensor<i64>
    %57 = call @_where_2(%53, %c_5, %56) : (tensor<2xi1>, tensor<i64>, tensor<2xf64>) -> tensor<2xf64>
    %58 = stablehlo.broadcast_in_dim %49, dims = [0] : (tensor<2xf64>) -> tensor<2x1xf64>
    %59 = stablehlo.broadcast_in_dim %58, dims = [0, 1] : (tensor<2x1xf64>) -> tensor<2x3xf64>
    %60 = stablehlo.multiply %59, %30 : tensor<2x3xf64>
    %61 = stablehlo.subtract %18, %60 : tensor<2x3xf64>
    %62 = stablehlo.broadcast_in_dim %57, dims = [0] : (tensor<2xf64>) -> tensor<2x1xf64>
    %63 = stablehlo.broadcast_in_dim %62, dims = [0, 1] : (tensor<2x1xf64>) -> tensor<2x3xf64>
    %64 = stablehlo.multiply %63, %30 : tensor<2x3xf64>
    %65 = stablehlo.subtract %32, %64 : tensor<2x3xf64>
    %66 = stablehlo.slice %65 [0:2, 1:2] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %67 = stablehlo.reshape %66 : (tensor<2x1xf64>) -> tensor<2xf64>
    %68 = stablehlo.abs %67 : tensor<2xf64>
    %69 = stablehlo.slice %61 [0:2, 1:2] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %70 = stablehlo.reshape %69 : (tensor<2x1xf64>) -> tensor<2xf64>
    %71 = stablehlo.abs %70 : tensor<2xf64>
    %72 = stablehlo.compare GT, %68, %71, FLOAT : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xi1>
    %73 = stablehlo.broadcast_in_dim %72, dims = [0] : (tensor<2xi1>) -> tensor<2x1xi1>
    %74 = call @_where(%73, %65, %61) : (tensor<2x1xi1>, tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    %75 = stablehlo.broadcast_in_dim %72, dims = [0] : (tensor<2xi1>) -> tensor<2x1xi1>
    %76 = call @_where(%75, %61, %65) : (tensor<2x1xi1>, tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    %77 = stablehlo.negate %34 : tensor<2xi64>
    %78 = call @_where_1(%72, %77, %34) : (tensor<2xi1>, tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
    %79 = stablehlo.slice %74 [0:2, 1:2] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %80 = stablehlo.reshape %79 : (tensor<2x1xf64>) -> tensor<2xf64>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %81 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %82 = stablehlo.compare EQ, %80, %81, FLOAT : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xi1>
    %83 = stablehlo.slice %74 [0:2, 1:2] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %84 = stablehlo.reshape %83 : (tensor<2x1xf64>) -> tensor<2xf64>
    %c_7 = stablehlo.constant dense<1> : tensor<i64>
    %85 = call @_where_2(%82, %c_7, %84) : (tensor<2xi1>, tensor<i64>, tensor<2xf64>) -> tensor<2xf64>
    %86 = stablehlo.slice %74 [0:2, 1:2] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %87 = stablehlo.reshape %86 : (tensor<2x1xf64>) -> tensor<2xf64>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %88 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %89 = stablehlo.compare EQ, %87, %88, FLOAT : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xi1>
    %90 = stablehlo.slice %76 [0:2, 1:2] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %91 = stablehlo.reshape %90 : (tensor<2x1xf64>) -> tensor<2xf64>
    %92 = stablehlo.divide %91, %85 : tensor<2xf64>
    %c_9 = stablehlo.constant dense<0> : tensor<i64>
    %93 = call @_where_2(%89, %c_9, %92) : (tensor<2xi1>, tensor<i64>, tensor<2xf64>) -> tensor<2xf64>
    %94 = stablehlo.slice %76 [0:2, 2:3] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %95 = stablehlo.reshape %94 : (tensor<2x1xf64>) -> tensor<2xf64>
    %96 = stablehlo.slice %74 [0:2, 2:3] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %97 = stablehlo.reshape %96 : (tensor<2x1xf64>) -> tensor<2xf64>
    %98 = stablehlo.multiply %93, %97 : tensor<2xf64>
    %99 = stablehlo.subtract %95, %98 : tensor<2xf64>
    %100 = stablehlo.slice %30 [0:2, 0:1] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %101 = stablehlo.reshape %100 : (tensor<2x1xf64>) -> tensor<2xf64>
    %102 = stablehlo.convert %78 : (tensor<2xi64>) -> tensor<2xf64>
    %103 = stablehlo.multiply %102, %101 : tensor<2xf64>
    %104 = stablehlo.slice %74 [0:2, 1:2] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %105 = stablehlo.reshape %104 : (tensor<2x1xf64>) -> tensor<2xf64>
    %106 = stablehlo.multiply %103, %105 : tensor<2xf64>
    %107 = stablehlo.multiply %106, %99 : tensor<2xf64>
    return %107 : tensor<2xf64>
  }
  func.func private @_where(%arg0: tensor<2x1xi1>, %arg1: tensor<2x3xf64>, %arg2: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<2x1xi1>) -> tensor<2x3xi1>
    %1 = stablehlo.select %0, %arg1, %arg2 : tensor<2x3xi1>, tensor<2x3xf64>
    return %1 : tensor<2x3xf64>
  }
  func.func private @_where_0(%arg0: tensor<2xi1>, %arg1: tensor<i64>, %arg2: tensor<i64>) -> tensor<2xi64> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i64>) -> tensor<2xi64>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<i64>) -> tensor<2xi64>
    %2 = stablehlo.select %arg0, %0, %1 : tensor<2xi1>, tensor<2xi64>
    return %2 : tensor<2xi64>
  }
  func.func private @_where_1(%arg0: tensor<2xi1>, %arg1: tensor<2xi64>, %arg2: tensor<2xi64>) -> tensor<2xi64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<2xi1>, tensor<2xi64>
    return %0 : tensor<2xi64>
  }
  func.func private @_where_2(%arg0: tensor<2xi1>, %arg1: tensor<i64>, %arg2: tensor<2xf64>) -> tensor<2xf64> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<f64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<2xi1>, tensor<2xf64>
    return %2 : tensor<2xf64>
  }
}
