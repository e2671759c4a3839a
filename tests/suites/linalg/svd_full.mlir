// float32 [5, 3], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x7FB80B403830D03FBA29D1BF0321ACBF5C058D408A90A63FBB279D3DCF8C703F995D0440CC4BB23E77D98B3C1741AABF86BD9BBF9A37983FA5659DBF"> : tensor<5x3xf32>
    %got:5 = call @jax(%in0) : (tensor<5x3xf32>) -> (tensor<5x3xf32>, tensor<3xf32>, tensor<3x3xf32>, tensor<5x5xf32>, tensor<3x3xf32>)
    %want0 = stablehlo.constant dense<"0x4275B73DA9DE52BFBE16013F97D16D3FBA5E12BCF64791BD72B3903ECE00BA3E53D4013F67DAB8BDED74B3BEAF1223BE37394F3EDD1F84BEA8462DBF"> : tensor<5x3xf32>
    check.expect_almost_eq %got#0, %want0, tolerance = 1.900000e-05 : tensor<5x3xf32>
    %want1 = stablehlo.constant dense<"0x99D1A440DC5E6240721E1540"> : tensor<3xf32>
    check.expect_almost_eq %got#1, %want1, tolerance = 1.000000e-04 : tensor<3xf32>
    %want2 = stablehlo.constant dense<"0x213082BE5ECE6B3F8FEB963E16C0E2BE8981C3BE41AB4F3F171A5C3FAD159B3DB649013F"> : tensor<3x3xf32>
    check.expect_almost_eq %got#2, %want2, tolerance = 1.800000e-05 : tensor<3x3xf32>
    %want3 = stablehlo.constant dense<"0xC581723D747B60BD5F11953C93214DBE808BE23D747B60BDE80C073E89AF64BE002D8E3DD60874BE5F11953C89AF64BE71EC073F47366F3E0C78C23E93214DBE002D8E3D47366F3ED9F8573F024B38BE808BE23DD60874BE0C78C23E024B38BEBB5EDE3E"> : tensor<5x5xf32>
    check.expect_almost_eq %got#3, %want3, tolerance = 1.700000e-05 : tensor<5x5xf32>
    %want4 = stablehlo.constant dense<"0x000000000000000000000000000000000000000000000000000000000000000000000000"> : tensor<3x3xf32>
    check.expect_almost_eq %got#4, %want4, tolerance = 2.000000e-08 : tensor<3x3xf32>
    return
  }
  func.func private @jax(%arg0: tensor<5x3xf32>) -> (tensor<5x3xf32> {jax.result_info = "result[0]"}, tensor<3xf32> {jax.result_info = "result[1]"}, tensor<3x3xf32> {jax.result_info = "result[2]"}, tensor<5x5xf32> {jax.result_info = "result[3]"}, tensor<3x3xf32> {jax.result_info = "result[4]"}) {
    %0:3 = call @svd(%arg0) : (tensor<5x3xf32>) -> (tensor<5x5xf32>, tensor<3xf32>, tensor<3x3xf32>)
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
    %11 = stablehlo.slice %0#0 [0:5, 3:5] : (tensor<5x5xf32>) -> tensor<5x2xf32>
    %12 = stablehlo.slice %0#2 [3:3, 0:3] : (tensor<3x3xf32>) -> tensor<0x3xf32>
    %13 = stablehlo.slice %0#0 [0:5, 0:3] : (tensor<5x5xf32>) -> tensor<5x3xf32>
    %14 = stablehlo.broadcast_in_dim %10, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<5x3xf32>
    %16 = stablehlo.multiply %13, %15 : tensor<5x3xf32>
    %17 = stablehlo.broadcast_in_dim %10, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x3xf32>
    %19 = stablehlo.multiply %0#2, %18 : tensor<3x3xf32>
    %20 = stablehlo.transpose %11, dims = [1, 0] : (tensor<5x2xf32>) -> tensor<2x5xf32>
    %21 = stablehlo.dot_general %11, %20, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x2xf32>, tensor<2x5xf32>) -> tensor<5x5xf32>
    %22 = stablehlo.transpose %12, dims = [1, 0] : (tensor<0x3xf32>) -> tensor<3x0xf32>
    %23 = stablehlo.dot_general %22, %12, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x0xf32>, tensor<0x3xf32>) -> tensor<3x3xf32>
    return %16, %0#1, %19, %21, %23 : tensor<5x3xf32>, tensor<3xf32>, tensor<3x3xf32>, tensor<5x5xf32>, tensor<3x3xf32>
  }
  func.func private @svd(%arg0: tensor<5x3xf32>) -> (tensor<5x5xf32>, tensor<3xf32>, tensor<3x3xf32>) {
    %0:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 65 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], [n, o], [p, q], []) {i=5, j=3, k=5, l=3, m=3, n=5, o=5, p=3, q=3}, custom>} : (tensor<5x3xf32>) -> (tensor<5x3xf32>, tensor<3xf32>, tensor<5x5xf32>, tensor<3x3xf32>, tensor<i32>)
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
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<5x5xf32>
    %9 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<5x5xi1>
    %10 = stablehlo.select %9, %0#2, %8 : tensor<5x5xi1>, tensor<5x5xf32>
    %11 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1x1xi1>
    %cst_1 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<3x3xf32>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<1x1xi1>) -> tensor<3x3xi1>
    %14 = stablehlo.select %13, %0#3, %12 : tensor<3x3xi1>, tensor<3x3xf32>
    return %10, %6, %14 : tensor<5x5xf32>, tensor<3xf32>, tensor<3x3xf32>
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
    %in0 = stablehlo.constant dense<"0x20DAEFD839060240A8A31FC53B37DA3F5C751608DFD3F93F20B975EDAE6FE8BF9C1D4395B29BE53FA8970BD19B5A0A40C8D0E562C511DD3F7C10D2EF17BCEA3F84AF9FD4CF10FEBFA48056571587FF3FA879D8BFCB970C40807DB53B5C29933FB0F2EDAEBDCE11400C5101208D3DF13F7E7CC7BD5745F23FF8BEA3271C84D83FD002F0530B68F1BF428F816D4E190B40D4FBD58D4A76F13F2684F6157B9AFABFA870395366F3E93F22898869D641F43F9C26AAFB747EFB3F0A7C303FEC47FC3F"> : tensor<2x3x4xf64>
    %got:5 = call @jax(%in0) : (tensor<2x3x4xf64>) -> (tensor<2x3x3xf64>, tensor<2x3xf64>, tensor<2x3x4xf64>, tensor<2x3x3xf64>, tensor<2x4x4xf64>)
    %want0 = stablehlo.constant dense<"0x2EA2DD1240CCCA3F0586DD3EF0AAE33F691EBD845056E83F9D34F26D8518E03F99453896682DE33FB79F0898C0EDE3BF40E487C267D5EA3FCB46C37CE669E0BFFB4DB37BDC82C73F36F1E4A18E39ED3FA92E9F4CFC80BEBFE052AD7DF5EDD8BF4BF0C5002332A73F028270D57A5CEF3F061630880AC7C8BFE205523B79E8D93FEFA2EE95AF5EC43F3B18C3D570D0EC3F"> : tensor<2x3x3xf64>
    check.expect_almost_eq %got#0, %want0, tolerance = 9.800000e-13 : tensor<2x3x3xf64>
    %want1 = stablehlo.constant dense<"0x63AFB75945F413405D70ACF8E180084028EA33B40A8004403B33098CF74E144018EF98A91B861040642FA001E20B0140"> : tensor<2x3xf64>
    check.expect_almost_eq %got#1, %want1, tolerance = 5.100000e-12 : tensor<2x3xf64>
    %want2 = stablehlo.constant dense<"0xF65AE903F59CC3BFFBEE64DE47C7E53FB15EE70AD6DBE63F222050DC1655AC3F27CA34CECEC3EC3FDBB1DC269964D93F721C1E9189C6C7BF077E8C959E147D3F61A6F7E728ACD73FF5A7ACA08E35E1BF37AE4C3824FFE33F34F2EC76F569DBBF9299896D6A62EB3F2EC5BCACCFCCD43F6F964896CE89D63FB9E4DB39D2F5C83FD94F84A0B4BCD6BFA5A8B5143A48EA3F93FB5D0817B3D23F608413385598D5BF2988BF4ACFD3D7BF6DBECB46A50B9F3F2AAD7FCDC2C4DA3FF1AABD2AB67EEA3F"> : tensor<2x3x4xf64>
    check.expect_almost_eq %got#2, %want2, tolerance = 9.000000e-13 : tensor<2x3x4xf64>
    %want3 = stablehlo.constant dense<"0x000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : tensor<2x3x3xf64>
    check.expect_almost_eq %got#3, %want3, tolerance = 1.000000e-15 : tensor<2x3x3xf64>
    %want4 = stablehlo.constant dense<"0xDE6A2831B638A03FE5D15C5A025EABBF02256CD9AE2FA73F4F7D4DF25C8CC43FE5D15C5A025EABBFE82A14A6E415B73F7A298501068FB3BFCD8FA41D5C55D1BF02256CD9AE2FA73F7A298501068FB3BF8587D5661692B03F2741B2DDE75ECD3F4F7D4DF25C8CC43FCD8FA41D5C55D1BF2741B2DDE75ECD3F0643503B7507EA3FF7250E8C714C673F811E40FBBD8C993F8B1AD801B96CA5BFCEC5DAD01B05963F811E40FBBD8C993F8E80C858B904CC3FEC3B3464AB7ED7BFB7442584C725C83F8B1AD801B96CA5BFEC3B3464AB7ED7BF4C44CCF895B3E33FE74F0623B73FD4BFCEC5DAD01B05963FB7442584C725C83FE74F0623B73FD4BFB235D6FDBCCFC43F"> : tensor<2x4x4xf64>
    check.expect_almost_eq %got#4, %want4, tolerance = 8.100000e-13 : tensor<2x4x4xf64>
    return
  }
  func.func private @jax(%arg0: tensor<2x3x4xf64>) -> (tensor<2x3x3xf64> {jax.result_info = "result[0]"}, tensor<2x3xf64> {jax.result_info = "result[1]"}, tensor<2x3x4xf64> {jax.result_info = "result[2]"}, tensor<2x3x3xf64> {jax.result_info = "result[3]"}, tensor<2x4x4xf64> {jax.result_info = "result[4]"}) {
    %0:3 = call @svd(%arg0) : (tensor<2x3x4xf64>) -> (tensor<2x3x3xf64>, tensor<2x3xf64>, tensor<2x4x4xf64>)
    %1 = stablehlo.slice %0#2 [0:2, 0:3, 0:4] : (tensor<2x4x4xf64>) -> tensor<2x3x4xf64>
    %2 = stablehlo.transpose %1, dims = [0, 2, 1] : (tensor<2x3x4xf64>) -> tensor<2x4x3xf64>
    %3 = stablehlo.abs %2 : tensor<2x4x3xf64>
    %4 = call @argmax(%3) : (tensor<2x4x3xf64>) -> tensor<2x3xi64>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 2] : (tensor<2x3xi64>) -> tensor<2x1x3xi64>
    %6 = call @take_along_axis(%2, %5) : (tensor<2x4x3xf64>, tensor<2x1x3xi64>) -> tensor<2x1x3xf64>
    %7 = stablehlo.sign %6 : tensor<2x1x3xf64>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1, 2] : (tensor<2x1x3xf64>) -> tensor<2x4x3xf64>
    %9 = stablehlo.multiply %2, %8 : tensor<2x4x3xf64>
    %10 = stablehlo.multiply %9, %2 : tensor<2x4x3xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %11 = stablehlo.reduce(%10 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<2x4x3xf64>, tensor<f64>) -> tensor<2x3xf64>
    %12 = stablehlo.slice %0#0 [0:2, 0:3, 3:3] : (tensor<2x3x3xf64>) -> tensor<2x3x0xf64>
    %13 = stablehlo.slice %0#2 [0:2, 3:4, 0:4] : (tensor<2x4x4xf64>) -> tensor<2x1x4xf64>
    %14 = stablehlo.broadcast_in_dim %11, dims = [0, 2] : (tensor<2x3xf64>) -> tensor<2x1x3xf64>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<2x1x3xf64>) -> tensor<2x3x3xf64>
    %16 = stablehlo.multiply %0#0, %15 : tensor<2x3x3xf64>
    %17 = stablehlo.slice %0#2 [0:2, 0:3, 0:4] : (tensor<2x4x4xf64>) -> tensor<2x3x4xf64>
    %18 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<2x3xf64>) -> tensor<2x3x1xf64>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2] : (tensor<2x3x1xf64>) -> tensor<2x3x4xf64>
    %20 = stablehlo.multiply %17, %19 : tensor<2x3x4xf64>
    %21 = stablehlo.transpose %12, dims = [0, 2, 1] : (tensor<2x3x0xf64>) -> tensor<2x0x3xf64>
    %22 = stablehlo.dot_general %12, %21, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x3x0xf64>, tensor<2x0x3xf64>) -> tensor<2x3x3xf64>
    %23 = stablehlo.transpose %13, dims = [0, 2, 1] : (tensor<2x1x4xf64>) -> tensor<2x4x1xf64>
    %24 = stablehlo.dot_general %23, %13, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x1xf64>, tensor<2x1x4xf64>) -> tensor<2x4x4xf64>
    return %16, %0#1, %20, %22, %24 : tensor<2x3x3xf64>, tensor<2x3xf64>, tensor<2x3x4xf64>, tensor<2x3x3xf64>, tensor<2x4x4xf64>
  }
  func.func private @svd(%arg0: tensor<2x3x4xf64>) -> (tensor<2x3x3xf64>, tensor<2x3xf64>, tensor<2x4x4xf64>) {
    %0:5 = stablehlo.custom_call @lapack_dgesdd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 65 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i, o, p], [i, q, r], [i]) {i=2, j=3, k=4, l=3, m=4, n=3, o=3, p=3, q=4, r=4}, custom>} : (tensor<2x3x4xf64>) -> (tensor<2x3x4xf64>, tensor<2x3xf64>, tensor<2x3x3xf64>, tensor<2x4x4xf64>, tensor<2xi32>)
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
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f64>) -> tensor<2x4x4xf64>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x4x4xi1>
    %14 = stablehlo.select %13, %0#3, %12 : tensor<2x4x4xi1>, tensor<2x4x4xf64>
    return %10, %6, %14 : tensor<2x3x3xf64>, tensor<2x3xf64>, tensor<2x4x4xf64>
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
    %in0 = stablehlo.constant dense<"0x28307A8E723CFE3F343ACE206B21E7BFB83C2D78B7FCFBBFC032DE5A6F7BA03FEC2A8E990B3EFABFC0EFEEBE7851B93FFAFDC08334A1FEBF18E950687778F33F54810004BE1EE0BFC00321EB0A87FEBFCE6A7BAF0D25F03F6E1DA53F622FFC3F7CA2970DF106EF3FD2ADD6DD4F93FEBF8093D732E884AD3F10E2221F84E2D93FC03D8C813552FDBF30AC373FDB67EF3F9480375A1066E5BF50767A74E849D6BF8F4F81F9C5C70A40EE936E304CAEFDBF5060E38D03FEE1BF7C0E77C04049E4BF0ACF6737AB69F43FA0079C29B71EBC3F080ADCFC4CE7E53FA43C928DEF3EEB3F40517B9C6F11FEBF4A702CB569A7F4BF7CC8FF166871EC3FE203158DD966FABF1EDE0F559B42F0BF2018D699D232DF3F9C3B0E2C22A5F33F004194ECF1B18D3F723992BBF1C4F5BF06B81E00AB2DF0BFBE1409D9797BF63FD0F6BB7A36FCC2BFD4E388FFC700EB3FA856F6033DDCE23F50D5F563E134CCBF561CD279F11FFEBF3D709E6BD9BB0C40E097EC82FC81B03F587129BC9F5FEDBF8674A744D60BF63F"> : tensor<2x3x4xcomplex<f64>>
    %got:5 = call @jax(%in0) : (tensor<2x3x4xcomplex<f64>>) -> (tensor<2x3x3xcomplex<f64>>, tensor<2x3xf64>, tensor<2x3x4xcomplex<f64>>, tensor<2x3x3xcomplex<f64>>, tensor<2x4x4xcomplex<f64>>)
    %want0 = stablehlo.constant dense<"0x946B0CF1B8EBE2BFFA921F037FA5B93F048FE5E9C814DABF2333C37C4D8AC83F55256A46B349E0BF73A51D9F3009DBBFAA3545E5B24BCF3F752D766F0EA491BFA6DFEB077281C33F6617281BD9FCE83F14E6F7DAC6FBD13F72E3DB492A8FDEBF706D636267C6E33FA6CA1213B581DCBF5B29F94A8F4CD9BFBF27A0B541CFB63FD9E8FDD71013E0BF3F5378C059E6AC3F6769CD9C21E5DEBFE76D057FC4E0CABF42D6E1220E79E13F89827496453ACA3FBB6A765ACE79DF3FD75A8DDE4105D83F0D9FD27DB0D6D3BF7881F0F2F905C7BF1CC5F7C79B8CDCBFB359E1B01767E03F609FD6D1C3A5D43F5CBF0276B5B1E1BF53F46698557AE83F9071AA459AB3B83FEA303A82E122D33FAB8C081C951AD53FA7C5627498A9DB3FC462CD9B4060C2BF"> : tensor<2x3x3xcomplex<f64>>
    check.expect_almost_eq %got#0, %want0, tolerance = 8.000000e-13 : tensor<2x3x3xcomplex<f64>>
    %want1 = stablehlo.constant dense<"0x7776B9335E911540848F0E003DFA0F402892A6CD2F9DFB3F7503FC73716C1640AF083246CA71034091F7E35FFF7FF73F"> : tensor<2x3xf64>
    check.expect_almost_eq %got#1, %want1, tolerance = 5.600000e-12 : tensor<2x3xf64>
    %want2 = stablehlo.constant dense<"0x8D80984789E9E0BFE807D8AC6137B5BFFC7A6E2235A3C73FB1B959B7BF52913F53776DADEB98E83FB47792EDD04E6DBC71A5BAA67C63CC3F069C3C84F766C9BFAA7593815DA2DABF79722FB9CD4FA8BF5CA9A856F2DDE33FA5B47176374B813C5C0465A7682DE1BFD87D39A59AB8B5BFF8292EB40014D83FCBD7A16C4A22A83F7BAF465F8930E43F160D30163BC68A3CC8BF0BAAEA8FD73F097A661FA719D03F9A3E24F9036FBC3FC8F2BCA1B80AA6BFB5872BB306A8D33FB31511A74A5EE1BFADF1B6EE268EAA3F7772053E50DEA63FE9C9E4D4A35FCCBFC7E4AFDEEFC7D0BF922210C1D6E3E93F00E5314D1FFD743CB580C71FDA37C8BF9506D4BAE8ADDB3FD268BE674C9BE83F8C6095070618863CBD856E63B2DFD1BFCFCF69419B1AD5BF0B166827187FA6BF58792EC431B7C1BF2BF79C8464C9C3BFB3A49016D0ECDABF88F674EC6D9FCE3F2BB65F18C7C3D3BFED0D26C2F190EA3F70AE531C9EB56EBCC1B0C5387130C63F3CF346F24E3ED4BFB4C33B47C409C5BFB290DBE996A5A03F"> : tensor<2x3x4xcomplex<f64>>
    check.expect_almost_eq %got#2, %want2, tolerance = 8.300000e-13 : tensor<2x3x4xcomplex<f64>>
    %want3 = stablehlo.constant dense<"0x000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : tensor<2x3x3xcomplex<f64>>
    check.expect_almost_eq %got#3, %want3, tolerance = 1.000000e-15 : tensor<2x3x3xcomplex<f64>>
    %want4 = stablehlo.constant dense<"0x6915487061F5C13FB0953D8E4734333C470AB133F302C03FB9F11F4D6FE7C8BFF488DA0E05D7BB3F0B6562B405BDA7BF7BE2FFF42BD8B03FBF2F1A375747CC3F470AB133F302C03FB9F11F4D6FE7C83FC0644E91DB67D83FC0ABE1D2C4705E3C5A72583F00A4C43F490121845506BC3FDC5ACA01DAB4CFBFE9163E2D3872D23FF488DA0E05D7BB3F0A6562B405BDA73F5A72583F00A4C43F490121845506BCBFA8D678186380B93F80B7FF314D7A203C8B04BAB2CE8896BFF96FC37CD7B3C83F7BE2FFF42BD8B03FBE2F1A375747CCBFDC5ACA01DAB4CFBFE8163E2D3872D2BF8B04BAB2CE8896BFF96FC37CD7B3C8BFDE5A6FF05A3DD83F107F91490E283B3CF2B99CEC1E17D03F28A75C7D27E5453C2D6DF2A21C25A43FE0FCF59B19C14C3FDF2112ADBEDBC2BFB1FC029BDF14C53FED33B9872951C43FD29CB3627D7AD53F2D6DF2A21C25A43FDFFCF59B19C14CBFA4137BA1E13B793FE09D0F849AE100BC12F87EDF9B0597BFD1DFBE53A7EB9A3F6882C9EFE2A29A3F6CF5C110759BAA3FDF2112ADBEDBC2BFB2FC029BDF14C5BF12F87EDF9B0597BFD1DFBE53A7EB9ABFA463BC64A1DCC83FA41F9AF9953C52BC7CC0A91E283CC03F8ECB9AAED83DD3BFED33B9872951C43FD29CB3627D7AD5BF6882C9EFE2A29A3F6BF5C110759BAABF7CC0A91E283CC03F8ECB9AAED83DD33FF7933F6DD08AE13F00808FBAAB9FD83B"> : tensor<2x4x4xcomplex<f64>>
    check.expect_almost_eq %got#4, %want4, tolerance = 5.500000e-13 : tensor<2x4x4xcomplex<f64>>
    return
  }
  func.func private @jax(%arg0: tensor<2x3x4xcomplex<f64>>) -> (tensor<2x3x3xcomplex<f64>> {jax.result_info = "result[0]"}, tensor<2x3xf64> {jax.result_info = "result[1]"}, tensor<2x3x4xcomplex<f64>> {jax.result_info = "result[2]"}, tensor<2x3x3xcomplex<f64>> {jax.result_info = "result[3]"}, tensor<2x4x4xcomplex<f64>> {jax.result_info = "result[4]"}) {
    %0:3 = call @svd(%arg0) : (tensor<2x3x4xcomplex<f64>>) -> (tensor<2x3x3xcomplex<f64>>, tensor<2x3xf64>, tensor<2x4x4xcomplex<f64>>)
    %1 = stablehlo.slice %0#2 [0:2, 0:3, 0:4] : (tensor<2x4x4xcomplex<f64>>) -> tensor<2x3x4xcomplex<f64>>
    %2 = stablehlo.transpose %1, dims = [0, 2, 1] : (tensor<2x3x4xcomplex<f64>>) -> tensor<2x4x3xcomplex<f64>>
    %3 = stablehlo.real %2 : (tensor<2x4x3xcomplex<f64>>) -> tensor<2x4x3xf64>
    %4 = stablehlo.real %2 : (tensor<2x4x3xcomplex<f64>>) -> tensor<2x4x3xf64>
    %5 = stablehlo.multiply %3, %4 : tensor<2x4x3xf64>
    %6 = stablehlo.imag %2 : (tensor<2x4x3xcomplex<f64>>) -> tensor<2x4x3xf64>
    %7 = stablehlo.imag %2 : (tensor<2x4x3xcomplex<f64>>) -> tensor<2x4x3xf64>
    %8 = stablehlo.multiply %6, %7 : tensor<2x4x3xf64>
    %9 = stablehlo.add %5, %8 : tensor<2x4x3xf64>
    %10 = call @argmax(%9) : (tensor<2x4x3xf64>) -> tensor<2x3xi64>
    %11 = stablehlo.broadcast_in_dim %10, dims = [0, 2] : (tensor<2x3xi64>) -> tensor<2x1x3xi64>
    %12 = call @take_along_axis(%2, %11) : (tensor<2x4x3xcomplex<f64>>, tensor<2x1x3xi64>) -> tensor<2x1x3xcomplex<f64>>
    %13 = stablehlo.real %12 : (tensor<2x1x3xcomplex<f64>>) -> tensor<2x1x3xf64>
    %14 = stablehlo.imag %12 : (tensor<2x1x3xcomplex<f64>>) -> tensor<2x1x3xf64>
    %15 = stablehlo.negate %14 : tensor<2x1x3xf64>
    %16 = stablehlo.complex %13, %15 : tensor<2x1x3xcomplex<f64>>
    %17 = stablehlo.broadcast_in_dim %16, dims = [0, 1, 2] : (tensor<2x1x3xcomplex<f64>>) -> tensor<2x4x3xcomplex<f64>>
    %18 = stablehlo.multiply %2, %17 : tensor<2x4x3xcomplex<f64>>
    %19 = stablehlo.real %12 : (tensor<2x1x3xcomplex<f64>>) -> tensor<2x1x3xf64>
    %20 = stablehlo.real %12 : (tensor<2x1x3xcomplex<f64>>) -> tensor<2x1x3xf64>
    %21 = stablehlo.multiply %19, %20 : tensor<2x1x3xf64>
    %22 = stablehlo.imag %12 : (tensor<2x1x3xcomplex<f64>>) -> tensor<2x1x3xf64>
    %23 = stablehlo.imag %12 : (tensor<2x1x3xcomplex<f64>>) -> tensor<2x1x3xf64>
    %24 = stablehlo.multiply %22, %23 : tensor<2x1x3xf64>
    %25 = stablehlo.add %21, %24 : tensor<2x1x3xf64>
    %26 = stablehlo.sqrt %25 : tensor<2x1x3xf64>
    %27 = stablehlo.convert %26 : (tensor<2x1x3xf64>) -> tensor<2x1x3xcomplex<f64>>
    %28 = stablehlo.broadcast_in_dim %27, dims = [0, 1, 2] : (tensor<2x1x3xcomplex<f64>>) -> tensor<2x4x3xcomplex<f64>>
    %29 = stablehlo.divide %18, %28 : tensor<2x4x3xcomplex<f64>>
    %30 = stablehlo.real %2 : (tensor<2x4x3xcomplex<f64>>) -> tensor<2x4x3xf64>
    %31 = stablehlo.imag %2 : (tensor<2x4x3xcomplex<f64>>) -> tensor<2x4x3xf64>
    %32 = stablehlo.negate %31 : tensor<2x4x3xf64>
    %33 = stablehlo.complex %30, %32 : tensor<2x4x3xcomplex<f64>>
    %34 = stablehlo.multiply %29, %33 : tensor<2x4x3xcomplex<f64>>
    %cst = stablehlo.constant dense<(0.000000e+00,0.000000e+00)> : tensor<complex<f64>>
    %35 = stablehlo.reduce(%34 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<2x4x3xcomplex<f64>>, tensor<complex<f64>>) -> tensor<2x3xcomplex<f64>>
    %36 = stablehlo.slice %0#0 [0:2, 0:3, 3:3] : (tensor<2x3x3xcomplex<f64>>) -> tensor<2x3x0xcomplex<f64>>
    %37 = stablehlo.slice %0#2 [0:2, 3:4, 0:4] : (tensor<2x4x4xcomplex<f64>>) -> tensor<2x1x4xcomplex<f64>>
    %38 = stablehlo.real %35 : (tensor<2x3xcomplex<f64>>) -> tensor<2x3xf64>
    %39 = stablehlo.imag %35 : (tensor<2x3xcomplex<f64>>) -> tensor<2x3xf64>
    %40 = stablehlo.negate %39 : tensor<2x3xf64>
    %41 = stablehlo.complex %38, %40 : tensor<2x3xcomplex<f64>>
    %42 = stablehlo.broadcast_in_dim %41, dims = [0, 2] : (tensor<2x3xcomplex<f64>>) -> tensor<2x1x3xcomplex<f64>>
    %43 = stablehlo.broadcast_in_dim %42, dims = [0, 1, 2] : (tensor<2x1x3xcomplex<f64>>) -> tensor<2x3x3xcomplex<f64>>
    %44 = stablehlo.multiply %0#0, %43 : tensor<2x3x3xcomplex<f64>>
    %45 = stablehlo.slice %0#2 [0:2, 0:3, 0:4] : (tensor<2x4x4xcomplex<f64>>) -> tensor<2x3x4xcomplex<f64>>
    %46 = stablehlo.broadcast_in_dim %35, dims = [0, 1] : (tensor<2x3xcomplex<f64>>) -> tensor<2x3x1xcomplex<f64>>
    %47 = stablehlo.broadcast_in_dim %46, dims = [0, 1, 2] : (tensor<2x3x1xcomplex<f64>>) -> tensor<2x3x4xcomplex<f64>>
    %48 = stablehlo.multiply %45, %47 : tensor<2x3x4xcomplex<f64>>
    %49 = stablehlo.transpose %36, dims = [0, 2, 1] : (tensor<2x3x0xcomplex<f64>>) -> tensor<2x0x3xcomplex<f64>>
    %50 = stablehlo.real %49 : (tensor<2x0x3xcomplex<f64>>) -> tensor<2x0x3xf64>
    %51 = stablehlo.imag %49 : (tensor<2x0x3xcomplex<f64>>) -> tensor<2x0x3xf64>
    %52 = stablehlo.negate %51 : tensor<2x0x3xf64>
    %53 = stablehlo.complex %50, %52 : tensor<2x0x3xcomplex<f64>>
    %54 = stablehlo.dot_general %36, %53, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x3x0xcomplex<f64>>, tensor<2x0x3xcomplex<f64>>) -> tensor<2x3x3xcomplex<f64>>
    %55 = stablehlo.transpose %37, dims = [0, 2, 1] : (tensor<2x1x4xcomplex<f64>>) -> tensor<2x4x1xcomplex<f64>>
    %56 = stablehlo.real %55 : (tensor<2x4x1xcomplex<f64>>) -> tensor<2x4x1xf64>
    %57 = stablehlo.imag %55 : (tensor<2x4x1xcomplex<f64>>) -> tensor<2x4x1xf64>
    %58 = stablehlo.negate %57 : tensor<2x4x1xf64>
    %59 = stablehlo.complex %56, %58 : tensor<2x4x1xcomplex<f64>>
    %60 = stablehlo.dot_general %59, %37, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x1xcomplex<f64>>, tensor<2x1x4xcomplex<f64>>) -> tensor<2x4x4xcomplex<f64>>
    return %44, %0#1, %48, %54, %60 : tensor<2x3x3xcomplex<f64>>, tensor<2x3xf64>, tensor<2x3x4xcomplex<f64>>, tensor<2x3x3xcomplex<f64>>, tensor<2x4x4xcomplex<f64>>
  }
  func.func private @svd(%arg0: tensor<2x3x4xcomplex<f64>>) -> (tensor<2x3x3xcomplex<f64>>, tensor<2x3xf64>, tensor<2x4x4xcomplex<f64>>) {
    %0:5 = stablehlo.custom_call @lapack_zgesdd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 65 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i, o, p], [i, q, r], [i]) {i=2, j=3, k=4, l=3, m=4, n=3, o=3, p=3, q=4, r=4}, custom>} : (tensor<2x3x4xcomplex<f64>>) -> (tensor<2x3x4xcomplex<f64>>, tensor<2x3xf64>, tensor<2x3x3xcomplex<f64>>, tensor<2x4x4xcomplex<f64>>, tensor<2xi32>)
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
    %12 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<complex<f64>>) -> tensor<2x4x4xcomplex<f64>>
    %13 = stablehlo.broadcast_in_dim %11, dims = [0, 1, 2] : (tensor<2x1x1xi1>) -> tensor<2x4x4xi1>
    %14 = stablehlo.select %13, %0#3, %12 : tensor<2x4x4xi1>, tensor<2x4x4xcomplex<f64>>
    return %10, %6, %14 : tensor<2x3x3xcomplex<f64>>, tensor<2x3xf64>, tensor<2x4x4xcomplex<f64>>
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
