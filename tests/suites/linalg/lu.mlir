// float32 [5, 3], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0xE53EEA3F670AF83F5427423F269BF7BF4AB077409F4FFFBE27606F3F0D3654BE6B94D43F32E972BF0CDABCBFFEFC303FEEE1543F46BDDEBF41D4FABD"> : tensor<5x3xf32>
    %got:3 = call @jax(%in0) : (tensor<5x3xf32>) -> (tensor<5x3xf32>, tensor<3xi32>, tensor<5xi32>)
    %want0 = stablehlo.constant dense<"0x269BF7BF4AB077409F4FFFBECC2F72BF0C2CB340B9C5923E937DF7BEAB1D983E3CD3AA3F4C25FB3E03411ABFD2AB543F6E19DCBE01B65FBCA6727FBE"> : tensor<5x3xf32>
    check.expect_almost_eq %got#0, %want0, tolerance = 1.100000e-04 : tensor<5x3xf32>
    %want1 = stablehlo.constant dense<"0x010000000100000002000000"> : tensor<3xi32>
    check.expect_eq %got#1, %want1 : tensor<3xi32>
    %want2 = stablehlo.constant dense<"0x0100000000000000020000000300000004000000"> : tensor<5xi32>
    check.expect_eq %got#2, %want2 : tensor<5xi32>
    return
  }
  func.func private @jax(%arg0: tensor<5x3xf32>) -> (tensor<5x3xf32> {jax.result_info = "result[0]"}, tensor<3xi32> {jax.result_info = "result[1]"}, tensor<5xi32> {jax.result_info = "result[2]"}) {
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
    %10:4 = stablehlo.while(%iterArg = %2, %iterArg_3 = %c_2, %iterArg_4 = %c_1, %iterArg_5 = %9) : tensor<3xi32>, tensor<i64>, tensor<i64>, tensor<5xi32>
    cond {
      %c_6 = stablehlo.constant dense<3> : tensor<i64>
      %11 = stablehlo.compare LT, %iterArg_3, %c_6, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %11 : tensor<i1>
    } do {
      %c_6 = stablehlo.constant dense<1> : tensor<i64>
      %11 = stablehlo.add %iterArg_4, %c_6 : tensor<i64>
      %c_7 = stablehlo.constant dense<0> : tensor<i64>
      %12 = stablehlo.compare LT, %iterArg_4, %c_7, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %13 = stablehlo.convert %iterArg_4 : tensor<i64>
      %c_8 = stablehlo.constant dense<3> : tensor<i64>
      %14 = stablehlo.add %13, %c_8 : tensor<i64>
      %15 = stablehlo.select %12, %14, %iterArg_4 : tensor<i1>, tensor<i64>
      %16 = stablehlo.dynamic_slice %iterArg, %15, sizes = [1] : (tensor<3xi32>, tensor<i64>) -> tensor<1xi32>
      %17 = stablehlo.reshape %16 : (tensor<1xi32>) -> tensor<i32>
      %c_9 = stablehlo.constant dense<0> : tensor<i64>
      %18 = stablehlo.compare LT, %iterArg_4, %c_9, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %19 = stablehlo.convert %iterArg_4 : tensor<i64>
      %c_10 = stablehlo.constant dense<5> : tensor<i64>
      %20 = stablehlo.add %19, %c_10 : tensor<i64>
      %21 = stablehlo.select %18, %20, %iterArg_4 : tensor<i1>, tensor<i64>
      %22 = stablehlo.dynamic_slice %iterArg_5, %21, sizes = [1] : (tensor<5xi32>, tensor<i64>) -> tensor<1xi32>
      %23 = stablehlo.reshape %22 : (tensor<1xi32>) -> tensor<i32>
      %c_11 = stablehlo.constant dense<0> : tensor<i32>
      %24 = stablehlo.compare LT, %17, %c_11, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_12 = stablehlo.constant dense<5> : tensor<i32>
      %25 = stablehlo.add %17, %c_12 : tensor<i32>
      %26 = stablehlo.select %24, %25, %17 : tensor<i1>, tensor<i32>
      %27 = stablehlo.dynamic_slice %iterArg_5, %26, sizes = [1] : (tensor<5xi32>, tensor<i32>) -> tensor<1xi32>
      %28 = stablehlo.reshape %27 : (tensor<1xi32>) -> tensor<i32>
      %c_13 = stablehlo.constant dense<0> : tensor<i64>
      %29 = stablehlo.compare LT, %iterArg_4, %c_13, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %c_14 = stablehlo.constant dense<5> : tensor<i64>
      %30 = stablehlo.add %iterArg_4, %c_14 : tensor<i64>
      %31 = stablehlo.select %29, %30, %iterArg_4 : tensor<i1>, tensor<i64>
      %32 = stablehlo.convert %31 : (tensor<i64>) -> tensor<i32>
      %33 = stablehlo.broadcast_in_dim %32, dims = [] : (tensor<i32>) -> tensor<1xi32>
      %34 = "stablehlo.scatter"(%iterArg_5, %33, %28) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
      ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
        stablehlo.return %arg2 : tensor<i32>
      }) : (tensor<5xi32>, tensor<1xi32>, tensor<i32>) -> tensor<5xi32>
      %c_15 = stablehlo.constant dense<0> : tensor<i32>
      %35 = stablehlo.compare LT, %17, %c_15, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %c_16 = stablehlo.constant dense<5> : tensor<i32>
      %36 = stablehlo.add %17, %c_16 : tensor<i32>
      %37 = stablehlo.select %35, %36, %17 : tensor<i1>, tensor<i32>
      %38 = stablehlo.broadcast_in_dim %37, dims = [] : (tensor<i32>) -> tensor<1xi32>
      %39 = "stablehlo.scatter"(%34, %38, %23) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0]>, unique_indices = true}> ({
      ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
        stablehlo.return %arg2 : tensor<i32>
      }) : (tensor<5xi32>, tensor<1xi32>, tensor<i32>) -> tensor<5xi32>
      %c_17 = stablehlo.constant dense<1> : tensor<i64>
      %40 = stablehlo.add %iterArg_3, %c_17 : tensor<i64>
      stablehlo.return %iterArg, %40, %11, %39 : tensor<3xi32>, tensor<i64>, tensor<i64>, tensor<5xi32>
    }
    return %8, %2, %10#3 : tensor<5x3xf32>, tensor<3xi32>, tensor<5xi32>
  }
}
// -----
// float64 [2, 3, 4], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x3039208D1B130240541D08D68164E7BF900DE3951224DDBF1EC44E1618D5F9BFCC90C2BC22D3E73F8A19229FF28A1140F8D96F856673ECBFCC2E0C614CEFE1BF5EE959788F0FF7BFE4961E210762FABF9E35155C9C1E1340A4359CA15BBBE43F1DD2CFA085050840603F0AE14F71D63F101F5DE62036E63F0C215ECFD0E2E23F36DD2FDAD5F0FCBF53F3C132B88A1340A0AA9B57850EC4BF100E3FEFA02BFABF0683321A8B3FFEBF40B45B015DACC9BF38E4914C6CE2F63FCE7C1D64FE54FB3F"> : tensor<2x3x4xf64>
    %got:3 = call @jax(%in0) : (tensor<2x3x4xf64>) -> (tensor<2x3x4xf64>, tensor<2x3xi32>, tensor<2x3xi32>)
    %want0 = stablehlo.constant dense<"0x3039208D1B130240541D08D68164E7BF900DE3951224DDBF1EC44E1618D5F9BFA05A6CEA1017D53F7A7D18BC9F8112402ABBA0233BA6E7BFE03AD629B81A9DBFCA1C5075F069E4BFEF4370E5C142DDBF0A10EE502C9B104020BA2FB70149D9BF1DD2CFA085050840603F0AE14F71D63F101F5DE62036E63F0C215ECFD0E2E23F93EE4BD3C946E3BF667B460007631440B61F016349BBD03F6A519A4E677BF4BF20C9F907BA25E4BF458E9BAAA13D703FD8F389802FDCFD3F5662F4FBE5AD0040"> : tensor<2x3x4xf64>
    check.expect_almost_eq %got#0, %want0, tolerance = 5.100000e-12 : tensor<2x3x4xf64>
    %want1 = stablehlo.constant dense<"0x000000000100000002000000000000000100000002000000"> : tensor<2x3xi32>
    check.expect_eq %got#1, %want1 : tensor<2x3xi32>
    %want2 = stablehlo.constant dense<"0x000000000100000002000000000000000100000002000000"> : tensor<2x3xi32>
    check.expect_eq %got#2, %want2 : tensor<2x3xi32>
    return
  }
  func.func private @jax(%arg0: tensor<2x3x4xf64>) -> (tensor<2x3x4xf64> {jax.result_info = "result[0]"}, tensor<2x3xi32> {jax.result_info = "result[1]"}, tensor<2x3xi32> {jax.result_info = "result[2]"}) {
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
    %10:4 = stablehlo.while(%iterArg = %2, %iterArg_3 = %c_2, %iterArg_4 = %c_1, %iterArg_5 = %9) : tensor<2x3xi32>, tensor<i64>, tensor<i64>, tensor<2x3xi32>
    cond {
      %c_6 = stablehlo.constant dense<3> : tensor<i64>
      %11 = stablehlo.compare LT, %iterArg_3, %c_6, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %11 : tensor<i1>
    } do {
      %c_6 = stablehlo.constant dense<1> : tensor<i64>
      %11 = stablehlo.add %iterArg_4, %c_6 : tensor<i64>
      %c_7 = stablehlo.constant dense<0> : tensor<i64>
      %12 = stablehlo.compare LT, %iterArg_4, %c_7, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %13 = stablehlo.convert %iterArg_4 : tensor<i64>
      %c_8 = stablehlo.constant dense<3> : tensor<i64>
      %14 = stablehlo.add %13, %c_8 : tensor<i64>
      %15 = stablehlo.select %12, %14, %iterArg_4 : tensor<i1>, tensor<i64>
      %16 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<i64>) -> tensor<1xi64>
      %17 = "stablehlo.gather"(%iterArg, %16) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [1]>, indices_are_sorted = true, slice_sizes = array<i64: 2, 1>}> : (tensor<2x3xi32>, tensor<1xi64>) -> tensor<2x1xi32>
      %18 = stablehlo.reshape %17 : (tensor<2x1xi32>) -> tensor<2xi32>
      %c_9 = stablehlo.constant dense<0> : tensor<i64>
      %19 = stablehlo.compare LT, %iterArg_4, %c_9, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %20 = stablehlo.convert %iterArg_4 : tensor<i64>
      %c_10 = stablehlo.constant dense<3> : tensor<i64>
      %21 = stablehlo.add %20, %c_10 : tensor<i64>
      %22 = stablehlo.select %19, %21, %iterArg_4 : tensor<i1>, tensor<i64>
      %23 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<i64>) -> tensor<1xi64>
      %24 = "stablehlo.gather"(%iterArg_5, %23) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [1]>, indices_are_sorted = true, slice_sizes = array<i64: 2, 1>}> : (tensor<2x3xi32>, tensor<1xi64>) -> tensor<2x1xi32>
      %25 = stablehlo.reshape %24 : (tensor<2x1xi32>) -> tensor<2xi32>
      %c_11 = stablehlo.constant dense<0> : tensor<i32>
      %26 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %27 = stablehlo.compare LT, %18, %26, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
      %c_12 = stablehlo.constant dense<3> : tensor<i32>
      %28 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %29 = stablehlo.add %18, %28 : tensor<2xi32>
      %30 = stablehlo.select %27, %29, %18 : tensor<2xi1>, tensor<2xi32>
      %31 = stablehlo.broadcast_in_dim %30, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
      %32 = "stablehlo.gather"(%iterArg_5, %31) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 1>}> : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x1xi32>
      %33 = stablehlo.reshape %32 : (tensor<2x1xi32>) -> tensor<2xi32>
      %c_13 = stablehlo.constant dense<0> : tensor<i64>
      %34 = stablehlo.compare LT, %iterArg_4, %c_13, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %c_14 = stablehlo.constant dense<3> : tensor<i64>
      %35 = stablehlo.add %iterArg_4, %c_14 : tensor<i64>
      %36 = stablehlo.select %34, %35, %iterArg_4 : tensor<i1>, tensor<i64>
      %37 = stablehlo.convert %36 : (tensor<i64>) -> tensor<i32>
      %38 = stablehlo.broadcast_in_dim %37, dims = [] : (tensor<i32>) -> tensor<1xi32>
      %39 = "stablehlo.scatter"(%iterArg_5, %38, %33) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1]>, unique_indices = true}> ({
      ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
        stablehlo.return %arg2 : tensor<i32>
      }) : (tensor<2x3xi32>, tensor<1xi32>, tensor<2xi32>) -> tensor<2x3xi32>
      %c_15 = stablehlo.constant dense<0> : tensor<i32>
      %40 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %41 = stablehlo.compare LT, %18, %40, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
      %c_16 = stablehlo.constant dense<3> : tensor<i32>
      %42 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %43 = stablehlo.add %18, %42 : tensor<2xi32>
      %44 = stablehlo.select %41, %43, %18 : tensor<2xi1>, tensor<2xi32>
      %45 = stablehlo.broadcast_in_dim %44, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
      %46 = "stablehlo.scatter"(%39, %45, %25) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = true}> ({
      ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
        stablehlo.return %arg2 : tensor<i32>
      }) : (tensor<2x3xi32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x3xi32>
      %c_17 = stablehlo.constant dense<1> : tensor<i64>
      %47 = stablehlo.add %iterArg_3, %c_17 : tensor<i64>
      stablehlo.return %iterArg, %47, %11, %46 : tensor<2x3xi32>, tensor<i64>, tensor<i64>, tensor<2x3xi32>
    }
    return %8, %2, %10#3 : tensor<2x3x4xf64>, tensor<2x3xi32>, tensor<2x3xi32>
  }
}
// -----
// complex128 [2, 3, 4], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x3F3F84BB02ED03408A33529FDBC9FFBF5C6E779FEEB8F13F226F17F79F6DF2BFA0ECE479D686C5BF689B85F3A310DE3F609E683D73B6C13FF0B796185501FF3F9022291F8462F9BFC840C01A7C18D2BFC0875309820A10404C25577B537DF4BF80B364D91A8DB83FB839381CF5D8E2BF500A258C0E62E4BFDA61E98F4245F03F5E938C9F7F54F63F48A6F0218B67F03F746C1DEC24C0FF3FF8A23109048AE23F0411534D980310401EF6B7A276F9F03F70A334052047E0BF20FDF89AA64BE1BF1C50702EC740FE3FF2EC33EE9039FF3F98187EB86F28F03FB2A67D6A717CF1BF82E8BB8FBF95F83FCE87CC0A395BF1BFCECF2A043FC1FE3F7C2990B0244FE5BFCA05DA8BA7F1F1BF246656AC981BEFBFEA7B256248C4F63F160126C006CAFB3F4216007D91B4FC3F40B1626EDDABF93FA61F3AA45CC9F7BFE443C8829BC7F0BFE211E1F594DBF7BF6EBE48D409DAFEBF3015AF946766ED3FE87D2D8299CBDFBF66F24CB2BCFB0140608515A1A3F5B5BFC035653BFFDEB0BFC8214A2058DCD9BF"> : tensor<2x3x4xcomplex<f64>>
    %got:3 = call @jax(%in0) : (tensor<2x3x4xcomplex<f64>>) -> (tensor<2x3x4xcomplex<f64>>, tensor<2x3xi32>, tensor<2x3xi32>)
    %want0 = stablehlo.constant dense<"0x3F3F84BB02ED03408A33529FDBC9FFBF5C6E779FEEB8F13F226F17F79F6DF2BFA0ECE479D686C5BF689B85F3A310DE3F609E683D73B6C13FF0B796185501FF3FD1583351685FD5BF878D30994650D8BF0DAEDDCB56451340056C9E8830E9F3BFA6FBEE14AFC1C1BFC04463146BBEDFBF9052105D223BF5BF4722ED593F77FB3FBB04E4789225C23FE063A81F8DCAE03FBD594071466CCD3FCC51671615C7B73F1BD40208E7091140D3CC980DE859F33F28728A98DC7EEE3FC6995A58F58BF2BF1C50702EC740FE3FF2EC33EE9039FF3F98187EB86F28F03FB2A67D6A717CF1BF82E8BB8FBF95F83FCE87CC0A395BF1BFCECF2A043FC1FE3F7C2990B0244FE5BFC07F44D70087ECBF8CEDFD061584B9BFCF375B3DEDD8FE3F908672FB45EDF5BFCD012A388BCE0D4078B34F002DCAECBF42FBCAD2C36CFB3FB85F96F7D7CBE9BFA776D6B67A69E1BF70FCA830104FA83FED979CAA7B33D93F2CB987D9441EEB3F602D1BF2E857D63F02F382EC7CCAFDBF207FB6C29149FDBF5E8A294A8A1905C0"> : tensor<2x3x4xcomplex<f64>>
    check.expect_almost_eq %got#0, %want0, tolerance = 5.000000e-12 : tensor<2x3x4xcomplex<f64>>
    %want1 = stablehlo.constant dense<"0x000000000100000002000000000000000200000002000000"> : tensor<2x3xi32>
    check.expect_eq %got#1, %want1 : tensor<2x3xi32>
    %want2 = stablehlo.constant dense<"0x000000000100000002000000000000000200000001000000"> : tensor<2x3xi32>
    check.expect_eq %got#2, %want2 : tensor<2x3xi32>
    return
  }
  func.func private @jax(%arg0: tensor<2x3x4xcomplex<f64>>) -> (tensor<2x3x4xcomplex<f64>> {jax.result_info = "result[0]"}, tensor<2x3xi32> {jax.result_info = "result[1]"}, tensor<2x3xi32> {jax.result_info = "result[2]"}) {
    %0:3 = stablehlo.custom_call @lapack_zgetrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i]) {i=2, j=3, k=4, l=3, m=4, n=3}, custom>} : (tensor<2x3x4xcomplex<f64>>) -> (tensor<2x3x4xcomplex<f64>>, tensor<2x3xi32>, tensor<2xi32>)
    %c = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2x3xi32>
    %2 = stablehlo.subtract %0#1, %1 : tensor<2x3xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %4 = stablehlo.compare GE, %0#2, %3, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<2xi1>) -> tensor<2x1x1xi1>
    %cst = stablehlo.constant dense<(0x7FF8000000000000,0x7FF8000000000000)> : tensor<complex<f64>>
    %6 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<complex<f64>>) -> tensor<2x3x4xcomplex<f64>>
    %7 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x3x4xi1>
    %8 = stablehlo.select %7, %0#0, %6 : tensor<2x3x4xi1>, tensor<2x3x4xcomplex<f64>>
    %9 = stablehlo.iota dim = 1 : tensor<2x3xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i64>
    %c_2 = stablehlo.constant dense<0> : tensor<i64>
    %10:4 = stablehlo.while(%iterArg = %2, %iterArg_3 = %c_2, %iterArg_4 = %c_1, %iterArg_5 = %9) : tensor<2x3xi32>, tensor<i64>, tensor<i64>, tensor<2x3xi32>
    cond {
      %c_6 = stablehlo.constant dense<3> : tensor<i64>
      %11 = stablehlo.compare LT, %iterArg_3, %c_6, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      stablehlo.return %11 : tensor<i1>
    } do {
      %c_6 = stablehlo.constant dense<1> : tensor<i64>
      %11 = stablehlo.add %iterArg_4, %c_6 : tensor<i64>
      %c_7 = stablehlo.constant dense<0> : tensor<i64>
      %12 = stablehlo.compare LT, %iterArg_4, %c_7, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %13 = stablehlo.convert %iterArg_4 : tensor<i64>
      %c_8 = stablehlo.constant dense<3> : tensor<i64>
      %14 = stablehlo.add %13, %c_8 : tensor<i64>
      %15 = stablehlo.select %12, %14, %iterArg_4 : tensor<i1>, tensor<i64>
      %16 = stablehlo.broadcast_in_dim %15, dims = [] : (tensor<i64>) -> tensor<1xi64>
      %17 = "stablehlo.gather"(%iterArg, %16) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [1]>, indices_are_sorted = true, slice_sizes = array<i64: 2, 1>}> : (tensor<2x3xi32>, tensor<1xi64>) -> tensor<2x1xi32>
      %18 = stablehlo.reshape %17 : (tensor<2x1xi32>) -> tensor<2xi32>
      %c_9 = stablehlo.constant dense<0> : tensor<i64>
      %19 = stablehlo.compare LT, %iterArg_4, %c_9, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %20 = stablehlo.convert %iterArg_4 : tensor<i64>
      %c_10 = stablehlo.constant dense<3> : tensor<i64>
      %21 = stablehlo.add %20, %c_10 : tensor<i64>
      %22 = stablehlo.select %19, %21, %iterArg_4 : tensor<i1>, tensor<i64>
      %23 = stablehlo.broadcast_in_dim %22, dims = [] : (tensor<i64>) -> tensor<1xi64>
      %24 = "stablehlo.gather"(%iterArg_5, %23) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 1], start_index_map = [1]>, indices_are_sorted = true, slice_sizes = array<i64: 2, 1>}> : (tensor<2x3xi32>, tensor<1xi64>) -> tensor<2x1xi32>
      %25 = stablehlo.reshape %24 : (tensor<2x1xi32>) -> tensor<2xi32>
      %c_11 = stablehlo.constant dense<0> : tensor<i32>
      %26 = stablehlo.broadcast_in_dim %c_11, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %27 = stablehlo.compare LT, %18, %26, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
      %c_12 = stablehlo.constant dense<3> : tensor<i32>
      %28 = stablehlo.broadcast_in_dim %c_12, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %29 = stablehlo.add %18, %28 : tensor<2xi32>
      %30 = stablehlo.select %27, %29, %18 : tensor<2xi1>, tensor<2xi32>
      %31 = stablehlo.broadcast_in_dim %30, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
      %32 = "stablehlo.gather"(%iterArg_5, %31) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 1>}> : (tensor<2x3xi32>, tensor<2x1xi32>) -> tensor<2x1xi32>
      %33 = stablehlo.reshape %32 : (tensor<2x1xi32>) -> tensor<2xi32>
      %c_13 = stablehlo.constant dense<0> : tensor<i64>
      %34 = stablehlo.compare LT, %iterArg_4, %c_13, SIGNED : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %c_14 = stablehlo.constant dense<3> : tensor<i64>
      %35 = stablehlo.add %iterArg_4, %c_14 : tensor<i64>
      %36 = stablehlo.select %34, %35, %iterArg_4 : tensor<i1>, tensor<i64>
      %37 = stablehlo.convert %36 : (tensor<i64>) -> tensor<i32>
      %38 = stablehlo.broadcast_in_dim %37, dims = [] : (tensor<i32>) -> tensor<1xi32>
      %39 = "stablehlo.scatter"(%iterArg_5, %38, %33) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [0], inserted_window_dims = [1], scatter_dims_to_operand_dims = [1]>, unique_indices = true}> ({
      ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
        stablehlo.return %arg2 : tensor<i32>
      }) : (tensor<2x3xi32>, tensor<1xi32>, tensor<2xi32>) -> tensor<2x3xi32>
      %c_15 = stablehlo.constant dense<0> : tensor<i32>
      %40 = stablehlo.broadcast_in_dim %c_15, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %41 = stablehlo.compare LT, %18, %40, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
      %c_16 = stablehlo.constant dense<3> : tensor<i32>
      %42 = stablehlo.broadcast_in_dim %c_16, dims = [] : (tensor<i32>) -> tensor<2xi32>
      %43 = stablehlo.add %18, %42 : tensor<2xi32>
      %44 = stablehlo.select %41, %43, %18 : tensor<2xi1>, tensor<2xi32>
      %45 = stablehlo.broadcast_in_dim %44, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
      %46 = "stablehlo.scatter"(%39, %45, %25) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 1>, unique_indices = true}> ({
      ^bb0(%arg1: tensor<i32>, %arg2: tensor<i32>):
        stablehlo.return %arg2 : tensor<i32>
      }) : (tensor<2x3xi32>, tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x3xi32>
      %c_17 = stablehlo.constant dense<1> : tensor<i64>
      %47 = stablehlo.add %iterArg_3, %c_17 : tensor<i64>
      stablehlo.return %iterArg, %47, %11, %46 : tensor<2x3xi32>, tensor<i64>, tensor<i64>, tensor<2x3xi32>
    }
    return %8, %2, %10#3 : tensor<2x3x4xcomplex<f64>>, tensor<2x3xi32>, tensor<2x3xi32>
  }
}
