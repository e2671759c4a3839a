// float32 [5, 3], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0xBE1D4240E4DBBBBE778F80BF2C9DCB3FDD011C403D76023F6823B73EA7F33B3E4EB29F40939174BF8249B63FC962733F2E7CFA3E13F66F3D8D13163F"> : tensor<5x3xf32>
    %got:3 = call @jax(%in0) : (tensor<5x3xf32>) -> (tensor<5x5xf32>, tensor<5x3xf32>, tensor<3x3xf32>)
    %want0 = stablehlo.constant dense<"0x0000803F00000000000000000000000000000000000000000000803F00000000000000000000000000000000000000000000803F00000000000000000000000000000000000000000000803F00000000000000000000000000000000000000000000803F"> : tensor<5x5xf32>
    check.expect_almost_eq %got#0, %want0, tolerance = 2.000000e-05 : tensor<5x5xf32>
    %want1 = stablehlo.constant dense<"0x0000803F00000000000000004843063F0000803F00000000BC85F13DF29EB03D0000803FAF44A1BE62BDFE3EA4C5C13C6A2B253E8268373DC12C0F3E"> : tensor<5x3xf32>
    check.expect_almost_eq %got#1, %want1, tolerance = 2.000000e-05 : tensor<5x3xf32>
    %want2 = stablehlo.constant dense<"0xBE1D4240E4DBBBBE778F80BF00000000AC52284000A8843F000000000000000071A0A040"> : tensor<3x3xf32>
    check.expect_almost_eq %got#2, %want2, tolerance = 1.000000e-04 : tensor<3x3xf32>
    return
  }
  func.func private @jax(%arg0: tensor<5x3xf32>) -> (tensor<5x5xf32> {jax.result_info = "result[0]"}, tensor<5x3xf32> {jax.result_info = "result[1]"}, tensor<3x3xf32> {jax.result_info = "result[2]"}) {
    %0:3 = call @lu(%arg0) : (tensor<5x3xf32>) -> (tensor<5x5xf32>, tensor<5x3xf32>, tensor<3x3xf32>)
    return %0#0, %0#1, %0#2 : tensor<5x5xf32>, tensor<5x3xf32>, tensor<3x3xf32>
  }
  func.func private @lu(%arg0: tensor<5x3xf32>) -> (tensor<5x5xf32>, tensor<5x3xf32>, tensor<3x3xf32>) {
    %0:3 = call @_lu(%arg0) : (tensor<5x3xf32>) -> (tensor<5x5xf32>, tensor<5x3xf32>, tensor<3x3xf32>)
    return %0#0, %0#1, %0#2 : tensor<5x5xf32>, tensor<5x3xf32>, tensor<3x3xf32>
  }
  func.func private @_lu(%arg0: tensor<5x3xf32>) -> (tensor<5x5xf32>, tensor<5x3xf32>, tensor<3x3xf32>) {
    %0:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], []) {i=5, j=3, k=5, l=3, m=3}, custom>} : (tensor<5x3xf32>) -> (tensor<5x3xf32>, tensor<3xi32>, tensor<i32>)
    %c = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3xi32>
    %2 = stablehlo.subtract %0#1, %1 : tensor<3xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<i32>
    %4 = stablehlo.compare GE, %0#2, %3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %5 = stablehlo.broadcast_in_dim %4, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5x3xf32>
    %7 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<5x3xi1>
    %8 = stablehlo.select %7, %0#0, %6 : tensor<5x3xi1>, tensor<5x3xf32>
    %9 = stablehlo.iota dim = 0 : tensor<5xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %10:4 = stablehlo.while(%iterArg = %2, %iterArg_4 = %c_2, %iterArg_5 = %c_1, %iterArg_6 = %9) : tensor<3xi32>, tensor<i64>, tensor<i64>, tensor<5xi32>
    cond {
      %c_7 = stablehlo.constant dense<3> : tensor<i64>
      %28 = stablehlo.compare LT, %iterArg_4, %c_7, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %28 : tensor<i1>
    } do {
      %c_7 = stablehlo.constant dense<1> : tensor<i64>
      %28 = stablehlo.add %iterArg_5, %c_7 : tensor<i64>
      %c_8 = stablehlo.constant dense<0> : tensor<i64>
      %29 = stablehlo.compare LT, %iterArg_5, %c_8, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %30 = stablehlo.convert %iterArg_5 : tensor<i64>
      %c_9 = stablehlo.constant dense<3> : tensor<i64>
      %31 = stablehlo.add %30, %c_9 : tensor<i64>
      %32 = stablehlo.select %29, %31, %iterArg_5 : tensor<i1>, tensor<i64>
      %33 = stablehlo.dynamic_slice %iterArg, %32, sizes = [1] : (tensor<3xi32>, tensor<i64>) -> tensor<1xi32>
      %34 = stablehlo.reshape %33 : (tensor<1xi32>) -> tensor<i32>
      %c_10 = stablehlo.constant dense<0> : tensor<i64>
      %35 = stablehlo.compare LT, %iterArg_5, %c_10, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %36 = stablehlo.convert %iterArg_5 : tensor<i64>
      %c_11 = stablehlo.constant dense<5> : tensor<i64>
      %37 = stablehlo.add %36, %c_11 : tensor<i64>
      %38 = stablehlo.select %35, %37, %iterArg_5 : tensor<i1>, tensor<i64>
      %39 = stablehlo.dynamic_slice %iterArg_6, %38, sizes = [1] : (tensor<5xi32>, tensor<i64>) -> tensor<1xi32>
      %40 = stablehlo.reshape %39 : (tensor<1xi32>) -> tensor<i32>
      %c_12 = stablehlo.constant dense<0> : tensor<i32>
      %41 = stablehlo.compare LT, %34, %c_12, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_13 = stablehlo.constant dense<5> : tensor<i32>
      %42 = stablehlo.add %34, %c_13 : tensor<i32>
      %43 = stablehlo.select %41, %42, %34 : tensor<i1>, tensor<i32>
      %44 = stablehlo.dynamic_slice %iterArg_6, %43, sizes = [1] : (tensor<5xi32>, tensor<i32>) -> tensor<1xi32>
      %45 = stablehlo.reshape %44 : (tensor<1xi32>) -> tensor<i32>
      %c_14 = stablehlo.constant dense<0> : tensor<i64>
      %46 = stablehlo.compare LT, %iterArg_5, %c_14, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %c_15 = stablehlo.constant dense<5> : tensor<i64>
      %47 = stablehlo.add %iterArg_5, %c_15 : tensor<i64>
      %48 = stablehlo.select %46, %47, %iterArg_5 : tensor<i1>, tensor<i64>
      %49 = stablehlo.convert %48 : (tensor<i64>) -> tensor<i32>
      %50 = stablehlo.broadcast_in_dim %49, dims = [] : (tensor<i32>) -> tensor<1xi32>
      %51 = "stablehlo.scatter"(%iterArg_6, %50, %45) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
      ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
        stablehlo.return %arg2 : tensor<i32>
      }) : (tensor<5xi32>, tensor<1xi32>, tensor<i32>) -> tensor<5xi32>
      %c_16 = stablehlo.constant dense<0> : tensor<i32>
      %52 = stablehlo.compare LT, %34, %c_16, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_17 = stablehlo.constant dense<5> : tensor<i32>
      %53 = stablehlo.add %34, %c_17 : tensor<i32>
      %54 = stablehlo.select %52, %53, %34 : tensor<i1>, tensor<i32>
      %55 = stablehlo.broadcast_in_dim %54, dims = [] : (tensor<i32>) -> tensor<1xi32>
      %56 = "stablehlo.scatter"(%51, %55, %40) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
      ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
        stablehlo.return %arg2 : tensor<i32>
      }) : (tensor<5xi32>, tensor<1xi32>, tensor<i32>) -> tensor<5xi32>
      %c_18 = stablehlo.constant dense<1> : tensor<i64>
      %57 = stablehlo.add %iterArg_4, %c_18 : tensor<i64>
      stablehlo.return %iterArg, %57, %28, %56 : tensor<3xi32>, tensor<i64>, tensor<i64>, tensor<5xi32>
    }
    %11 = stablehlo.broadcast_in_dim %10#3, dims = [1] : (tensor<5xi32>) -> tensor<1x5xi32>
    %12 = stablehlo.iota dim = 0 : tensor<5xi32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<5xi32>) -> tensor<5x1xi32>
    %14 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<1x5xi32>) -> tensor<5x5xi32>
    %15 = stablehlo.broadcast_in_dim %13, dims = [0, 1] : (tensor<5x1xi32>) -> tensor<5x5xi32>
    %16 = stablehlo.compare EQ, %14, %15, SIGNED : (tensor<5x5xi32>, tensor<5x5xi32>) -> tensor<5x5xi1>
    %17 = stablehlo.convert %16 : (tensor<5x5xi1>) -> tensor<5x5xf32>
    %18 = call @tril(%8) : (tensor<5x3xf32>) -> tensor<5x3xf32>
    %19 = stablehlo.iota dim = 0 : tensor<5x3xi64>
    %20 = stablehlo.iota dim = 1 : tensor<5x3xi64>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %21 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i64>) -> tensor<5x3xi64>
    %22 = stablehlo.add %19, %21 : tensor<5x3xi64>
    %23 = stablehlo.compare EQ, %22, %20, SIGNED : (tensor<5x3xi64>, tensor<5x3xi64>) -> tensor<5x3xi1>
    %24 = stablehlo.convert %23 : (tensor<5x3xi1>) -> tensor<5x3xf32>
    %25 = stablehlo.add %18, %24 : tensor<5x3xf32>
    %26 = call @triu(%8) : (tensor<5x3xf32>) -> tensor<5x3xf32>
    %27 = stablehlo.slice %26 [0:3, 0:3] : (tensor<5x3xf32>) -> tensor<3x3xf32>
    return %17, %25, %27 : tensor<5x5xf32>, tensor<5x3xf32>, tensor<3x3xf32>
  }
  func.func private @tril(%arg0: tensor<5x3xf32>) -> tensor<5x3xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<5x3xi64>
    %c = stablehlo.constant dense<-1> : tensor<i64>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<5x3xi64>
    %2 = stablehlo.add %0, %1 : tensor<5x3xi64>
    %3 = stablehlo.iota dim = 1 : tensor<5x3xi64>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<5x3xi64>, tensor<5x3xi64>) -> tensor<5x3xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5x3xf32>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<5x3xi1>, tensor<5x3xf32>
    return %6 : tensor<5x3xf32>
  }
  func.func private @triu(%arg0: tensor<5x3xf32>) -> tensor<5x3xf32> {
    %0 = stablehlo.iota dim = 0 : tensor<5x3xi64>
    %c = stablehlo.constant dense<-1> : tensor<i64>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<5x3xi64>
    %2 = stablehlo.add %0, %1 : tensor<5x3xi64>
    %3 = stablehlo.iota dim = 1 : tensor<5x3xi64>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<5x3xi64>, tensor<5x3xi64>) -> tensor<5x3xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<5x3xf32>
    %6 = stablehlo.select %4, %5, %arg0 : tensor<5x3xi1>, tensor<5x3xf32>
    return %6 : tensor<5x3xf32>
  }
}
// -----
// float64 [2, 3, 4], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x6F77F834683A0E40E6468D0D3A6BF0BFE057D8ED7813D9BFD04F0D9664F8CD3F3041D527B998EF3F1CC875E3D4A7F23F3C7125C50676FA3F80BD6BE884B1BF3F10D11A12224BC03F0C41E3A31E4FF93F9E44DD5D402B1140303B5389926EE9BFBE34537C05C4F73FB8A9355F5ABFD23FC01793E5A11ABDBFCCF2AB4243B7F63F4885EDA8457DEFBFD0828DC449640340685AF6FD8FC0F33F28A8480C87F5EE3F88F249233A4FF9BF1062324C5DABCFBF90CE6DEE1F59FC3F9C29414FEBC3F63F"> : tensor<2x3x4xf64>
    %got:3 = call @jax(%in0) : (tensor<2x3x4xf64>) -> (tensor<2x3x3xf64>, tensor<2x3x3xf64>, tensor<2x3x4xf64>)
    %want0 = stablehlo.constant dense<"0x000000000000F03F0000000000000000000000000000000000000000000000000000000000000000000000000000F03F0000000000000000000000000000F03F000000000000000000000000000000000000000000000000000000000000F03F0000000000000000000000000000F03F0000000000000000000000000000F03F00000000000000000000000000000000"> : tensor<2x3x3xf64>
    check.expect_almost_eq %got#0, %want0, tolerance = 1.000000e-12 : tensor<2x3x3xf64>
    %want1 = stablehlo.constant dense<"0x000000000000F03F0000000000000000000000000000000015E97D9DA03FA13F000000000000F03F00000000000000004A84B1D56CB9D03FDFED97DD5164EC3F000000000000F03F000000000000F03F0000000000000000000000000000000015A4B3C320E8E33F000000000000F03F0000000000000000C07C8D86520CEEBFE75EB143C012983F000000000000F03F"> : tensor<2x3x3xf64>
    check.expect_almost_eq %got#1, %want1, tolerance = 1.000000e-12 : tensor<2x3x3xf64>
    %want2 = stablehlo.constant dense<"0x6F77F834683A0E40E6468D0D3A6BF0BFE057D8ED7813D9BFD04F0D9664F8CD3F0000000000000000F92B8A69B8DCF93FA87A4E92C43811404413E0BC30AFE9BF00000000000000000000000000000000064FBCE29E8200C03ED50EE8C4CAE83F88F249233A4FF9BF1062324C5DABCFBF90CE6DEE1F59FC3F9C29414FEBC3F63F0000000000000000A39DF867819F044000F632D30EF0C03FE8D1205FC114B53F00000000000000000000000000000000C79ED06010C0F83FB017A60AE3070640"> : tensor<2x3x4xf64>
    check.expect_almost_eq %got#2, %want2, tolerance = 4.300000e-12 : tensor<2x3x4xf64>
    return
  }
  func.func private @jax(%arg0: tensor<2x3x4xf64>) -> (tensor<2x3x3xf64> {jax.result_info = "result[0]"}, tensor<2x3x3xf64> {jax.result_info = "result[1]"}, tensor<2x3x4xf64> {jax.result_info = "result[2]"}) {
    %0:3 = call @lu(%arg0) : (tensor<2x3x4xf64>) -> (tensor<2x3x3xf64>, tensor<2x3x3xf64>, tensor<2x3x4xf64>)
    return %0#0, %0#1, %0#2 : tensor<2x3x3xf64>, tensor<2x3x3xf64>, tensor<2x3x4xf64>
  }
  func.func private @lu(%arg0: tensor<2x3x4xf64>) -> (tensor<2x3x3xf64>, tensor<2x3x3xf64>, tensor<2x3x4xf64>) {
    %0:3 = call @_lu(%arg0) : (tensor<2x3x4xf64>) -> (tensor<2x3x3xf64>, tensor<2x3x3xf64>, tensor<2x3x4xf64>)
    return %0#0, %0#1, %0#2 : tensor<2x3x3xf64>, tensor<2x3x3xf64>, tensor<2x3x4xf64>
  }
  func.func private @_lu(%arg0: tensor<2x3x4xf64>) -> (tensor<2x3x3xf64>, tensor<2x3x3xf64>, tensor<2x3x4xf64>) {
    %0:3 = stablehlo.custom_call @lapack_dgetrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i]) {i=2, j=3, k=4, l=3, m=4, n=3}, custom>} : (tensor<2x3x4xf64>) -> (tensor<2x3x4xf64>, tensor<2x3xi32>, tensor<2xi32>)
    %c = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2x3xi32>
    %2 = stablehlo.subtract %0#1, %1 : tensor<2x3xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %4 = stablehlo.compare GE, %0#2, %3, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %cst = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2x3x4xf64>
    %7 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x3x4xi1>
    %8 = stablehlo.select %7, %0#0, %6 : tensor<2x3x4xi1>, tensor<2x3x4xf64>
    %9 = stablehlo.iota dim = 1 : tensor<2x3xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %10:4 = stablehlo.while(%iterArg = %2, %iterArg_4 = %c_2, %iterArg_5 = %c_1, %iterArg_6 = %9) : tensor<2x3xi32>, tensor<i64>, tensor<i64>, tensor<2x3xi32>
    cond {
      %c_7 = stablehlo.constant dense<3> : tensor<i64>
      %31 = stablehlo.compare LT, %iterArg_4, %c_7, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %31 : tensor<i1>
    } do {
      %c_7 = stablehlo.constant dense<1> : tensor<i64>
      %31 = stablehlo.add %iterArg_5, %c_7 : tensor<i64>
      %c_8 = stablehlo.constant dense<0> : tensor<i64>
      %32 = stablehlo.compare LT, %iterArg_5, %c_8, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %33 = stablehlo.convert %iterArg_5 : tensor<i64>
      %c_9 = stablehlo.constant dense<3> : tensor<i64>
      %34 = stablehlo.add %33, %c_9 : tensor<i64>
      %35 = stablehlo.select %32, %34, %iterArg_5 : tensor<i1>, tensor<i64>
      %36 = stablehlo.broadcast_in_dim %35, dims = [] : (tensor<i64>) -> tensor<1xi64>
      %37 = "stablehlo.gather"(%iterArg, %36) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [1]>, indices_are_sorted = true, slice_sizes = array<i64: 2, 1>}> : (tensor<2x3xi32>, tensor<1xi64>) -> tensor<2x1xi32>
      %38 = stablehlo.reshape %37 : (tensor<2x1xi32>) -> tensor<2xi32>
      %c_10 = stablehlo.constant dense<0> : tensor<i64>
      %39 = stablehlo.compare LT, %iterArg_5, %c_10, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %40 = stablehlo.convert %iterArg_5 : tensor<i64>
      %c_11 = stablehlo.constant dense<3> : tensor<i64>
      %41 = stablehlo.add %40, %c_11 : tensor<i64>
      %42 = stablehlo.select %39, %41, %iterArg_5 : tensor<i1>, tensor<i64>
      %43 = stablehlo.broadcast_in_dim %42, dims = [] : (tensor<i64>) -> tensor<1xi64>
      %44 = "stablehlo.gather"(%iterArg_6, %43) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [1]>, indices_are_sorted = true, slice_sizes = array<i64: 2, 1>}> : (tensor<2x3xi32>, tensor<1xi64>) -> tensor<2x1xi32>
      %45 = stablehlo.reshape %44 : (tensor<2x1xi32>) -> tensor<2xi32>
      %c_12 = stablehlo.constant dense<0> : tensor<i32>
      %46 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %47 = stablehlo.compare LT, %38, %46, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
      %c_13 = stablehlo.constant dense<3> : tensor<i32>
      %48 = stablehlo.broadcast_in_dim %c_13, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %49 = stablehlo.add %38, %48 : tensor<2xi32>
      %50 = stablehlo.select %47, %49, %38 : tensor<2xi1>, tensor<2xi32>
      %51 = stablehlo.broadcast_in_dim %50, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
      %52 = "stablehlo.gather"(%iterArg_6, %51) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 1>}> : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x1xi32>
      %53 = stablehlo.reshape %52 : (tensor<2x1xi32>) -> tensor<2xi32>
      %c_14 = stablehlo.constant dense<0> : tensor<i64>
      %54 = stablehlo.compare LT, %iterArg_5, %c_14, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %c_15 = stablehlo.constant dense<3> : tensor<i64>
      %55 = stablehlo.add %iterArg_5, %c_15 : tensor<i64>
      %56 = stablehlo.select %54, %55, %iterArg_5 : tensor<i1>, tensor<i64>
      %57 = stablehlo.convert %56 : (tensor<i64>) -> tensor<i32>
      %58 = stablehlo.broadcast_in_dim %57, dims = [] : (tensor<i32>) -> tensor<1xi32>
      %59 = "stablehlo.scatter"(%iterArg_6, %58, %53) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1]>, unique_indices = true}> ({
      ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
        stablehlo.return %arg2 : tensor<i32>
      }) : (tensor<2x3xi32>, tensor<1xi32>, tensor<2xi32>) -> tensor<2x3xi32>
      %c_16 = stablehlo.constant dense<0> : tensor<i32>
      %60 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %61 = stablehlo.compare LT, %38, %60, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
      %c_17 = stablehlo.constant dense<3> : tensor<i32>
      %62 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %63 = stablehlo.add %38, %62 : tensor<2xi32>
      %64 = stablehlo.select %61, %63, %38 : tensor<2xi1>, tensor<2xi32>
      %65 = stablehlo.broadcast_in_dim %64, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
      %66 = "stablehlo.scatter"(%59, %65, %45) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = true}> ({
      ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
        stablehlo.return %arg2 : tensor<i32>
      }) : (tensor<2x3xi32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x3xi32>
      %c_18 = stablehlo.constant dense<1> : tensor<i64>
      %67 = stablehlo.add %iterArg_4, %c_18 : tensor<i64>
      stablehlo.return %iterArg, %67, %31, %66 : tensor<2x3xi32>, tensor<i64>, tensor<i64>, tensor<2x3xi32>
    }
    %11 = stablehlo.broadcast_in_dim %10#3, dims = [0, 2] : (tensor<2x3xi32>) -> tensor<2x1x3xi32>
    %12 = stablehlo.iota dim = 0 : tensor<3xi32>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0] : (tensor<3xi32>) -> tensor<3x1xi32>
    %14 = stablehlo.broadcast_in_dim %13, dims = [1, 2] : (tensor<3x1xi32>) -> tensor<1x3x1xi32>
    %15 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<2x1x3xi32>) -> tensor<2x3x3xi32>
    %16 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<1x3x1xi32>) -> tensor<2x3x3xi32>
    %17 = stablehlo.compare EQ, %15, %16, SIGNED : (tensor<2x3x3xi32>, tensor<2x3x3xi32>) -> tensor<2x3x3xi1>
    %18 = stablehlo.convert %17 : (tensor<2x3x3xi1>) -> tensor<2x3x3xf64>
    %19 = call @tril(%8) : (tensor<2x3x4xf64>) -> tensor<2x3x4xf64>
    %20 = stablehlo.slice %19 [0:2, 0:3, 0:3] : (tensor<2x3x4xf64>) -> tensor<2x3x3xf64>
    %21 = stablehlo.iota dim = 0 : tensor<3x3xi64>
    %22 = stablehlo.iota dim = 1 : tensor<3x3xi64>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %23 = stablehlo.broadcast_in_dim %c_3, dims = [] : (tensor<i64>) -> tensor<3x3xi64>
    %24 = stablehlo.add %21, %23 : tensor<3x3xi64>
    %25 = stablehlo.compare EQ, %24, %22, SIGNED : (tensor<3x3xi64>, tensor<3x3xi64>) -> tensor<3x3xi1>
    %26 = stablehlo.convert %25 : (tensor<3x3xi1>) -> tensor<3x3xf64>
    %27 = stablehlo.broadcast_in_dim %26, dims = [1, 2] : (tensor<3x3xf64>) -> tensor<1x3x3xf64>
    %28 = stablehlo.broadcast_in_dim %27, dims = [0, 1, 2] : (tensor<1x3x3xf64>) -> tensor<2x3x3xf64>
    %29 = stablehlo.add %20, %28 : tensor<2x3x3xf64>
    %30 = call @triu(%8) : (tensor<2x3x4xf64>) -> tensor<2x3x4xf64>
    return %18, %29, %30 : tensor<2x3x3xf64>, tensor<2x3x3xf64>, tensor<2x3x4xf64>
  }
  func.func private @tril(%arg0: tensor<2x3x4xf64>) -> tensor<2x3x4xf64> {
    %0 = stablehlo.iota dim = 0 : tensor<3x4xi64>
    %c = stablehlo.constant dense<-1> : tensor<i64>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<3x4xi64>
    %2 = stablehlo.add %0, %1 : tensor<3x4xi64>
    %3 = stablehlo.iota dim = 1 : tensor<3x4xi64>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<3x4xi64>, tensor<3x4xi64>) -> tensor<3x4xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<3x4xf64>
    %6 = stablehlo.broadcast_in_dim %4, dims = [1, 2] : (tensor<3x4xi1>) -> tensor<2x3x4xi1>
    %7 = stablehlo.broadcast_in_dim %5, dims = [1, 2] : (tensor<3x4xf64>) -> tensor<2x3x4xf64>
    %8 = stablehlo.select %6, %arg0, %7 : tensor<2x3x4xi1>, tensor<2x3x4xf64>
    return %8 : tensor<2x3x4xf64>
  }
  func.func private @triu(%arg0: tensor<2x3x4xf64>) -> tensor<2x3x4xf64> {
    %0 = stablehlo.iota dim = 0 : tensor<3x4xi64>
    %c = stablehlo.constant dense<-1> : tensor<i64>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<3x4xi64>
    %2 = stablehlo.add %0, %1 : tensor<3x4xi64>
    %3 = stablehlo.iota dim = 1 : tensor<3x4xi64>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<3x4xi64>, tensor<3x4xi64>) -> tensor<3x4xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<3x4xf64>
    %6 = stablehlo.broadcast_in_dim %4, dims = [1, 2] : (tensor<3x4xi1>) -> tensor<2x3x4xi1>
    %7 = stablehlo.broadcast_in_dim %5, dims = [1, 2] : (tensor<3x4xf64>) -> tensor<2x3x4xf64>
    %8 = stablehlo.select %6, %7, %arg0 : tensor<2x3x4xi1>, tensor<2x3x4xf64>
    return %8 : tensor<2x3x4xf64>
  }
}
