func.func @main(%a: tensor<3x3xf32>, %b: tensor<3xi32>) {
  %0:2 = stablehlo.custom_call @lapack_sgeev_ffi(%a) : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>)
  %1:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%a) {mhlo.backend_config = {}} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xi32>, tensor<i32>)
  %2:3 = stablehlo.custom_call @lapack_sgetrf_ffi(%a) {operand_layouts = [dense<[1, 0]> : tensor<2xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<0> : tensor<1xindex>, dense<> : tensor<0xindex>]} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xi32>, tensor<i32>)
  %3:3 = stablehlo.custom_call @lapack_dgetrf_ffi(%a) : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xi32>, tensor<i32>)
  %4:2 = stablehlo.custom_call @LuDecomposition(%a) : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xi32>)
  %5:3 = stablehlo.custom_call @LuDecomposition(%a) : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<4xi32>, tensor<3xi32>)
  %6:2 = stablehlo.custom_call @Qr(%a) {backend_config = {mode = 1 : i32}} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>)
  %7 = stablehlo.custom_call @lapack_strsm_ffi(%a, %a) {mhlo.backend_config = {diag = 78 : ui8, side = 76 : ui8, trans_x = 79 : ui8, uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %8 = stablehlo.custom_call @lapack_strsm_ffi(%a, %a) {mhlo.backend_config = {diag = 78 : ui8, trans_x = 78 : ui8, uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>, dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %9:2 = stablehlo.custom_call @Qr(%b) : (tensor<3xi32>) -> (tensor<3xi32>, tensor<i32>)
  %10:2 = "stablehlo.custom_call"(%a) <{api_version = 4 : i32, backend_config = {a = "x"}, call_target_name = "Qr"}> : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>)
  %11:2 = stablehlo.custom_call @lapack_spotrf_ffi(%a) {mhlo.backend_config = {uplo = 76 : ui8}, operand_layouts = [dense<[0, 1]> : tensor<2xindex>], result_layouts = [dense<[0, 1]> : tensor<2xindex>]} : (tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<i32>)
  %12:2 = stablehlo.custom_call @TopK(%a) {called_computations = [@less], backend_config = {}} : (tensor<3x3xf32>) -> (tensor<3x2xf32>, tensor<3x2xi32>)
  %13:2 = stablehlo.custom_call @mhlo.topk(%a) {mhlo.attributes = {k = 2 : i64, largest = false}, mhlo.version = 1 : i64} : (tensor<3x3xf32>) -> (tensor<3x2xf32>, tensor<3x2xi32>)
  return
}
// error: 2:10: custom_call: the target @lapack_sgeev_ffi, eigenvalues of matrices that are not symmetric, is not supported
// error: 3:10: custom_call: @lapack_sgetrf_ffi: wants operand_layouts, which say that its matrices are column-major
// error: 4:10: custom_call: @lapack_sgetrf_ffi: the layout of operand 0 is not that of column-major matrices
// error: 5:10: custom_call: @lapack_dgetrf_ffi: its matrix has elements of f32
// error: 6:10: custom_call: @LuDecomposition: takes 1 and gives 3 values, found 1 and 2
// error: 7:10: custom_call: @LuDecomposition: its result 1 has another shape or type than it declares
// error: 8:10: custom_call: @Qr: the option mode of its backend_config is not supported
// error: 9:8: custom_call: @lapack_strsm_ffi: trans_x = 79 is none of its options
// error: 10:8: custom_call: @lapack_strsm_ffi: its backend_config lacks side
// error: 11:10: custom_call: @Qr: takes matrices
// error: 12:11: custom_call: @Qr: cannot read its backend_config
// error: 13:11: custom_call: @lapack_spotrf_ffi: the layout of result 1 is not that of column-major matrices
// error: 14:11: custom_call: @TopK: a comparator of its own is not supported
// error: 15:11: custom_call: @mhlo.topk: the smallest are not supported
