// float32 [4, 4], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x978A1E40BA796EBFDB74F83FF17EC03FD2DDBF3F6B26354046EB75BF01A9C03E5113893FBA168F3F796BF63F863ECFBF3EFBE2BE196ED6BE9127903EF88E2940"> : tensor<4x4xf32>
    %got = call @jax(%in0) : (tensor<4x4xf32>) -> tensor<f32>
    %want0 = stablehlo.constant dense<"0xB1075740"> : tensor<f32>
    check.expect_almost_eq %got, %want0, tolerance = 6.700000e-05 : tensor<f32>
    return
  }
  func.func private @jax(%arg0: tensor<4x4xf32>) -> (tensor<f32> {jax.result_info = "result"}) {
    %0 = call @cond(%arg0) : (tensor<4x4xf32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func private @cond(%arg0: tensor<4x4xf32>) -> tensor<f32> {
    %0 = call @svd(%arg0) : (tensor<4x4xf32>) -> tensor<4xf32>
    %1 = stablehlo.slice %0 [0:1] : (tensor<4xf32>) -> tensor<1xf32>
    %2 = stablehlo.reshape %1 : (tensor<1xf32>) -> tensor<f32>
    %3 = stablehlo.slice %0 [3:4] : (tensor<4xf32>) -> tensor<1xf32>
    %4 = stablehlo.reshape %3 : (tensor<1xf32>) -> tensor<f32>
    %5 = stablehlo.divide %2, %4 : tensor<f32>
    %6 = stablehlo.compare NE, %5, %5, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %7 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xi1>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %8 = stablehlo.reduce(%7 init: %c) applies stablehlo.or across dimensions = [0, 1] : (tensor<4x4xi1>, tensor<i1>) -> tensor<i1>
    %9 = stablehlo.not %8 : tensor<i1>
    %10 = stablehlo.and %6, %9 : tensor<i1>
    %cst = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %11 = call @_where(%10, %cst, %5) : (tensor<i1>, tensor<f64>, tensor<f32>) -> tensor<f32>
    return %11 : tensor<f32>
  }
  func.func private @svd(%arg0: tensor<4x4xf32>) -> tensor<4xf32> {
    %0:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 78 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], [n, o], [p, q], []) {i=4, j=4, k=4, l=4, m=4, n=4, o=4, p=4, q=4}, custom>} : (tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<i32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %2 = stablehlo.compare EQ, %0#4, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<1xi1>) -> tensor<4xi1>
    %6 = stablehlo.select %5, %0#1, %4 : tensor<4xi1>, tensor<4xf32>
    return %6 : tensor<4xf32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<f64>, %arg2: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.convert %arg1 : (tensor<f64>) -> tensor<f32>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<i1>, tensor<f32>
    return %1 : tensor<f32>
  }
}
// -----
// float32 [2, 3, 3], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x3BD41A404986F83F87772B3F31B2963FB08990406809B0BF40B6BC3F77CA97BFB8776D40E42E8140BD353E3F4E7AFD3E775533BFDCDF4B40AB3AF03F3C0A91BFBA15CABF11717E40"> : tensor<2x3x3xf32>
    %got = call @jax(%in0) : (tensor<2x3x3xf32>) -> tensor<2xf32>
    %want0 = stablehlo.constant dense<"0x05A5EA40605DB33F"> : tensor<2xf32>
    check.expect_almost_eq %got, %want0, tolerance = 1.500000e-04 : tensor<2xf32>
    return
  }
  func.func private @jax(%arg0: tensor<2x3x3xf32>) -> (tensor<2xf32> {jax.result_info = "result"}) {
    %0 = call @cond(%arg0) : (tensor<2x3x3xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func private @cond(%arg0: tensor<2x3x3xf32>) -> tensor<2xf32> {
    %0 = call @svd(%arg0) : (tensor<2x3x3xf32>) -> tensor<2x3xf32>
    %1 = stablehlo.slice %0 [0:2, 0:1] : (tensor<2x3xf32>) -> tensor<2x1xf32>
    %2 = stablehlo.reshape %1 : (tensor<2x1xf32>) -> tensor<2xf32>
    %3 = stablehlo.slice %0 [0:2, 2:3] : (tensor<2x3xf32>) -> tensor<2x1xf32>
    %4 = stablehlo.reshape %3 : (tensor<2x1xf32>) -> tensor<2xf32>
    %5 = stablehlo.divide %2, %4 : tensor<2xf32>
    %6 = stablehlo.compare NE, %5, %5, FLOAT : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
    %7 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<2x3x3xf32>, tensor<2x3x3xf32>) -> tensor<2x3x3xi1>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %8 = stablehlo.reduce(%7 init: %c) applies stablehlo.or across dimensions = [1, 2] : (tensor<2x3x3xi1>, tensor<i1>) -> tensor<2xi1>
    %9 = stablehlo.not %8 : tensor<2xi1>
    %10 = stablehlo.and %6, %9 : tensor<2xi1>
    %cst = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %11 = call @_where(%10, %cst, %5) : (tensor<2xi1>, tensor<f64>, tensor<2xf32>) -> tensor<2xf32>
    return %11 : tensor<2xf32>
  }
  func.func private @svd(%arg0: tensor<2x3x3xf32>) -> tensor<2x3xf32> {
    %0:5 = stablehlo.custom_call @lapack_sgesdd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 78 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i, o, p], [i, q, r], [i]) {i=2, j=3, k=3, l=3, m=3, n=3, o=3, p=3, q=3, r=3}, custom>} : (tensor<2x3x3xf32>) -> (tensor<2x3x3xf32>, tensor<2x3xf32>, tensor<2x3x3xf32>, tensor<2x3x3xf32>, tensor<2xi32>)
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
  func.func private @_where(%arg0: tensor<2xi1>, %arg1: tensor<f64>, %arg2: tensor<2xf32>) -> tensor<2xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<f64>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<2xi1>, tensor<2xf32>
    return %2 : tensor<2xf32>
  }
}
// -----
// float64 [4, 4], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0xB9BEB0794D291040F0F594C31CF3EC3F688D6F82943EDF3FF470919E32E9EC3FA695E8DDF667FFBFE9884315BF270E408E8A2361F9E3F73F847FDAEA2FA4E1BF48B01CD52FCDD1BF60C5EFD1016FF0BF0F47BE56388113400A64FF8EB5B2F0BF4A4DAB1D3829F73F80957CBE4DF5E7BFB84E0495B14BDCBF35F8335C099B0D40"> : tensor<4x4xf64>
    %got = call @jax(%in0) : (tensor<4x4xf64>) -> tensor<f64>
    %want0 = stablehlo.constant dense<"0xDA1E1AFDCADD0140"> : tensor<f64>
    check.expect_almost_eq %got, %want0, tolerance = 2.200000e-12 : tensor<f64>
    return
  }
  func.func private @jax(%arg0: tensor<4x4xf64>) -> (tensor<f64> {jax.result_info = "result"}) {
    %0 = call @cond(%arg0) : (tensor<4x4xf64>) -> tensor<f64>
    return %0 : tensor<f64>
  }
  func.func private @cond(%arg0: tensor<4x4xf64>) -> tensor<f64> {
    %0 = call @svd(%arg0) : (tensor<4x4xf64>) -> tensor<4xf64>
    %1 = stablehlo.slice %0 [0:1] : (tensor<4xf64>) -> tensor<1xf64>
    %2 = stablehlo.reshape %1 : (tensor<1xf64>) -> tensor<f64>
    %3 = stablehlo.slice %0 [3:4] : (tensor<4xf64>) -> tensor<1xf64>
    %4 = stablehlo.reshape %3 : (tensor<1xf64>) -> tensor<f64>
    %5 = stablehlo.divide %2, %4 : tensor<f64>
    %6 = stablehlo.compare NE, %5, %5, FLOAT : (tensor<f64>, tensor<f64>) -> tensor<i1>
    %7 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xi1>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %8 = stablehlo.reduce(%7 init: %c) applies stablehlo.or across dimensions = [0, 1] : (tensor<4x4xi1>, tensor<i1>) -> tensor<i1>
    %9 = stablehlo.not %8 : tensor<i1>
    %10 = stablehlo.and %6, %9 : tensor<i1>
    %cst = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %11 = call @_where(%10, %cst, %5) : (tensor<i1>, tensor<f64>, tensor<f64>) -> tensor<f64>
    return %11 : tensor<f64>
  }
  func.func private @svd(%arg0: tensor<4x4xf64>) -> tensor<4xf64> {
    %0:5 = stablehlo.custom_call @lapack_dgesdd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 78 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "0"}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>, dense<> : tensor<0xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, l], [m], [n, o], [p, q], []) {i=4, j=4, k=4, l=4, m=4, n=4, o=4, p=4, q=4}, custom>} : (tensor<4x4xf64>) -> (tensor<4x4xf64>, tensor<4xf64>, tensor<4x4xf64>, tensor<4x4xf64>, tensor<i32>)
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<i32>
    %2 = stablehlo.compare EQ, %0#4, %1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i1>) -> tensor<1xi1>
    %cst = stablehlo.constant dense<0x7FF8000000000000> : tensor<f64>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<4xf64>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<1xi1>) -> tensor<4xi1>
    %6 = stablehlo.select %5, %0#1, %4 : tensor<4xi1>, tensor<4xf64>
    return %6 : tensor<4xf64>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<f64>, %arg2: tensor<f64>) -> tensor<f64> {
    %0 = stablehlo.convert %arg1 : tensor<f64>
    %1 = stablehlo.select %arg0, %0, %arg2 : tensor<i1>, tensor<f64>
    return %1 : tensor<f64>
  }
}
// -----
// float64 [2, 3, 3], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0x34472FA94B9BF13FA43581115F31E2BF38D006562CFEE63F7CCCD10B1AA9EA3F8FF9BAC00E650B4020007304426AEABF620C24907671F53F82E793109BF9FA3FFCBABD8D2671F93FE690A888D9531140FC141F06FCFCF83FA03BF8331A5FC73F38EE23268727E43FF0F2839028E7FE3F8200AB77577DF0BFB8F712CDDD99E2BF685541C54A79FB3F4E3102A4B0C90C40"> : tensor<2x3x3xf64>
    %got = call @jax(%in0) : (tensor<2x3x3xf64>) -> tensor<2xf64>
    %want0 = stablehlo.constant dense<"0x0275154EED071740EBDE153A9DE00440"> : tensor<2xf64>
    check.expect_almost_eq %got, %want0, tolerance = 5.800000e-12 : tensor<2xf64>
    return
  }
  func.func private @jax(%arg0: tensor<2x3x3xf64>) -> (tensor<2xf64> {jax.result_info = "result"}) {
    %0 = call @cond(%arg0) : (tensor<2x3x3xf64>) -> tensor<2xf64>
    return %0 : tensor<2xf64>
  }
  func.func private @cond(%arg0: tensor<2x3x3xf64>) -> tensor<2xf64> {
    %0 = call @svd(%arg0) : (tensor<2x3x3xf64>) -> tensor<2x3xf64>
    %1 = stablehlo.slice %0 [0:2, 0:1] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %2 = stablehlo.reshape %1 : (tensor<2x1xf64>) -> tensor<2xf64>
    %3 = stablehlo.slice %0 [0:2, 2:3] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %4 = stablehlo.reshape %3 : (tensor<2x1xf64>) -> tensor<2xf64>
    %5 = stablehlo.divide %2, %4 : tensor<2xf64>
    %6 = stablehlo.compare NE, %5, %5, FLOAT : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xi1>
    %7 = stablehlo.compare NE, %arg0, %arg0, FLOAT : (tensor<2x3x3xf64>, tensor<2x3x3xf64>) -> tensor<2x3x3xi1>
    %c = stablehlo.constant dense<false> : tensor<i1>
    %8 = stablehlo.reduce(%7 init: %c) applies stablehlo.or across dimensions = [1, 2] : (tensor<2x3x3xi1>, tensor<i1>) -> tensor<2xi1>
    %9 = stablehlo.not %8 : tensor<2xi1>
    %10 = stablehlo.and %6, %9 : tensor<2xi1>
    %cst = stablehlo.constant dense<0x7FF0000000000000> : tensor<f64>
    %11 = call @_where(%10, %cst, %5) : (tensor<2xi1>, tensor<f64>, tensor<2xf64>) -> tensor<2xf64>
    return %11 : tensor<2xf64>
  }
  func.func private @svd(%arg0: tensor<2x3x3xf64>) -> tensor<2x3xf64> {
    %0:5 = stablehlo.custom_call @lapack_dgesdd_ffi(%arg0) {backend_config = "", mhlo.backend_config = {mode = 78 : ui8}, mhlo.frontend_attributes = {num_batch_dims = "1"}, operand_layouts = [dense<[1, 2, 0]> : tensor<3xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 0]> : tensor<2xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<[1, 2, 0]> : tensor<3xindex>, dense<0> : tensor<1xindex>], sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, m], [i, n], [i, o, p], [i, q, r], [i]) {i=2, j=3, k=3, l=3, m=3, n=3, o=3, p=3, q=3, r=3}, custom>} : (tensor<2x3x3xf64>) -> (tensor<2x3x3xf64>, tensor<2x3xf64>, tensor<2x3x3xf64>, tensor<2x3x3xf64>, tensor<2xi32>)
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
  func.func private @_where(%arg0: tensor<2xi1>, %arg1: tensor<f64>, %arg2: tensor<2xf64>) -> tensor<2xf64> {
    %0 = stablehlo.convert %arg1 : tensor<f64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<2xi1>, tensor<2xf64>
    return %2 : tensor<2xf64>
  }
}
