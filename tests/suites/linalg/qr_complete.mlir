// float32 [5, 3], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0xFDC68D3FD643BABEAEAA34BED29AE73F0DB0D63F5AC7E9BFBF4ED6BFCB96DDBC0F32934020A7C1BE4CFBEA3F8762B0BF76BD403F32FDD7BFF869CE3E"> : tensor<5x3xf32>
    %got:2 = call @jax(%in0) : (tensor<5x3xf32>) -> (tensor<5x5xf32>, tensor<5x3xf32>)
    %want0 = stablehlo.constant dense<"0x3454C8BE4EE91C3E05AE9FBE40ED163FD4831DBF78A023BF17AF00BF6F63E6BEEA438EBE2EF0783E1268173FF25925BD2E6B4BBF6C07B03D7AB1CA3D69D0083E0EA41EBF0CB1753EE53B2D3F5731933E552B88BE1DE0143F269ED9BDF8BDA93E1A7B2F3F"> : tensor<5x5xf32>
    check.expect_almost_eq %got#0, %want0, tolerance = 1.600000e-05 : tensor<5x5xf32>
    %want1 = stablehlo.constant dense<"0x4C2D35C078D780BECB986A4000000000761141C04599E53F00000000000000000AB549C0000000000000000000000000000000000000000000000000"> : tensor<5x3xf32>
    check.expect_almost_eq %got#1, %want1, tolerance = 7.300000e-05 : tensor<5x3xf32>
    return
  }
  func.func private @jax(%arg0: tensor<5x3xf32>) -> (tensor<5x5xf32> {jax.result_info = "result.Q"}, tensor<5x3xf32> {jax.result_info = "result.R"}) {
    %0:2 = call @qr(%arg0) : (tensor<5x3xf32>) -> (tensor<5x5xf32>, tensor<5x3xf32>)
    return %0#0, %0#1 : tensor<5x5xf32>, tensor<5x3xf32>
  }
  func.func private @qr(%arg0: tensor<5x3xf32>) -> (tensor<5x5xf32>, tensor<5x3xf32>) {
    %0:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m]) {i=5, j=3, k=5, l=3, m=3}, custom>} : (tensor<5x3xf32>) -> (tensor<5x3xf32>, tensor<3xf32>)
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.pad %0#0, %cst, low = [0, 0], high = [0, 2], interior = [0, 0] : (tensor<5x3xf32>, tensor<f32>) -> tensor<5x5xf32>
    %2 = stablehlo.custom_call @lapack_sorgqr_ffi(%1, %0#1) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k])->([l, m]) {i=5, j=5, k=3, l=5, m=5}, custom>} : (tensor<5x5xf32>, tensor<3xf32>) -> tensor<5x5xf32>
    %3 = stablehlo.iota dim = 0 : tensor<5x3xi64>
    %c = stablehlo.constant dense<-1> : tensor<i64>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<5x3xi64>
    %5 = stablehlo.add %3, %4 : tensor<5x3xi64>
    %6 = stablehlo.iota dim = 1 : tensor<5x3xi64>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<5x3xi64>, tensor<5x3xi64>) -> tensor<5x3xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<5x3xf32>
    %9 = stablehlo.select %7, %8, %0#0 : tensor<5x3xi1>, tensor<5x3xf32>
    return %2, %9 : tensor<5x5xf32>, tensor<5x3xf32>
  }
}
// -----
// float32 [2, 3, 4], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x20429D40567B22BFC189E6BED7BADABE25EC96BC97BB5D401A1FB9BF13C4D1BF6834F63FCA50303F140A22406D8FD7BEEC6B3140DB599ABFF432F03F0447A93F5224EEBF582D6F40A410973F27F9E53F5D4E25BF4B40673FA9CC3C409E0489BF"> : tensor<2x3x4xf32>
    %got:2 = call @jax(%in0) : (tensor<2x3x4xf32>) -> (tensor<2x3x3xf32>, tensor<2x3x4xf32>)
    %want0 = stablehlo.constant dense<"0x8A636EBF76EEAF3DF65CB5BEC3C8643B333D78BFBB337ABE919CBABE8A416ABEC415673F10B350BF098A12BFEA18B43DE70F0C3F149F4FBFA31C54BEBA72423E744EF7BD0F6F793F"> : tensor<2x3x3xf32>
    check.expect_almost_eq %got#0, %want0, tolerance = 1.900000e-05 : tensor<2x3x3xf32>
    %want1 = stablehlo.constant dense<"0x3BE0A8C06C46B43EE13002BFF4A80B3F00000000789564C024D7483F9209D33F0000000000000000C9173340C8D32F3E16A259C08AC04C4040DCA5BE28C998BE000000003CC81CC0DECD18C0BB6E05C0000000000000000056DF32402541A6BF"> : tensor<2x3x4xf32>
    check.expect_almost_eq %got#1, %want1, tolerance = 1.100000e-04 : tensor<2x3x4xf32>
    return
  }
  func.func private @jax(%arg0: tensor<2x3x4xf32>) -> (tensor<2x3x3xf32> {jax.result_info = "result.Q"}, tensor<2x3x4xf32> {jax.result_info = "result.R"}) {
    %0:2 = call @qr(%arg0) : (tensor<2x3x4xf32>) -> (tensor<2x3x3xf32>, tensor<2x3x4xf32>)
    return %0#0, %0#1 : tensor<2x3x3xf32>, tensor<2x3x4xf32>
  }
  func.func private @qr(%arg0: tensor<2x3x4xf32>) -> (tensor<2x3x3xf32>, tensor<2x3x4xf32>) {
    %0:2 = stablehlo.custom_call @lapack_sgeqrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n]) {i=2, j=3, k=4, l=3, m=4, n=3}, custom>} : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3xf32>)
    %1 = stablehlo.slice %0#0 [0:2, 0:3, 0:3] : (tensor<2x3x4xf32>) -> tensor<2x3x3xf32>
    %2 = stablehlo.custom_call @lapack_sorgqr_ffi(%1, %0#1) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l])->([i, m, n]) {i=2, j=3, k=3, l=3, m=3, n=3}, custom>} : (tensor<2x3x3xf32>, tensor<2x3xf32>) -> tensor<2x3x3xf32>
    %3 = stablehlo.iota dim = 0 : tensor<3x4xi64>
    %c = stablehlo.constant dense<-1> : tensor<i64>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<3x4xi64>
    %5 = stablehlo.add %3, %4 : tensor<3x4xi64>
    %6 = stablehlo.iota dim = 1 : tensor<3x4xi64>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<3x4xi64>, tensor<3x4xi64>) -> tensor<3x4xi1>
    %8 = stablehlo.broadcast_in_dim %7, dims = [1, 2] : (tensor<3x4xi1>) -> tensor<2x3x4xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3x4xf32>
    %10 = stablehlo.select %8, %9, %0#0 : tensor<2x3x4xi1>, tensor<2x3x4xf32>
    return %2, %10 : tensor<2x3x3xf32>, tensor<2x3x4xf32>
  }
}
// -----
// float64 [5, 3], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x975F39A707160340086094868DFAD5BFBCA8E5F573DFEABF5094E010BF64D8BF879DE9EB74240D40408B7AC1DA9AC23F622192AEF7FEFF3F9A6BDD04CD74FB3F98DA1EC1730CF63F0081781511548D3FA84941B698A5D13FA640A5B95D83F8BF5C4BC9577268E33F76C901442A02FEBFB29B3D7EF3B1F33F"> : tensor<5x3xf64>
    %got:2 = call @jax(%in0) : (tensor<5x3xf64>) -> (tensor<5x5xf64>, tensor<5x3xf64>)
    %want0 = stablehlo.constant dense<"0xC42188CB41E6E7BFF7DCDD10D6E7B43F10851C0BA3BADD3F7A6C79AA3795DBBF4D15E092549BC73F5322632EA28BBE3F716203607D23EABF3239FC815622A8BFFD5AFB7F7AB0C7BFD7328064D3FEE03F147468055708E4BF54E5C9918E59D8BF82F08CE7981FDBBFBAC0955EBF4CDA3F4C5B677FF4B0D5BFCDA5581FC75C72BFCDF6EEFCB29CAFBFFE2195B099AAE33F4B74BB001C21E83F6EF1CF29CE96CC3F8C084572754DC8BFDBD5C92BABF7DA3FBD6B30FC4356DEBF63EA8EC5C167CA3F2735C02E890EE73F"> : tensor<5x5xf64>
    check.expect_almost_eq %got#0, %want0, tolerance = 8.200000e-13 : tensor<5x5xf64>
    %want1 = stablehlo.constant dense<"0xFFD34A1B1E8E09C0B0CCE173A2F09CBFD9A686F8A17ADCBF0000000000000000D9006095EDDA11C0774510712C2CB9BF0000000000000000000000000000000049FFC633540C04C0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000"> : tensor<5x3xf64>
    check.expect_almost_eq %got#1, %want1, tolerance = 4.500000e-12 : tensor<5x3xf64>
    return
  }
  func.func private @jax(%arg0: tensor<5x3xf64>) -> (tensor<5x5xf64> {jax.result_info = "result.Q"}, tensor<5x3xf64> {jax.result_info = "result.R"}) {
    %0:2 = call @qr(%arg0) : (tensor<5x3xf64>) -> (tensor<5x5xf64>, tensor<5x3xf64>)
    return %0#0, %0#1 : tensor<5x5xf64>, tensor<5x3xf64>
  }
  func.func private @qr(%arg0: tensor<5x3xf64>) -> (tensor<5x5xf64>, tensor<5x3xf64>) {
    %0:2 = stablehlo.custom_call @lapack_dgeqrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m]) {i=5, j=3, k=5, l=3, m=3}, custom>} : (tensor<5x3xf64>) -> (tensor<5x3xf64>, tensor<3xf64>)
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %1 = stablehlo.pad %0#0, %cst, low = [0, 0], high = [0, 2], interior = [0, 0] : (tensor<5x3xf64>, tensor<f64>) -> tensor<5x5xf64>
    %2 = stablehlo.custom_call @lapack_dorgqr_ffi(%1, %0#1) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k])->([l, m]) {i=5, j=5, k=3, l=5, m=5}, custom>} : (tensor<5x5xf64>, tensor<3xf64>) -> tensor<5x5xf64>
    %3 = stablehlo.iota dim = 0 : tensor<5x3xi64>
    %c = stablehlo.constant dense<-1> : tensor<i64>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<5x3xi64>
    %5 = stablehlo.add %3, %4 : tensor<5x3xi64>
    %6 = stablehlo.iota dim = 1 : tensor<5x3xi64>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<5x3xi64>, tensor<5x3xi64>) -> tensor<5x3xi1>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f64>) -> tensor<5x3xf64>
    %9 = stablehlo.select %7, %8, %0#0 : tensor<5x3xi1>, tensor<5x3xf64>
    return %2, %9 : tensor<5x5xf64>, tensor<5x3xf64>
  }
}
// -----
// float64 [2, 3, 4], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0xD11EC20F0E5A0640C8BC02C87DA1D9BFC0A5503B232CE33F40FD3FFDA818AABFAAE6B4879D02F63FE0C956E5DAFA054080D5D5764B88BDBF8084CE5D1CEDBD3F1C4083738494EDBF7058546A2D53C0BF876F31AF75FE0740C88E935ACCD6EC3F4B8063C8CD64054040E8D1FC9940BCBFF4D754BE44E5E8BFE48B4D49E94AE63F9C51106C03BBF7BF38C22F99E24E1140DA758C2536C6FA3F2CCD82545A5EEEBFAA8900D5C751F9BF1A93801C53CCFD3F3866D2A49477FD3F00409C7B9D135F3F"> : tensor<2x3x4xf64>
    %got:2 = call @jax(%in0) : (tensor<2x3x4xf64>) -> (tensor<2x3x3xf64>, tensor<2x3x4xf64>)
    %want0 = stablehlo.constant dense<"0x006D3BE1A685EBBFFE788C107F7EDB3FB2FD1E88E69CD13F692BA178FC19DBBFEFFC5CBED7DCECBF7E93EE854BA6B53F036F28B61336D23FB7ABE59F486DA6BFEC74552B26A5EE3FEE7B0B0B84DAE8BF4FC7D9E92E7CE1BF0CC410B19A0ED43F5E6FC5D67791DB3F5E28346F005CEABF9FD9D57A5298D7BF6ADE8F9A046ADD3FAA5FB7053A5FC3BF06AC7DBD2101EC3F"> : tensor<2x3x3xf64>
    check.expect_almost_eq %got#0, %want0, tolerance = 9.600000e-13 : tensor<2x3x3xf64>
    %want1 = stablehlo.constant dense<"0x2996A3CA0CFD09C06014B9ADA85EEBBF77DD709776C4D83F6B11C82BBD0CD03F0000000000000000E34C8FA6182805C0A7521643B672CD3F879B59AC095AC5BF000000000000000000000000000000003EDDB897163808408A8BCF95497CEB3F5BDF9C0A9C8B0BC06A2C8992C1710640EDE08FD5395F014000D28ED7195EEEBF000000000000000095ADA15A76490EC05CF402AC7DB6F3BF960ABB50A0A6D93F000000000000000000000000000000002B3F667F1C08E83FD8158AFD473CE23F"> : tensor<2x3x4xf64>
    check.expect_almost_eq %got#1, %want1, tolerance = 3.800000e-12 : tensor<2x3x4xf64>
    return
  }
  func.func private @jax(%arg0: tensor<2x3x4xf64>) -> (tensor<2x3x3xf64> {jax.result_info = "result.Q"}, tensor<2x3x4xf64> {jax.result_info = "result.R"}) {
    %0:2 = call @qr(%arg0) : (tensor<2x3x4xf64>) -> (tensor<2x3x3xf64>, tensor<2x3x4xf64>)
    return %0#0, %0#1 : tensor<2x3x3xf64>, tensor<2x3x4xf64>
  }
  func.func private @qr(%arg0: tensor<2x3x4xf64>) -> (tensor<2x3x3xf64>, tensor<2x3x4xf64>) {
    %0:2 = stablehlo.custom_call @lapack_dgeqrf_ffi(%arg0) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n]) {i=2, j=3, k=4, l=3, m=4, n=3}, custom>} : (tensor<2x3x4xf64>) -> (tensor<2x3x4xf64>, tensor<2x3xf64>)
    %1 = stablehlo.slice %0#0 [0:2, 0:3, 0:3] : (tensor<2x3x4xf64>) -> tensor<2x3x3xf64>
    %2 = stablehlo.custom_call @lapack_dorgqr_ffi(%1, %0#1) {backend_config = "", mhlo.backend_config = {}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l])->([i, m, n]) {i=2, j=3, k=3, l=3, m=3, n=3}, custom>} : (tensor<2x3x3xf64>, tensor<2x3xf64>) -> tensor<2x3x3xf64>
    %3 = stablehlo.iota dim = 0 : tensor<3x4xi64>
    %c = stablehlo.constant dense<-1> : tensor<i64>
    %4 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i64>) -> tensor<3x4xi64>
    %5 = stablehlo.add %3, %4 : tensor<3x4xi64>
    %6 = stablehlo.iota dim = 1 : tensor<3x4xi64>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<3x4xi64>, tensor<3x4xi64>) -> tensor<3x4xi1>
    %8 = stablehlo.broadcast_in_dim %7, dims = [1, 2] : (tensor<3x4xi1>) -> tensor<2x3x4xi1>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %9 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2x3x4xf64>
    %10 = stablehlo.select %8, %9, %0#0 : tensor<2x3x4xi1>, tensor<2x3x4xf64>
    return %2, %10 : tensor<2x3x3xf64>, tensor<2x3x4xf64>
  }
}
