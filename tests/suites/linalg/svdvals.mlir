// float32 [5, 3], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x4DAF0B40064ADC3FA43EB0BC313020BF730A83409F9160BF78ED36BF843B683E52484D4038DCA2BF3B06CFBEBBEF5FBF74698ABF9357BBBF8BA6633E"> : tensor<5x3xf32>
    %got = call @jax(%in0) : (tensor<5x3xf32>) -> tensor<3xf32>
    %want0 = stablehlo.constant dense<"0x29469B407E715540BF233240"> : tensor<3xf32>
    check.expect_almost_eq %got, %want0, tolerance = 9.700000e-05 : tensor<3xf32>
    return
  }
  func.func private @jax(%arg0: tensor<5x3xf32>) -> (tensor<3xf32> {jax.result_info = "result"}) {
    %0 = call @svd(%arg0) : (tensor<5x3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  func.func private @svd(%arg0: tensor<5x3xf32>) -> tensor<3xf32> {
    %0:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 78 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], [n, o], [p, q], []) {i=5, j=3, k=5, l=3, m=3, n=5, o=5, p=3, q=3}, custom>} : (tensor<5x3xf32>) -> (tensor<5x3xf32>, tensor<3xf32>, tensor<5x5xf32>, tensor<3x3xf32>, tensor<i32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %2 = stablehlo.compare EQ, %0#4, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<1xi1>) -> tensor<3xi1>
    %6 = stablehlo.select %5, %0#1, %4 : tensor<3xi1>, tensor<3xf32>
    return %6 : tensor<3xf32>
  }
}
// -----
// float32 [2, 3, 4], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0xC4E01040E0525F3F19EAF43F6924EA3FBCA3E83F9F6D843FCD59F9BE14AAFABE616C56BF3D79703ED5AE55403D73973E7EBF8A404B806EBF2F0DE2BCBFE442BEB462FB3E88C47140E444343FDFD8AF3F6465E2BF84A464BF5B5D6E4061E3EB3E"> : tensor<2x3x4xf32>
    %got = call @jax(%in0) : (tensor<2x3x4xf32>) -> tensor<2x3xf32>
    %want0 = stablehlo.constant dense<"0x02A886408B105040C7959A3FA817A34097B0854029FD5540"> : tensor<2x3xf32>
    check.expect_almost_eq %got, %want0, tolerance = 1.000000e-04 : tensor<2x3xf32>
    return
  }
  func.func private @jax(%arg0: tensor<2x3x4xf32>) -> (tensor<2x3xf32> {jax.result_info = "result"}) {
    %0 = call @svd(%arg0) : (tensor<2x3x4xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func private @svd(%arg0: tensor<2x3x4xf32>) -> tensor<2x3xf32> {
    %0:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 78 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i, o, p], [i, q, r], [i]) {i=2, j=3, k=4, l=3, m=4, n=3, o=3, p=3, q=4, r=4}, custom>} : (tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3x3xf32>, tensor<2x4x4xf32>, tensor<2xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %2 = stablehlo.compare EQ, %0#4, %1, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xi1>) -> tensor<2x1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x3xf32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<2x1xi1>) -> tensor<2x3xi1>
    %6 = stablehlo.select %5, %0#1, %4 : tensor<2x3xi1>, tensor<2x3xf32>
    return %6 : tensor<2x3xf32>
  }
}
// -----
// float64 [5, 3], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0xC3D524DFDBC01140DA70EA26BCDAF53FD4EB3EB5C177E7BFD82C658D8CA6EDBF376EB7B2C58B0C407060C85238B4E33FD0FA681CD87BDB3F004ACD0E0F74DC3F7C9B8813F98C1340E229507E956FF13F88802F302BA6E1BFEA7CDF46BF1DF23FE27D332BAA58F03F58A1FCC12D22D53F066E7A341666F3BF"> : tensor<5x3xf64>
    %got = call @jax(%in0) : (tensor<5x3xf64>) -> tensor<3xf64>
    %want0 = stablehlo.constant dense<"0x27286C5AEE4715409EE3164E8A701340A0AC183E95BC0D40"> : tensor<3xf64>
    check.expect_almost_eq %got, %want0, tolerance = 5.300000e-12 : tensor<3xf64>
    return
  }
  func.func private @jax(%arg0: tensor<5x3xf64>) -> (tensor<3xf64> {jax.result_info = "result"}) {
    %0 = call @svd(%arg0) : (tensor<5x3xf64>) -> tensor<3xf64>
    return %0 : tensor<3xf64>
  }
  func.func private @svd(%arg0: tensor<5x3xf64>) -> tensor<3xf64> {
    %0:5 = stablehlo.custom_call @lapack_dgesdd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 78 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], [n, o], [p, q], []) {i=5, j=3, k=5, l=3, m=3, n=5, o=5, p=3, q=3}, custom>} : (tensor<5x3xf64>) -> (tensor<5x3xf64>, tensor<3xf64>, tensor<5x5xf64>, tensor<3x3xf64>, tensor<i32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %2 = stablehlo.compare EQ, %0#4, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %cst = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<3xf64>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<1xi1>) -> tensor<3xi1>
    %6 = stablehlo.select %5, %0#1, %4 : tensor<3xi1>, tensor<3xf64>
    return %6 : tensor<3xf64>
  }
}
// -----
// float64 [2, 3, 4], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x6CD82002A225F53F52AD97478826F5BFF88E15C0E8FFD2BF1C48F7BC11BEEE3F9826173DF247E0BF7128C08CD18F0140D42FDB6105B4EE3F761807FE315AFD3F66AE1C17D6E5FA3F4000A28B8A72A83FDC063EAC17A70F4030BE18AD775DFE3FACF47A2D54370B40F46EDF70FA23FC3FC45F1E625763FBBF2C6D5EF62275EF3F686DA07D0AB7D3BFE71317130BD30A40B6241C77E2D1FDBF4862C1EA522ED63F4020C6DF5A5FCABFEC65FB06B5C3F0BFDA38964F903DFF3F000C08FAB215D6BF"> : tensor<2x3x4xf64>
    %got = call @jax(%in0) : (tensor<2x3x4xf64>) -> tensor<2x3xf64>
    %want0 = stablehlo.constant dense<"0x8FD36DFC7FFF134021F165FA03970740D99C5340E312F83FBF7E2976888B1540D2ED3381925507405013FE9DB85FF03F"> : tensor<2x3xf64>
    check.expect_almost_eq %got, %want0, tolerance = 5.400000e-12 : tensor<2x3xf64>
    return
  }
  func.func private @jax(%arg0: tensor<2x3x4xf64>) -> (tensor<2x3xf64> {jax.result_info = "result"}) {
    %0 = call @svd(%arg0) : (tensor<2x3x4xf64>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func private @svd(%arg0: tensor<2x3x4xf64>) -> tensor<2x3xf64> {
    %0:5 = stablehlo.custom_call @lapack_dgesdd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 78 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i, o, p], [i, q, r], [i]) {i=2, j=3, k=4, l=3, m=4, n=3, o=3, p=3, q=4, r=4}, custom>} : (tensor<2x3x4xf64>) -> (tensor<2x3x4xf64>, tensor<2x3xf64>, tensor<2x3x3xf64>, tensor<2x4x4xf64>, tensor<2xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %2 = stablehlo.compare EQ, %0#4, %1, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xi1>) -> tensor<2x1xi1>
    %cst = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2x3xf64>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<2x1xi1>) -> tensor<2x3xi1>
    %6 = stablehlo.select %5, %0#1, %4 : tensor<2x3xi1>, tensor<2x3xf64>
    return %6 : tensor<2x3xf64>
  }
}
// -----
// complex64 [5, 3], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0xF6442440FFF5F83E63199D3F2BC2A1BE315811BFD931FFBF658CA63E0A6C2C3FC3C19040F52FC13ED57E48BF89E43B3FFBAFFF3CBB3AD33F89D0E1BF626E853FA2EBB83FAC0616BFBFF2343F8CB5923E19FBEDBEFA2B3A3F8890FC3FE7656EBF2A1BBD3FDCC8EE3EAC08693F01B689BE47C21C3F210982BF"> : tensor<5x3xcomplex<f32>>
    %got = call @jax(%in0) : (tensor<5x3xcomplex<f32>>) -> tensor<3xf32>
    %want0 = stablehlo.constant dense<"0x0055BD405623894041C4AC3F"> : tensor<3xf32>
    check.expect_almost_eq %got, %want0, tolerance = 1.200000e-04 : tensor<3xf32>
    return
  }
  func.func private @jax(%arg0: tensor<5x3xcomplex<f32>>) -> (tensor<3xf32> {jax.result_info = "result"}) {
    %0 = call @svd(%arg0) : (tensor<5x3xcomplex<f32>>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  func.func private @svd(%arg0: tensor<5x3xcomplex<f32>>) -> tensor<3xf32> {
    %0:5 = stablehlo.custom_call @lapack_cgesdd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 78 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], [n, o], [p, q], []) {i=5, j=3, k=5, l=3, m=3, n=5, o=5, p=3, q=3}, custom>} : (tensor<5x3xcomplex<f32>>) -> (tensor<5x3xcomplex<f32>>, tensor<3xf32>, tensor<5x5xcomplex<f32>>, tensor<3x3xcomplex<f32>>, tensor<i32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %2 = stablehlo.compare EQ, %0#4, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3xf32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<1xi1>) -> tensor<3xi1>
    %6 = stablehlo.select %5, %0#1, %4 : tensor<3xi1>, tensor<3xf32>
    return %6 : tensor<3xf32>
  }
}
// -----
// complex128 [2, 3, 4], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0xC8268F571980014010FE1861ED78C23F38F69BC2EF9BF2BF52A004458963F83FBC9E535BB982F1BFD4A03557062CE9BFB64F3EBE6E10F7BFB0CC99DA2242FEBF18A380189489DEBFC02626FA4BDAA1BF78DDDFF5091B00409CE864E9EB5CF83F0076CA963565A4BF1001AB560F82F8BF12D4B9BC502FF03F58498AF92A2DDE3F2C352A0080FAED3FF0370D6A8B1CF83FC0F49AD4939ED4BF26AEAD4A073FF73FE27C6D8B7E31F93F7C33AD72A82CE53F4CA49559E426E63F3E0075B1880FF0BF80160FC23B9103407CD5FB1DC775F3BF648AD9B621E5F33F2070C26B75B9FFBF100526FDE1A6CC3F84D9ADBF4817E6BF0A80ADBE880DFF3FE45E7547CE42F03FB8AC90A1CB28EDBF084AEDCBCD6BD13F5876237F34A40540CC8E34166F6BFABF247C47A420EFFABF3CEDB8849310F1BFB022EB54B29CE93F64CBFEC70908EBBFCC163A57255AE9BF6467B620D131F03F1200F26FE5DBF13F68148F7343E6DB3FBAB54A2528571140F46F2FCA05A1EABFB0628D21663EEABF808E922AF412903F"> : tensor<2x3x4xcomplex<f64>>
    %got = call @jax(%in0) : (tensor<2x3x4xcomplex<f64>>) -> tensor<2x3xf64>
    %want0 = stablehlo.constant dense<"0x53B78108792D1240617DD30FF6910B402E5CB33C1D71FD3FEA02B06A879D1740081E339C253F0C40CEE1376312E10940"> : tensor<2x3xf64>
    check.expect_almost_eq %got, %want0, tolerance = 5.900000e-12 : tensor<2x3xf64>
    return
  }
  func.func private @jax(%arg0: tensor<2x3x4xcomplex<f64>>) -> (tensor<2x3xf64> {jax.result_info = "result"}) {
    %0 = call @svd(%arg0) : (tensor<2x3x4xcomplex<f64>>) -> tensor<2x3xf64>
    return %0 : tensor<2x3xf64>
  }
  func.func private @svd(%arg0: tensor<2x3x4xcomplex<f64>>) -> tensor<2x3xf64> {
    %0:5 = stablehlo.custom_call @lapack_zgesdd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 78 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i, o, p], [i, q, r], [i]) {i=2, j=3, k=4, l=3, m=4, n=3, o=3, p=3, q=4, r=4}, custom>} : (tensor<2x3x4xcomplex<f64>>) -> (tensor<2x3x4xcomplex<f64>>, tensor<2x3xf64>, tensor<2x3x3xcomplex<f64>>, tensor<2x4x4xcomplex<f64>>, tensor<2xi32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %2 = stablehlo.compare EQ, %0#4, %1, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xi1>) -> tensor<2x1xi1>
    %cst = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2x3xf64>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<2x1xi1>) -> tensor<2x3xi1>
    %6 = stablehlo.select %5, %0#1, %4 : tensor<2x3xi1>, tensor<2x3xf64>
    return %6 : tensor<2x3xf64>
  }
}
