func.func @main(%0: tensor<2x2xbf16>, %1: tensor<2x2xbf16>) -> tensor<2x2xf32> {
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 0, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x2xbf16>, tensor<2x2xbf16>) -> tensor<2x2xf32>
  %3 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = -1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x2xbf16>, tensor<2x2xbf16>) -> tensor<2x2xf32>
  %4 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 0, allow_imprecise_accumulation = false> : (tensor<2x2xbf16>, tensor<2x2xbf16>) -> tensor<2x2xf32>
  %5 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 2, allow_imprecise_accumulation = false> : (tensor<2x2xbf16>, tensor<2x2xbf16>) -> tensor<2x2xf32>
  %6 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = f32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<2x2xbf16>, tensor<2x2xbf16>) -> tensor<2x2xf32>
  %7 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = bf16, rhs_precision_type = bf16> : (tensor<2x2xbf16>, tensor<2x2xbf16>) -> tensor<2x2xf32>
  %8 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = bf16, lhs_precision_type = bf16> : (tensor<2x2xbf16>, tensor<2x2xbf16>) -> tensor<2x2xf32>
  %9 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = "bf16"> : (tensor<2x2xbf16>, tensor<2x2xbf16>) -> tensor<2x2xf32>
  %10 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [0], algorithm = <allow_imprecise_accumulation = 1> : (tensor<2x2xbf16>, tensor<2x2xbf16>) -> tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}
// error: 2:80: dot_general: lhs_component_count is 0, wanted at least 1 (dot_general_c22)
// error: 3:80: dot_general: rhs_component_count is -1, wanted at least 1 (dot_general_c23)
// error: 4:80: dot_general: num_primitive_operations is 0, wanted at least 1 (dot_general_c24)
// error: 5:80: this algorithm of dot_general is not supported
// error: 6:80: this algorithm of dot_general is not supported
// error: 7:80: an algorithm has 7 fields, some are not here
// error: 8:108: wanted lhs_precision_type and its like, each once, found 'lhs_precision_type'
// error: 9:102: wanted a float type, or tf32, found '"bf16"'
// error: 10:113: wanted true or false, found '1'
