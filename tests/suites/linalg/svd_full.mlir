// float32 [5, 3], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x3A2490406286B53F9F21B3BF102548BE4DD68E40D997B8BF800DC1BEE665633EE37E4C406396A7BFCFB1BFBEDEB9AD3F73A7CE3F5E013EBCB818433F"> : tensor<5x3xf32>
    %got:5 = call @jax(%in0) : (tensor<5x3xf32>) -> (tensor<5x3xf32>, tensor<3xf32>, tensor<3x3xf32>, tensor<5x5xf32>, tensor<3x3xf32>)
    %want0 = stablehlo.constant dense<"0x68093D3F0D76F93E3897533ED571063F9CC14FBF26F0643E121093BE0EF1EA3A197A5D3F18D294BE7076F0BDDAC14F3E9BB7DF3D62C7993ED5A3AF3E"> : tensor<5x3xf32>
    check.expect_almost_eq %got#0, %want0, tolerance = 1.700000e-05 : tensor<5x3xf32>
    %want1 = stablehlo.constant dense<"0xB21CC04016548640249C4940"> : tensor<3xf32>
    check.expect_almost_eq %got#1, %want1, tolerance = 1.200000e-04 : tensor<3xf32>
    %want2 = stablehlo.constant dense<"0xCBD2253F727B123F04C500BF026C363FD84830BF7186093EAAFF893E360FE43EA6915A3F"> : tensor<3x3xf32>
    check.expect_almost_eq %got#2, %want2, tolerance = 1.700000e-05 : tensor<3x3xf32>
    %want3 = stablehlo.constant dense<"0x13D5323EED0F1EBD89F4043DC66F6B3E888498BEED0F1EBD678E7F3C3D6E28BD79A9443CC6A1E03D89F4043D3D6E28BDA5132D3E1C8284BE302A88BEC66F6B3E79A9443C1C8284BEF04D5C3F2C5229BB888498BEC6A1E03D302A88BE2C5229BBA7B9473F"> : tensor<5x5xf32>
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
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<3x3xf32>
    %7 = stablehlo.multiply %1, %6 : tensor<3x3xf32>
    %8 = stablehlo.abs %5 : tensor<1x3xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<3x3xf32>
    %10 = stablehlo.divide %7, %9 : tensor<3x3xf32>
    %11 = stablehlo.transpose %0#2, dims = [1, 0] : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %12 = stablehlo.multiply %10, %11 : tensor<3x3xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %13 = stablehlo.reduce(%12 init: %cst) applies stablehlo.add across dimensions = [0] : (tensor<3x3xf32>, tensor<f32>) -> tensor<3xf32>
    %14 = stablehlo.slice %0#0 [0:5, 3:5] : (tensor<5x5xf32>) -> tensor<5x2xf32>
    %15 = stablehlo.slice %0#2 [3:3, 0:3] : (tensor<3x3xf32>) -> tensor<0x3xf32>
    %16 = stablehlo.slice %0#0 [0:5, 0:3] : (tensor<5x5xf32>) -> tensor<5x3xf32>
    %17 = stablehlo.broadcast_in_dim %13, dims = [1] : (tensor<3xf32>) -> tensor<1x3xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1] : (tensor<1x3xf32>) -> tensor<5x3xf32>
    %19 = stablehlo.multiply %16, %18 : tensor<5x3xf32>
    %20 = stablehlo.broadcast_in_dim %13, dims = [0] : (tensor<3xf32>) -> tensor<3x1xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1] : (tensor<3x1xf32>) -> tensor<3x3xf32>
    %22 = stablehlo.multiply %0#2, %21 : tensor<3x3xf32>
    %23 = stablehlo.transpose %14, dims = [1, 0] : (tensor<5x2xf32>) -> tensor<2x5xf32>
    %24 = stablehlo.dot_general %14, %23, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<5x2xf32>, tensor<2x5xf32>) -> tensor<5x5xf32>
    %25 = stablehlo.transpose %15, dims = [1, 0] : (tensor<0x3xf32>) -> tensor<3x0xf32>
    %26 = stablehlo.dot_general %25, %15, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x0xf32>, tensor<0x3xf32>) -> tensor<3x3xf32>
    return %19, %0#1, %22, %24, %26 : tensor<5x3xf32>, tensor<3xf32>, tensor<3x3xf32>, tensor<5x5xf32>, tensor<3x3xf32>
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
    %in0 = stablehlo.constant dense<"0xBC6D9CE3A65F0940783FFD43F584D8BF9AC37D2097FAFB3F44B6D1010E09EB3F3809D2E67B37F3BF6BDA516AB2860D4086F0ED8FBDB1F73FDCDAAC6DEF2AF23F10B8ED38803CE63F9091EE8648DAE5BF6EDF1FA04865114080528E1AB2B9F83F8F639F8522950940309F66F5A273D83F68E905CDE89BD2BF80F9C2404A60FEBF10BCBC69B921E9BF3A9A7E22F7121040422368823A67F1BF9CF3774F8476EF3F908A4B7359D3E63F00E002D9B2C6BF3F06258CDB5AC0F63FA0C10F84EB98B2BF"> : tensor<2x3x4xf64>
    %got:5 = call @jax(%in0) : (tensor<2x3x4xf64>) -> (tensor<2x3x3xf64>, tensor<2x3xf64>, tensor<2x3x4xf64>, tensor<2x3x3xf64>, tensor<2x4x4xf64>)
    %want0 = stablehlo.constant dense<"0x419B80F3EFB1E03F42FA08406D81D8BF25302E364465E83F7C212434CBABCF3F0053EC8A3A8AED3FE433FEC70CD6D23F1078CC5A5520EA3FF30AEDC62BF6A1BFB974CE7C7D71E2BFE99F7474282BDABF00D42BDAC4C9EC3F67C8D0440F9DC3BF3549910E77E4EC3FFC0C5FBDDA15DB3FC2CE1DBCCC4DB33F6FAF6C4CDAFBC0BF386E441E4B86BB3FF79A534AA787EF3F"> : tensor<2x3x3xf64>
    check.expect_almost_eq %got#0, %want0, tolerance = 9.900000e-13 : tensor<2x3x3xf64>
    %want1 = stablehlo.constant dense<"0xE72770BD264416404EC090A93B7611400A805338BA660140A2CD5B2961061240091C847285F90C40CF01AD8FD934F73F"> : tensor<2x3xf64>
    check.expect_almost_eq %got#1, %want1, tolerance = 5.600000e-12 : tensor<2x3xf64>
    %want2 = stablehlo.constant dense<"0x483D93809021D63FB0F8440021A89C3F3DD7256829C3EB3FBC796652C6CDD63F9B896BA44335E1BFE98A6A75B439EA3FD09CDB0676F4BF3F31E0811DC7A8C33FF69F68F0E47AE83FD01551E44F79E13F6BFD18905BB3D5BF085423567F9FA43F892B8B5450FCDDBF9028195C038AE83F79DF5A48D0E0CDBF0D44268B21C5D73FBDD6CCB4A928E73F69FB71853F2EE23F1698C73C201CC4BF7DDBA7933BF7D6BF0EA454CD2A1CBB3F694703C5332FD03F93266630C515EE3F1D48BC2234E6C93F"> : tensor<2x3x4xf64>
    check.expect_almost_eq %got#2, %want2, tolerance = 9.400000e-13 : tensor<2x3x4xf64>
    %want3 = stablehlo.constant dense<"0x000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : tensor<2x3x3xf64>
    check.expect_almost_eq %got#3, %want3, tolerance = 1.000000e-15 : tensor<2x3x3xf64>
    %want4 = stablehlo.constant dense<"0xA13B0E55CFA6783FE8D462DE363C8B3F228625AD46259B3F251493DE6A49B2BFE8D462DE363C8B3FABD67BF0EF169E3F5517DA4F98FDAD3FDF870DAD0D34C4BF228625AD46259B3F5517DA4F98FDAD3FCAA9470756E4BD3FD1160DA10923D4BF251493DE6A49B2BFDF870DAD0D34C4BFD1160DA10923D4BF9B0FE9207021EB3F2AB9B265D06CCF3F5D0BCA638A23B4BF53147AE1A160B8BF96150B64DA62DA3F5D0BCA638A23B4BFF5A7E448E2CF993F89D6B0DEA63E9F3F761E8C9BDDE8C0BF53147AE1A160B8BF89D6B0DEA63E9F3FC2A5336A11E9A23F4D98C560F777C4BF96150B64DA62DA3F761E8C9BDDE8C0BF4D98C560F777C4BF18F2A8BDBB27E63F"> : tensor<2x4x4xf64>
    check.expect_almost_eq %got#4, %want4, tolerance = 8.500000e-13 : tensor<2x4x4xf64>
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
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1, 2] : (tensor<2x1x3xf64>) -> tensor<2x4x3xf64>
    %8 = stablehlo.multiply %2, %7 : tensor<2x4x3xf64>
    %9 = stablehlo.abs %6 : tensor<2x1x3xf64>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<2x1x3xf64>) -> tensor<2x4x3xf64>
    %11 = stablehlo.divide %8, %10 : tensor<2x4x3xf64>
    %12 = stablehlo.slice %0#2 [0:2, 0:3, 0:4] : (tensor<2x4x4xf64>) -> tensor<2x3x4xf64>
    %13 = stablehlo.transpose %12, dims = [0, 2, 1] : (tensor<2x3x4xf64>) -> tensor<2x4x3xf64>
    %14 = stablehlo.multiply %11, %13 : tensor<2x4x3xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %15 = stablehlo.reduce(%14 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<2x4x3xf64>, tensor<f64>) -> tensor<2x3xf64>
    %16 = stablehlo.slice %0#0 [0:2, 0:3, 3:3] : (tensor<2x3x3xf64>) -> tensor<2x3x0xf64>
    %17 = stablehlo.slice %0#2 [0:2, 3:4, 0:4] : (tensor<2x4x4xf64>) -> tensor<2x1x4xf64>
    %18 = stablehlo.broadcast_in_dim %15, dims = [0, 2] : (tensor<2x3xf64>) -> tensor<2x1x3xf64>
    %19 = stablehlo.broadcast_in_dim %18, dims = [0, 1, 2] : (tensor<2x1x3xf64>) -> tensor<2x3x3xf64>
    %20 = stablehlo.multiply %0#0, %19 : tensor<2x3x3xf64>
    %21 = stablehlo.slice %0#2 [0:2, 0:3, 0:4] : (tensor<2x4x4xf64>) -> tensor<2x3x4xf64>
    %22 = stablehlo.broadcast_in_dim %15, dims = [0, 1] : (tensor<2x3xf64>) -> tensor<2x3x1xf64>
    %23 = stablehlo.broadcast_in_dim %22, dims = [0, 1, 2] : (tensor<2x3x1xf64>) -> tensor<2x3x4xf64>
    %24 = stablehlo.multiply %21, %23 : tensor<2x3x4xf64>
    %25 = stablehlo.transpose %16, dims = [0, 2, 1] : (tensor<2x3x0xf64>) -> tensor<2x0x3xf64>
    %26 = stablehlo.dot_general %16, %25, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x3x0xf64>, tensor<2x0x3xf64>) -> tensor<2x3x3xf64>
    %27 = stablehlo.transpose %17, dims = [0, 2, 1] : (tensor<2x1x4xf64>) -> tensor<2x4x1xf64>
    %28 = stablehlo.dot_general %27, %17, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x4x1xf64>, tensor<2x1x4xf64>) -> tensor<2x4x4xf64>
    return %20, %0#1, %24, %26, %28 : tensor<2x3x3xf64>, tensor<2x3xf64>, tensor<2x3x4xf64>, tensor<2x3x3xf64>, tensor<2x4x4xf64>
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
