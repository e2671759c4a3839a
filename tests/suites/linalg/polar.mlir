// float64 [3, 3], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x21F761DBFA270B40E8179ECA97A5D73F009C408E5545B1BF74086D12698CFE3F836A19C10E5C0A40AA3B76048E12F8BF72E168207E19FC3F481C506062F8F4BF783012C1EBC00940"> : tensor<3x3xf64>
    %got:2 = call @jax(%in0) : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3x3xf64>)
    %want0 = stablehlo.constant dense<"0x825222A77523ED3F86B2BB2133B9D1BF31BE75F16FA3D3BFA9934B5E4D85D13F2346B8B081BAEE3F5580639BB9C5ABBF9EFF98E5CAD1D33F206CE75E92B8A1BF00F77B702068EE3F"> : tensor<3x3xf64>
    check.expect_almost_eq %got#0, %want0, tolerance = 9.600000e-13 : tensor<3x3xf64>
    %want1 = stablehlo.constant dense<"0x7A34970E50A1104018D6658B99A4EA3F699302B264C1E03F18D6658B99A4EA3F0A9679C649DB08409B5326498D99F8BF699302B264C1E03F9B5326498D99F8BFD564A5CD324A0940"> : tensor<3x3xf64>
    check.expect_almost_eq %got#1, %want1, tolerance = 4.200000e-12 : tensor<3x3xf64>
    return
  }
  func.func private @jax(%arg0: tensor<3x3xf64>) -> (tensor<3x3xf64> {jax.result_info = "result[0]"}, tensor<3x3xf64> {jax.result_info = "result[1]"}) {
    %0:2 = call @polar(%arg0) : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3x3xf64>)
    return %0#0, %0#1 : tensor<3x3xf64>, tensor<3x3xf64>
  }
  func.func private @polar(%arg0: tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3x3xf64>) {
    %0:2 = call @_polar_2d(%arg0) : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3x3xf64>)
    return %0#0, %0#1 : tensor<3x3xf64>, tensor<3x3xf64>
  }
  func.func private @_polar_2d(%arg0: tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3x3xf64>) {
    %0:2 = call @qdwh(%arg0) : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3x3xf64>)
    return %0#0, %0#1 : tensor<3x3xf64>, tensor<3x3xf64>
  }
  func.func private @qdwh(%arg0: tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<3x3xf64>) {
    %cst = stablehlo.constant dense<[[1.9999999999417923, 34359738368.500023, 0.99999999994179234], [1.9990243905344156, 2048.5000000596115, 0.99902415234849673]]> : tensor<2x3xf64>
    %cst_0 = stablehlo.constant dense<[[15.334391790145411, 72.318496654957983, 0.79085234300001905], [3.0002486420290606, 3.7798139715500216, 0.37230849152563888], [2.6669122378841328, 3.0005525511400535, 0.33336402814552901], [2.6666666666667971, 3.0000000000002931, 0.33333333333334964]]> : tensor<4x3xf64>
    %0 = call @norm(%arg0) : (tensor<3x3xf64>) -> tensor<f64>
    %1 = call @norm_0(%arg0) : (tensor<3x3xf64>) -> tensor<f64>
    %2 = stablehlo.rsqrt %0 : tensor<f64>
    %3 = stablehlo.rsqrt %1 : tensor<f64>
    %4 = stablehlo.multiply %2, %3 : tensor<f64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %5 = stablehlo.compare EQ, %0, %cst_1, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %c = stablehlo.constant dense<1> : tensor<i64>
    %6 = call @_where(%5, %c, %4) : (tensor<i1>, tensor<i64>, tensor<f64>) -> tensor<f64>
    %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f64>) -> tensor<3x3xf64>
    %8 = stablehlo.multiply %arg0, %7 : tensor<3x3xf64>
    %cst_2 = stablehlo.constant dense<1.1102230246251565E-15> : tensor<f64>
    %9 = stablehlo.cbrt %cst_2 : tensor<f64>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %c_4 = stablehlo.constant dense<0> : tensor<i64>
    %10:4 = stablehlo.while(%iterArg = %cst, %iterArg_12 = %c_4, %iterArg_13 = %c_3, %iterArg_14 = %8) : tensor<2x3xf64>, tensor<i64>, tensor<i64>, tensor<3x3xf64>
    cond {
      %c_15 = stablehlo.constant dense<2> : tensor<i64>
      %27 = stablehlo.compare LT, %iterArg_12, %c_15, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %27 : tensor<i1>
    } do {
      %c_15 = stablehlo.constant dense<1> : tensor<i64>
      %27 = stablehlo.add %iterArg_13, %c_15 : tensor<i64>
      %28 = func.call @dynamic_index_in_dim(%iterArg, %iterArg_13) : (tensor<2x3xf64>, tensor<i64>) -> tensor<3xf64>
      %29 = stablehlo.slice %28 [0:1] : (tensor<3xf64>) -> tensor<1xf64>
      %30 = stablehlo.reshape %29 : (tensor<1xf64>) -> tensor<f64>
      %31 = stablehlo.slice %28 [1:2] : (tensor<3xf64>) -> tensor<1xf64>
      %32 = stablehlo.reshape %31 : (tensor<1xf64>) -> tensor<f64>
      %33 = stablehlo.slice %28 [2:3] : (tensor<3xf64>) -> tensor<1xf64>
      %34 = stablehlo.reshape %33 : (tensor<1xf64>) -> tensor<f64>
      %35 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<f64>) -> tensor<3x3xf64>
      %36 = stablehlo.multiply %35, %iterArg_14 : tensor<3x3xf64>
      %37 = stablehlo.iota dim = 0 : tensor<3x3xi64>
      %38 = stablehlo.iota dim = 1 : tensor<3x3xi64>
      %c_16 = stablehlo.constant dense<0> : tensor<i64>
      %39 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i64>) -> tensor<3x3xi64>
      %40 = stablehlo.add %37, %39 : tensor<3x3xi64>
      %41 = stablehlo.compare EQ, %40, %38, SIGNED : (tensor<3x3xi64>, tensor<3x3xi64>) -> tensor<3x3xi1>
      %42 = stablehlo.convert %41 : (tensor<3x3xi1>) -> tensor<3x3xf64>
      %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %43 = stablehlo.pad %36, %cst_17, low = [0, 0], high = [3, 0], interior = [0, 0] : (tensor<3x3xf64>, tensor<f64>) -> tensor<6x3xf64>
      %c_18 = stablehlo.constant dense<3> : tensor<i64>
      %c_19 = stablehlo.constant dense<0> : tensor<i64>
      %44 = stablehlo.dynamic_update_slice %43, %42, %c_18, %c_19 : (tensor<6x3xf64>, tensor<3x3xf64>, tensor<i64>, tensor<i64>) -> tensor<6x3xf64>
      %45:2 = stablehlo.custom_call @lapack_dgeqrf_ffi(%44) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m]) {i=6, j=3, k=6, l=3, m=3}, custom>} : (tensor<6x3xf64>) -> (tensor<6x3xf64>, tensor<3xf64>)
      %46 = stablehlo.custom_call @lapack_dorgqr_ffi(%45#0, %45#1) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k])->([l, m]) {i=6, j=3, k=3, l=6, m=3}, custom>} : (tensor<6x3xf64>, tensor<3xf64>) -> tensor<6x3xf64>
      %47 = stablehlo.slice %45#0 [0:3, 0:3] : (tensor<6x3xf64>) -> tensor<3x3xf64>
      %48 = stablehlo.iota dim = 0 : tensor<3x3xi64>
      %c_20 = stablehlo.constant dense<-1> : tensor<i64>
      %49 = stablehlo.broadcast_in_dim %c_20, dims = [] : (tensor<i64>) -> tensor<3x3xi64>
      %50 = stablehlo.add %48, %49 : tensor<3x3xi64>
      %51 = stablehlo.iota dim = 1 : tensor<3x3xi64>
      %52 = stablehlo.compare GE, %50, %51, SIGNED : (tensor<3x3xi64>, tensor<3x3xi64>) -> tensor<3x3xi1>
      %cst_21 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %53 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f64>) -> tensor<3x3xf64>
      %54 = stablehlo.select %52, %53, %47 : tensor<3x3xi1>, tensor<3x3xf64>
      %55 = stablehlo.slice %46 [0:3, 0:3] : (tensor<6x3xf64>) -> tensor<3x3xf64>
      %56 = stablehlo.iota dim = 0 : tensor<3x3xi32>
      %c_22 = stablehlo.constant dense<3> : tensor<i32>
      %57 = stablehlo.broadcast_in_dim %c_22, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
      %58 = stablehlo.compare LT, %56, %57, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
      %59 = stablehlo.iota dim = 1 : tensor<3x3xi32>
      %c_23 = stablehlo.constant dense<3> : tensor<i32>
      %60 = stablehlo.broadcast_in_dim %c_23, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
      %61 = stablehlo.compare LT, %59, %60, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
      %62 = stablehlo.and %58, %61 : tensor<3x3xi1>
      %c_24 = stablehlo.constant dense<0> : tensor<i64>
      %63 = func.call @_where_1(%62, %55, %c_24) : (tensor<3x3xi1>, tensor<3x3xf64>, tensor<i64>) -> tensor<3x3xf64>
      %c_25 = stablehlo.constant dense<3> : tensor<i64>
      %c_26 = stablehlo.constant dense<0> : tensor<i64>
      %64 = stablehlo.dynamic_slice %46, %c_25, %c_26, sizes = [3, 3] : (tensor<6x3xf64>, tensor<i64>, tensor<i64>) -> tensor<3x3xf64>
      %65 = stablehlo.iota dim = 0 : tensor<3x3xi32>
      %c_27 = stablehlo.constant dense<3> : tensor<i32>
      %66 = stablehlo.broadcast_in_dim %c_27, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
      %67 = stablehlo.compare LT, %65, %66, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
      %68 = stablehlo.iota dim = 1 : tensor<3x3xi32>
      %c_28 = stablehlo.constant dense<3> : tensor<i32>
      %69 = stablehlo.broadcast_in_dim %c_28, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
      %70 = stablehlo.compare LT, %68, %69, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
      %71 = stablehlo.and %67, %70 : tensor<3x3xi1>
      %c_29 = stablehlo.constant dense<0> : tensor<i64>
      %72 = func.call @_where_1(%71, %64, %c_29) : (tensor<3x3xi1>, tensor<3x3xf64>, tensor<i64>) -> tensor<3x3xf64>
      %73 = stablehlo.transpose %72, dims = [1, 0] : (tensor<3x3xf64>) -> tensor<3x3xf64>
      %74 = stablehlo.broadcast_in_dim %34, dims = [] : (tensor<f64>) -> tensor<3x3xf64>
      %75 = stablehlo.multiply %74, %iterArg_14 : tensor<3x3xf64>
      %76 = stablehlo.dot_general %63, %73, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
      %77 = stablehlo.broadcast_in_dim %30, dims = [] : (tensor<f64>) -> tensor<3x3xf64>
      %78 = stablehlo.multiply %77, %76 : tensor<3x3xf64>
      %79 = stablehlo.add %75, %78 : tensor<3x3xf64>
      %c_30 = stablehlo.constant dense<1> : tensor<i64>
      %80 = stablehlo.add %iterArg_12, %c_30 : tensor<i64>
      stablehlo.return %iterArg, %80, %27, %79 : tensor<2x3xf64>, tensor<i64>, tensor<i64>, tensor<3x3xf64>
    }
    %c_5 = stablehlo.constant dense<0> : tensor<i64>
    %c_6 = stablehlo.constant dense<true> : tensor<i1>
    %c_7 = stablehlo.constant dense<0> : tensor<i64>
    %11:6 = stablehlo.while(%iterArg = %cst_0, %iterArg_12 = %9, %iterArg_13 = %c_7, %iterArg_14 = %c_5, %iterArg_15 = %10#3, %iterArg_16 = %c_6) : tensor<4x3xf64>, tensor<f64>, tensor<i64>, tensor<i64>, tensor<3x3xf64>, tensor<i1>
    cond {
      %c_17 = stablehlo.constant dense<4> : tensor<i64>
      %27 = stablehlo.compare LT, %iterArg_13, %c_17, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %27 : tensor<i1>
    } do {
      %c_17 = stablehlo.constant dense<1> : tensor<i64>
      %27 = stablehlo.add %iterArg_14, %c_17 : tensor<i64>
      %28 = func.call @dynamic_index_in_dim_2(%iterArg, %iterArg_14) : (tensor<4x3xf64>, tensor<i64>) -> tensor<3xf64>
      %29 = stablehlo.slice %28 [0:1] : (tensor<3xf64>) -> tensor<1xf64>
      %30 = stablehlo.reshape %29 : (tensor<1xf64>) -> tensor<f64>
      %31 = stablehlo.slice %28 [1:2] : (tensor<3xf64>) -> tensor<1xf64>
      %32 = stablehlo.reshape %31 : (tensor<1xf64>) -> tensor<f64>
      %33 = stablehlo.slice %28 [2:3] : (tensor<3xf64>) -> tensor<1xf64>
      %34 = stablehlo.reshape %33 : (tensor<1xf64>) -> tensor<f64>
      %35 = stablehlo.transpose %iterArg_15, dims = [1, 0] : (tensor<3x3xf64>) -> tensor<3x3xf64>
      %36 = stablehlo.dot_general %35, %iterArg_15, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
      %37 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<f64>) -> tensor<3x3xf64>
      %38 = stablehlo.multiply %37, %36 : tensor<3x3xf64>
      %39 = stablehlo.iota dim = 0 : tensor<3x3xi64>
      %40 = stablehlo.iota dim = 1 : tensor<3x3xi64>
      %c_18 = stablehlo.constant dense<0> : tensor<i64>
      %41 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<i64>) -> tensor<3x3xi64>
      %42 = stablehlo.add %39, %41 : tensor<3x3xi64>
      %43 = stablehlo.compare EQ, %42, %40, SIGNED : (tensor<3x3xi64>, tensor<3x3xi64>) -> tensor<3x3xi1>
      %44 = stablehlo.convert %43 : (tensor<3x3xi1>) -> tensor<3x3xf64>
      %45 = stablehlo.add %38, %44 : tensor<3x3xf64>
      %46 = stablehlo.iota dim = 0 : tensor<3x3xi64>
      %47 = stablehlo.iota dim = 1 : tensor<3x3xi64>
      %c_19 = stablehlo.constant dense<0> : tensor<i64>
      %48 = stablehlo.broadcast_in_dim %c_19, dims = [] : (tensor<i64>) -> tensor<3x3xi64>
      %49 = stablehlo.add %46, %48 : tensor<3x3xi64>
      %50 = stablehlo.compare EQ, %49, %47, SIGNED : (tensor<3x3xi64>, tensor<3x3xi64>) -> tensor<3x3xi1>
      %51 = stablehlo.convert %50 : (tensor<3x3xi1>) -> tensor<3x3xf64>
      %52 = stablehlo.iota dim = 0 : tensor<3x3xi32>
      %c_20 = stablehlo.constant dense<3> : tensor<i32>
      %53 = stablehlo.broadcast_in_dim %c_20, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
      %54 = stablehlo.compare LT, %52, %53, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
      %55 = stablehlo.iota dim = 1 : tensor<3x3xi32>
      %c_21 = stablehlo.constant dense<3> : tensor<i32>
      %56 = stablehlo.broadcast_in_dim %c_21, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
      %57 = stablehlo.compare LT, %55, %56, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
      %58 = stablehlo.and %54, %57 : tensor<3x3xi1>
      %59 = func.call @_where_3(%58, %45, %51) : (tensor<3x3xi1>, tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
      %60:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%59) {backend_config = "", mhlo.backend_config = {uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], []) {i=3, j=3, k=3, l=3}, custom>} : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<i32>)
      %c_22 = stablehlo.constant dense<0> : tensor<i32>
      %61 = stablehlo.broadcast_in_dim %c_22, dims = [] : (tensor<i32>) -> tensor<i32>
      %62 = stablehlo.compare EQ, %60#1, %61, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %63 = stablehlo.broadcast_in_dim %62, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
      %cst_23 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
      %64 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f64>) -> tensor<3x3xf64>
      %65 = stablehlo.broadcast_in_dim %63, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<3x3xi1>
      %66 = stablehlo.select %65, %60#0, %64 : tensor<3x3xi1>, tensor<3x3xf64>
      %67 = stablehlo.iota dim = 0 : tensor<3x3xi64>
      %c_24 = stablehlo.constant dense<0> : tensor<i64>
      %68 = stablehlo.broadcast_in_dim %c_24, dims = [] : (tensor<i64>) -> tensor<3x3xi64>
      %69 = stablehlo.add %67, %68 : tensor<3x3xi64>
      %70 = stablehlo.iota dim = 1 : tensor<3x3xi64>
      %71 = stablehlo.compare GE, %69, %70, SIGNED : (tensor<3x3xi64>, tensor<3x3xi64>) -> tensor<3x3xi1>
      %cst_25 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %72 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f64>) -> tensor<3x3xf64>
      %73 = stablehlo.select %71, %66, %72 : tensor<3x3xi1>, tensor<3x3xf64>
      %74 = stablehlo.transpose %iterArg_15, dims = [1, 0] : (tensor<3x3xf64>) -> tensor<3x3xf64>
      %75 = stablehlo.custom_call @lapack_dtrsm_ffi(%73, %74) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=3, j=3, k=3, l=3, m=3, n=3}, custom>} : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
      %76 = stablehlo.custom_call @lapack_dtrsm_ffi(%73, %75) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=3, j=3, k=3, l=3, m=3, n=3}, custom>} : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
      %77 = stablehlo.transpose %76, dims = [1, 0] : (tensor<3x3xf64>) -> tensor<3x3xf64>
      %78 = stablehlo.broadcast_in_dim %34, dims = [] : (tensor<f64>) -> tensor<3x3xf64>
      %79 = stablehlo.multiply %78, %iterArg_15 : tensor<3x3xf64>
      %80 = stablehlo.broadcast_in_dim %30, dims = [] : (tensor<f64>) -> tensor<3x3xf64>
      %81 = stablehlo.multiply %80, %77 : tensor<3x3xf64>
      %82 = stablehlo.add %79, %81 : tensor<3x3xf64>
      %83 = stablehlo.subtract %82, %iterArg_15 : tensor<3x3xf64>
      %84 = func.call @norm_4(%83) : (tensor<3x3xf64>) -> tensor<f64>
      %85 = stablehlo.convert %iterArg_12 : tensor<f64>
      %86 = stablehlo.compare GT, %84, %85, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %c_26 = stablehlo.constant dense<1> : tensor<i64>
      %87 = stablehlo.add %iterArg_13, %c_26 : tensor<i64>
      stablehlo.return %iterArg, %iterArg_12, %87, %27, %82, %86 : tensor<4x3xf64>, tensor<f64>, tensor<i64>, tensor<i64>, tensor<3x3xf64>, tensor<i1>
    }
    %c_8 = stablehlo.constant dense<6> : tensor<i64>
    %12:4 = stablehlo.while(%iterArg = %9, %iterArg_12 = %c_8, %iterArg_13 = %11#4, %iterArg_14 = %11#5) : tensor<f64>, tensor<i64>, tensor<3x3xf64>, tensor<i1>
    cond {
      %c_15 = stablehlo.constant dense<10> : tensor<i64>
      %27 = stablehlo.compare LT, %iterArg_12, %c_15, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %c_16 = stablehlo.constant dense<false> : tensor<i1>
      %28 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i1>) -> tensor<i1>
      %29 = stablehlo.compare NE, %27, %28, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
      %30 = stablehlo.convert %29 : tensor<i1>
      %31 = stablehlo.and %iterArg_14, %30 : tensor<i1>
      stablehlo.return %31 : tensor<i1>
    } do {
      %27 = stablehlo.transpose %iterArg_13, dims = [1, 0] : (tensor<3x3xf64>) -> tensor<3x3xf64>
      %28 = stablehlo.dot_general %27, %iterArg_13, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
      %cst_15 = stablehlo.constant dense<3.000000e+00> : tensor<f64>
      %29 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f64>) -> tensor<3x3xf64>
      %30 = stablehlo.multiply %29, %28 : tensor<3x3xf64>
      %31 = stablehlo.iota dim = 0 : tensor<3x3xi64>
      %32 = stablehlo.iota dim = 1 : tensor<3x3xi64>
      %c_16 = stablehlo.constant dense<0> : tensor<i64>
      %33 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i64>) -> tensor<3x3xi64>
      %34 = stablehlo.add %31, %33 : tensor<3x3xi64>
      %35 = stablehlo.compare EQ, %34, %32, SIGNED : (tensor<3x3xi64>, tensor<3x3xi64>) -> tensor<3x3xi1>
      %36 = stablehlo.convert %35 : (tensor<3x3xi1>) -> tensor<3x3xf64>
      %37 = stablehlo.add %30, %36 : tensor<3x3xf64>
      %38 = stablehlo.iota dim = 0 : tensor<3x3xi64>
      %39 = stablehlo.iota dim = 1 : tensor<3x3xi64>
      %c_17 = stablehlo.constant dense<0> : tensor<i64>
      %40 = stablehlo.broadcast_in_dim %c_17, dims = [] : (tensor<i64>) -> tensor<3x3xi64>
      %41 = stablehlo.add %38, %40 : tensor<3x3xi64>
      %42 = stablehlo.compare EQ, %41, %39, SIGNED : (tensor<3x3xi64>, tensor<3x3xi64>) -> tensor<3x3xi1>
      %43 = stablehlo.convert %42 : (tensor<3x3xi1>) -> tensor<3x3xf64>
      %44 = stablehlo.iota dim = 0 : tensor<3x3xi32>
      %c_18 = stablehlo.constant dense<3> : tensor<i32>
      %45 = stablehlo.broadcast_in_dim %c_18, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
      %46 = stablehlo.compare LT, %44, %45, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
      %47 = stablehlo.iota dim = 1 : tensor<3x3xi32>
      %c_19 = stablehlo.constant dense<3> : tensor<i32>
      %48 = stablehlo.broadcast_in_dim %c_19, dims = [] : (tensor<i32>) -> tensor<3x3xi32>
      %49 = stablehlo.compare LT, %47, %48, SIGNED : (tensor<3x3xi32>, tensor<3x3xi32>) -> tensor<3x3xi1>
      %50 = stablehlo.and %46, %49 : tensor<3x3xi1>
      %51 = func.call @_where_3(%50, %37, %43) : (tensor<3x3xi1>, tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
      %52:2 = stablehlo.custom_call @lapack_dpotrf_ffi(%51) {backend_config = "", mhlo.backend_config = {uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], []) {i=3, j=3, k=3, l=3}, custom>} : (tensor<3x3xf64>) -> (tensor<3x3xf64>, tensor<i32>)
      %c_20 = stablehlo.constant dense<0> : tensor<i32>
      %53 = stablehlo.broadcast_in_dim %c_20, dims = [] : (tensor<i32>) -> tensor<i32>
      %54 = stablehlo.compare EQ, %52#1, %53, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %55 = stablehlo.broadcast_in_dim %54, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
      %cst_21 = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
      %56 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f64>) -> tensor<3x3xf64>
      %57 = stablehlo.broadcast_in_dim %55, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<3x3xi1>
      %58 = stablehlo.select %57, %52#0, %56 : tensor<3x3xi1>, tensor<3x3xf64>
      %59 = stablehlo.iota dim = 0 : tensor<3x3xi64>
      %c_22 = stablehlo.constant dense<0> : tensor<i64>
      %60 = stablehlo.broadcast_in_dim %c_22, dims = [] : (tensor<i64>) -> tensor<3x3xi64>
      %61 = stablehlo.add %59, %60 : tensor<3x3xi64>
      %62 = stablehlo.iota dim = 1 : tensor<3x3xi64>
      %63 = stablehlo.compare GE, %61, %62, SIGNED : (tensor<3x3xi64>, tensor<3x3xi64>) -> tensor<3x3xi1>
      %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
      %64 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f64>) -> tensor<3x3xf64>
      %65 = stablehlo.select %63, %58, %64 : tensor<3x3xi1>, tensor<3x3xf64>
      %66 = stablehlo.transpose %iterArg_13, dims = [1, 0] : (tensor<3x3xf64>) -> tensor<3x3xf64>
      %67 = stablehlo.custom_call @lapack_dtrsm_ffi(%65, %66) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=3, j=3, k=3, l=3, m=3, n=3}, custom>} : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
      %68 = stablehlo.custom_call @lapack_dtrsm_ffi(%65, %67) {backend_config = "", mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 84 : ui8, uplo = 76 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 1, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([m, n]) {i=3, j=3, k=3, l=3, m=3, n=3}, custom>} : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
      %69 = stablehlo.transpose %68, dims = [1, 0] : (tensor<3x3xf64>) -> tensor<3x3xf64>
      %cst_24 = stablehlo.constant dense<0.33333333333333331> : tensor<f64>
      %70 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f64>) -> tensor<3x3xf64>
      %71 = stablehlo.multiply %70, %iterArg_13 : tensor<3x3xf64>
      %cst_25 = stablehlo.constant dense<2.6666666666666665> : tensor<f64>
      %72 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f64>) -> tensor<3x3xf64>
      %73 = stablehlo.multiply %72, %69 : tensor<3x3xf64>
      %74 = stablehlo.add %71, %73 : tensor<3x3xf64>
      %75 = stablehlo.subtract %74, %iterArg_13 : tensor<3x3xf64>
      %76 = func.call @norm_4(%75) : (tensor<3x3xf64>) -> tensor<f64>
      %77 = stablehlo.convert %iterArg : tensor<f64>
      %78 = stablehlo.compare GT, %76, %77, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
      %c_26 = stablehlo.constant dense<1> : tensor<i64>
      %79 = stablehlo.add %iterArg_12, %c_26 : tensor<i64>
      stablehlo.return %iterArg, %79, %74, %78 : tensor<f64>, tensor<i64>, tensor<3x3xf64>, tensor<i1>
    }
    %cst_9 = stablehlo.constant dense<1.500000e+00> : tensor<f64>
    %13 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f64>) -> tensor<3x3xf64>
    %14 = stablehlo.multiply %13, %12#2 : tensor<3x3xf64>
    %cst_10 = stablehlo.constant dense<5.000000e-01> : tensor<f64>
    %15 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f64>) -> tensor<3x3xf64>
    %16 = stablehlo.multiply %15, %12#2 : tensor<3x3xf64>
    %17 = stablehlo.transpose %12#2, dims = [1, 0] : (tensor<3x3xf64>) -> tensor<3x3xf64>
    %18 = stablehlo.dot_general %17, %12#2, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
    %19 = stablehlo.dot_general %16, %18, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
    %20 = stablehlo.subtract %14, %19 : tensor<3x3xf64>
    %21 = stablehlo.transpose %20, dims = [1, 0] : (tensor<3x3xf64>) -> tensor<3x3xf64>
    %22 = stablehlo.dot_general %21, %arg0, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<3x3xf64>, tensor<3x3xf64>) -> tensor<3x3xf64>
    %23 = stablehlo.transpose %22, dims = [1, 0] : (tensor<3x3xf64>) -> tensor<3x3xf64>
    %24 = stablehlo.add %22, %23 : tensor<3x3xf64>
    %cst_11 = stablehlo.constant dense<2.000000e+00> : tensor<f64>
    %25 = stablehlo.broadcast_in_dim %cst_11, dims = [] : (tensor<f64>) -> tensor<3x3xf64>
    %26 = stablehlo.divide %24, %25 : tensor<3x3xf64>
    return %20, %26 : tensor<3x3xf64>, tensor<3x3xf64>
  }
  func.func private @norm(%arg0: tensor<3x3xf64>) -> tensor<f64> {
    %0 = stablehlo.abs %arg0 : tensor<3x3xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<3x3xf64>, tensor<f64>) -> tensor<3xf64>
    %cst_0 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.maximum across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %3 = stablehlo.maximum %cst_1, %2 : tensor<f64>
    return %3 : tensor<f64>
  }
  func.func private @norm_0(%arg0: tensor<3x3xf64>) -> tensor<f64> {
    %0 = stablehlo.abs %arg0 : tensor<3x3xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<3x3xf64>, tensor<f64>) -> tensor<3xf64>
    %cst_0 = stablehlo.constant dense<0xFFF0000000000000> : tensor<f64>
    %2 = stablehlo.reduce(%1 init: %cst_0) applies stablehlo.maximum across dimensions = [0] : (tensor<3xf64>, tensor<f64>) -> tensor<f64>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %3 = stablehlo.maximum %cst_1, %2 : tensor<f64>
    return %3 : tensor<f64>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i64>, %arg2: tensor<f64>) -> tensor<f64> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<f64>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<i1>, tensor<f64>
    return %1 : tensor<f64>
  }
  func.func private @dynamic_index_in_dim(%arg0: tensor<2x3xf64>, %arg1: tensor<i64>) -> tensor<3xf64> {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.compare LT, %arg1, %c, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %1 = stablehlo.convert %arg1 : tensor<i64>
    %c_0 = stablehlo.constant dense<2> : tensor<i64>
    %2 = stablehlo.add %1, %c_0 : tensor<i64>
    %3 = stablehlo.select %0, %2, %arg1 : tensor<i1>, tensor<i64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %4 = stablehlo.dynamic_slice %arg0, %3, %c_1, sizes = [1, 3] : (tensor<2x3xf64>, tensor<i64>, tensor<i64>) -> tensor<1x3xf64>
    %5 = stablehlo.reshape %4 : (tensor<1x3xf64>) -> tensor<3xf64>
    return %5 : tensor<3xf64>
  }
  func.func private @_where_1(%arg0: tensor<3x3xi1>, %arg1: tensor<3x3xf64>, %arg2: tensor<i64>) -> tensor<3x3xf64> {
    %0 = stablehlo.convert %arg2 : (tensor<i64>) -> tensor<f64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<3x3xf64>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<3x3xi1>, tensor<3x3xf64>
    return %2 : tensor<3x3xf64>
  }
  func.func private @dynamic_index_in_dim_2(%arg0: tensor<4x3xf64>, %arg1: tensor<i64>) -> tensor<3xf64> {
    %c = stablehlo.constant dense<0> : tensor<i64>
    %0 = stablehlo.compare LT, %arg1, %c, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
    %1 = stablehlo.convert %arg1 : tensor<i64>
    %c_0 = stablehlo.constant dense<4> : tensor<i64>
    %2 = stablehlo.add %1, %c_0 : tensor<i64>
    %3 = stablehlo.select %0, %2, %arg1 : tensor<i1>, tensor<i64>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %4 = stablehlo.dynamic_slice %arg0, %3, %c_1, sizes = [1, 3] : (tensor<4x3xf64>, tensor<i64>, tensor<i64>) -> tensor<1x3xf64>
    %5 = stablehlo.reshape %4 : (tensor<1x3xf64>) -> tensor<3xf64>
    return %5 : tensor<3xf64>
  }
  func.func private @_where_3(%arg0: tensor<3x3xi1>, %arg1: tensor<3x3xf64>, %arg2: tensor<3x3xf64>) -> tensor<3x3xf64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<3x3xi1>, tensor<3x3xf64>
    return %0 : tensor<3x3xf64>
  }
  func.func private @norm_4(%arg0: tensor<3x3xf64>) -> tensor<f64> {
    %0 = stablehlo.multiply %arg0, %arg0 : tensor<3x3xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x3xf64>, tensor<f64>) -> tensor<f64>
    %2 = stablehlo.sqrt %1 : tensor<f64>
    return %2 : tensor<f64>
  }
}
