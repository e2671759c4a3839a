// Every constraint of every type rule refused with its label, by the builder and by the verifier;
// and what only a whole module shows.
//
// A case is one op in the notation of testing.h.
//
// A case without a label is good, and stays good when its inferred types are declared. Every op has
// one.
#include "ir/testing.h"

// clang-format off
#define SLICE "start_indices=0,1; limit_indices=2,3; "
#define GATHER "index_vector_dim=1; offset_dims=1; collapsed_slice_dims=0; start_index_map=0; "
#define BATCHED "index_vector_dim=2; offset_dims=2; collapsed_slice_dims=1; operand_batching_dims=0; " \
                "start_indices_batching_dims=0; start_index_map=1; slice_sizes=1,1,4"
#define SCATTER "index_vector_dim=1; update_window_dims=1; inserted_window_dims=0; scatter_dims_to_operand_dims=0"
#define LAST "f32 f32 -> 1"
#define LESS "f32 f32 -> c"
#define CONV "input_batch_dimension=0; input_feature_dimension=3; input_spatial_dimensions=1,2; " \
             "kernel_input_feature_dimension=2; kernel_output_feature_dimension=3; kernel_spatial_dimensions=0,1; " \
             "output_batch_dimension=0; output_feature_dimension=3; output_spatial_dimensions=1,2"
#define SCATTERED "window_dimensions=3,1; window_strides=2,1; padding=0,1,0,0"
#define PICK "f32 f32 -> c | f32 f32 -> 1"
#define WINDOW "window_dimensions=2,2"
static const op_case cases[] = {
  {NULL,           TL_OP_CONSTANT, "", "value=4", "4xf32", ""},
  {"constant_c1",  TL_OP_CONSTANT, "", "value=4", "5xf32", ""},
  {"constant: wants the attribute value", TL_OP_CONSTANT, "", "", "4xf32", ""},
  {NULL,           TL_OP_IOTA, "", "iota_dimension=1", "4x2xi32", ""},
  {"iota_c1",      TL_OP_IOTA, "", "iota_dimension=2", "4x2xi32", ""},
  {"iota_c1",      TL_OP_IOTA, "", "iota_dimension=-1", "4x2xi32", ""},
  {"iota_o1",      TL_OP_IOTA, "", "iota_dimension=0", "4xi1", ""},
  {"iota: wants its one result type", TL_OP_IOTA, "", "iota_dimension=0", "", ""},
  {NULL,           TL_OP_ADD, "2xf32 2xf32", "", "2xf32", ""},
  {"add_c1",       TL_OP_ADD, "2xf32 2xbf16", "", "", ""},
  {"add_c1",       TL_OP_ADD, "2xf32 2xf32", "", "3xf32", ""},
  {"add: wants 2 operands, got 1", TL_OP_ADD, "2xf32", "", "2xf32", ""},
  {NULL,           TL_OP_SUBTRACT, "2xui8 2xui8", "", "", ""},
  {"subtract_i1",  TL_OP_SUBTRACT, "2xi1 2xi1", "", "", ""},
  {"subtract_c1",  TL_OP_SUBTRACT, "2xi8 2x1xi8", "", "", ""},
  {NULL,           TL_OP_MULTIPLY, "2xi1 2xi1", "", "", ""},
  {"multiply_c1",  TL_OP_MULTIPLY, "2xi1 2xi8", "", "", ""},
  {NULL,           TL_OP_DIVIDE, "f64 f64", "", "", ""},
  {"divide_i1",    TL_OP_DIVIDE, "i1 i1", "", "", ""},
  {NULL,           TL_OP_REMAINDER, "f64 f64", "", "", ""},
  {"remainder_i1", TL_OP_REMAINDER, "i1 i1", "", "", ""},
  {NULL,           TL_OP_MAXIMUM, "2xi1 2xi1", "", "", ""},
  {"maximum_c1",   TL_OP_MAXIMUM, "2xi1 3xi1", "", "", ""},
  {NULL,           TL_OP_MINIMUM, "2xf16 2xf16", "", "", ""},
  {"minimum_c1",   TL_OP_MINIMUM, "2xf16 2xbf16", "", "", ""},
  {NULL,           TL_OP_POWER, "2xf32 2xf32", "", "", ""},
  {"power_i1",     TL_OP_POWER, "2xi1 2xi1", "", "", ""},
  {NULL,           TL_OP_AND, "2xi1 2xi1", "", "", ""},
  {"and_i1",       TL_OP_AND, "2xf32 2xf32", "", "", ""},
  {"and_c1",       TL_OP_AND, "2xi8 2xui8", "", "", ""},
  {NULL,           TL_OP_OR, "2xi64 2xi64", "", "", ""},
  {"or_i1",        TL_OP_OR, "2xf32 2xf32", "", "", ""},
  {NULL,           TL_OP_XOR, "2xui64 2xui64", "", "", ""},
  {"xor_i1",       TL_OP_XOR, "2xf32 2xf32", "", "", ""},
  {NULL,           TL_OP_SHIFT_LEFT, "2xui16 2xui16", "", "", ""},
  {"shift_left_i1", TL_OP_SHIFT_LEFT, "2xi1 2xi1", "", "", ""},
  {NULL,           TL_OP_SHIFT_RIGHT_ARITHMETIC, "2xi16 2xi16", "", "", ""},
  {"shift_right_arithmetic_c1", TL_OP_SHIFT_RIGHT_ARITHMETIC, "2xi16 2xi32", "", "", ""},
  {NULL,           TL_OP_SHIFT_RIGHT_LOGICAL, "2xi16 2xi16", "", "", ""},
  {"shift_right_logical_i1", TL_OP_SHIFT_RIGHT_LOGICAL, "2xf16 2xf16", "", "", ""},
  {NULL,           TL_OP_NEGATE, "2xui8", "", "", ""},
  {"negate_i1",    TL_OP_NEGATE, "2xi1", "", "", ""},
  {NULL,           TL_OP_ABS, "2xi32", "", "", ""},
  {"abs_i1",       TL_OP_ABS, "2xui32", "", "", ""},
  {NULL,           TL_OP_SIGN, "2xf32", "", "", ""},
  {"sign_i1",      TL_OP_SIGN, "2xui32", "", "", ""},
  {NULL,           TL_OP_NOT, "2xi1", "", "", ""},
  {"not_i1",       TL_OP_NOT, "2xf32", "", "", ""},
  {NULL,           TL_OP_FLOOR, "2xf32", "", "", ""},
  {"floor_i1",     TL_OP_FLOOR, "2xi32", "", "", ""},
  {NULL,           TL_OP_CEIL, "2xf32", "", "", ""},
  {"ceil_i1",      TL_OP_CEIL, "2xi32", "", "", ""},
  {NULL,           TL_OP_EXPONENTIAL, "2xbf16", "", "", ""},
  {"exponential_i1", TL_OP_EXPONENTIAL, "2xi32", "", "", ""},
  {"exponential_c1", TL_OP_EXPONENTIAL, "2xf32", "", "2xf64", ""},
  {NULL,           TL_OP_EXPONENTIAL_MINUS_ONE, "2xbf16", "", "", ""},
  {"exponential_minus_one_i1", TL_OP_EXPONENTIAL_MINUS_ONE, "2xi32", "", "", ""},
  {NULL,           TL_OP_LOG, "2xbf16", "", "", ""},
  {"log_i1",       TL_OP_LOG, "2xi32", "", "", ""},
  {NULL,           TL_OP_LOG_PLUS_ONE, "2xbf16", "", "", ""},
  {"log_plus_one_i1", TL_OP_LOG_PLUS_ONE, "2xi32", "", "", ""},
  {NULL,           TL_OP_SQRT, "2xbf16", "", "", ""},
  {"sqrt_i1",      TL_OP_SQRT, "2xi32", "", "", ""},
  {NULL,           TL_OP_RSQRT, "2xbf16", "", "", ""},
  {"rsqrt_i1",     TL_OP_RSQRT, "2xi32", "", "", ""},
  {NULL,           TL_OP_TANH, "2xbf16", "", "", ""},
  {"tanh_i1",      TL_OP_TANH, "2xi32", "", "", ""},
  {NULL,           TL_OP_LOGISTIC, "2xbf16", "", "", ""},
  {"logistic_i1",  TL_OP_LOGISTIC, "2xi32", "", "", ""},
  {NULL,           TL_OP_SINE, "2xbf16", "", "", ""},
  {"sine_i1",      TL_OP_SINE, "2xi32", "", "", ""},
  {NULL,           TL_OP_COSINE, "2xbf16", "", "", ""},
  {"cosine_i1",    TL_OP_COSINE, "2xi32", "", "", ""},
  {NULL,           TL_OP_TAN, "2xbf16", "", "2xbf16", ""},
  {"tan_i1",       TL_OP_TAN, "2xi32", "", "", ""},
  {"tan_c1",       TL_OP_TAN, "2xf32", "", "2xf64", ""},
  {NULL,           TL_OP_CBRT, "2xf64", "", "2xf64", ""},
  {"cbrt_i1",      TL_OP_CBRT, "2xi32", "", "", ""},
  {"cbrt_c1",      TL_OP_CBRT, "2xf32", "", "3xf32", ""},
  {NULL,           TL_OP_ATAN2, "2xf16 2xf16", "", "2xf16", ""},
  {"atan2_i1",     TL_OP_ATAN2, "2xi32 2xi32", "", "", ""},
  {"atan2_c1",     TL_OP_ATAN2, "2xf32 2xf64", "", "", ""},
  {NULL,           TL_OP_ROUND_NEAREST_AFZ, "2xf32", "", "2xf32", ""},
  {"round_nearest_afz_i1", TL_OP_ROUND_NEAREST_AFZ, "2xi32", "", "", ""},
  {"round_nearest_afz_c1", TL_OP_ROUND_NEAREST_AFZ, "2xf32", "", "2xi32", ""},
  {NULL,           TL_OP_ROUND_NEAREST_EVEN, "2xf32", "", "2xf32", ""},
  {"round_nearest_even_i1", TL_OP_ROUND_NEAREST_EVEN, "2xi1", "", "", ""},
  {"round_nearest_even_c1", TL_OP_ROUND_NEAREST_EVEN, "2xf32", "", "2xf16", ""},
  {NULL,           TL_OP_POPCNT, "2xui8", "", "2xui8", ""},
  {"popcnt_i1",    TL_OP_POPCNT, "2xf32", "", "", ""},
  {"popcnt_i1",    TL_OP_POPCNT, "2xi1", "", "", ""},
  {"popcnt_c1",    TL_OP_POPCNT, "2xi64", "", "2xi32", ""},
  {NULL,           TL_OP_COUNT_LEADING_ZEROS, "2xi64", "", "2xi64", ""},
  {"count_leading_zeros_i1", TL_OP_COUNT_LEADING_ZEROS, "2xf32", "", "", ""},
  {"count_leading_zeros_i1", TL_OP_COUNT_LEADING_ZEROS, "2xi1", "", "", ""},
  {"count_leading_zeros_c1", TL_OP_COUNT_LEADING_ZEROS, "2xi64", "", "2xui64", ""},
  {NULL,           TL_OP_IS_FINITE, "2xf32", "", "2xi1", ""},
  {"is_finite_i1", TL_OP_IS_FINITE, "2xi32", "", "", ""},
  {"is_finite_c1", TL_OP_IS_FINITE, "2xf32", "", "3xi1", ""},
  {NULL,           TL_OP_COMPARE, "2xf32 2xf32", "comparison_direction=LT; compare_type=TOTALORDER", "2xi1", ""},
  {"compare_c1",   TL_OP_COMPARE, "2xf32 2xf64", "comparison_direction=LT", "", ""},
  {"compare_c2",   TL_OP_COMPARE, "2xf32 3xf32", "comparison_direction=LT", "", ""},
  {"compare_c2",   TL_OP_COMPARE, "2xf32 2xf32", "comparison_direction=LT", "2xf32", ""},
  {"compare_c3",   TL_OP_COMPARE, "2xf32 2xf32", "comparison_direction=LT; compare_type=SIGNED", "", ""},
  {"compare_c3",   TL_OP_COMPARE, "2xi32 2xi32", "comparison_direction=LT; compare_type=UNSIGNED", "", ""},
  {"compare_c3",   TL_OP_COMPARE, "2xi1 2xi1", "comparison_direction=LT; compare_type=SIGNED", "", ""},
  {"compare: wants the attribute comparison_direction", TL_OP_COMPARE, "2xi1 2xi1", "", "", ""},
  {NULL,           TL_OP_SELECT, "i1 2xf32 2xf32", "", "", ""},
  {NULL,           TL_OP_SELECT, "2xi1 2xf32 2xf32", "", "", ""},
  {"select_i1",    TL_OP_SELECT, "2xi8 2xf32 2xf32", "", "", ""},
  {"select_c1",    TL_OP_SELECT, "3xi1 2xf32 2xf32", "", "", ""},
  {"select_c2",    TL_OP_SELECT, "2xi1 2xf32 2xf64", "", "", ""},
  {NULL,           TL_OP_CLAMP, "f32 2xf32 2xf32", "", "", ""},
  {"clamp_c1",     TL_OP_CLAMP, "1xf32 2xf32 2xf32", "", "", ""},
  {"clamp_c2",     TL_OP_CLAMP, "f32 2xf32 1xf32", "", "", ""},
  {"clamp_c3",     TL_OP_CLAMP, "f32 2xf32 f64", "", "", ""},
  {"clamp_c4",     TL_OP_CLAMP, "f32 2xf32 f32", "", "3xf32", ""},
  {NULL,           TL_OP_CONVERT, "2xf32", "", "2xi8", ""},
  {"convert_c1",   TL_OP_CONVERT, "2xf32", "", "3xi8", ""},
  {NULL,           TL_OP_BITCAST_CONVERT, "2xf32", "", "2x4xui8", ""},
  {NULL,           TL_OP_BITCAST_CONVERT, "2x2xui16", "", "2xf32", ""},
  {NULL,           TL_OP_BITCAST_CONVERT, "2x2xui16", "", "2x2xbf16", ""},
  {"bitcast_convert_c1", TL_OP_BITCAST_CONVERT, "2xf32", "", "2x2xui8", ""},
  {"bitcast_convert_c1", TL_OP_BITCAST_CONVERT, "2xf32", "", "3x4xui8", ""},
  {"bitcast_convert_c1", TL_OP_BITCAST_CONVERT, "2xf32", "", "4xui8", ""},
  {"bitcast_convert_c1", TL_OP_BITCAST_CONVERT, "3x2xui16", "", "2xf32", ""},
  {"bitcast_convert_c1", TL_OP_BITCAST_CONVERT, "f32", "", "f64", ""},
  {"bitcast_convert_c1", TL_OP_BITCAST_CONVERT, "2xui8", "", "2xi1", ""},
  {NULL,           TL_OP_RESHAPE, "2x3xf32", "", "3x1x2xf32", ""},
  {"reshape_c1",   TL_OP_RESHAPE, "2x3xf32", "", "6xi32", ""},
  {"reshape_c2",   TL_OP_RESHAPE, "2x3xf32", "", "5xf32", ""},
  {NULL,           TL_OP_TRANSPOSE, "2x3x4xf32", "permutation=2,0,1", "4x2x3xf32", ""},
  {"transpose_c2", TL_OP_TRANSPOSE, "2x3x4xf32", "permutation=2,0,2", "", ""},
  {"transpose_c2", TL_OP_TRANSPOSE, "2x3x4xf32", "permutation=2,0", "", ""},
  {"transpose_c2", TL_OP_TRANSPOSE, "2x3x4xf32", "permutation=0,1,3", "", ""},
  {"transpose_c3", TL_OP_TRANSPOSE, "2x3xf32", "permutation=1,0", "2x3xf32", ""},
  {NULL,           TL_OP_BROADCAST_IN_DIM, "1x3xf32", "broadcast_dimensions=2,1", "5x3x4xf32", ""},
  {"broadcast_in_dim_c1", TL_OP_BROADCAST_IN_DIM, "3xf32", "broadcast_dimensions=0", "3xi32", ""},
  {"broadcast_in_dim_c2", TL_OP_BROADCAST_IN_DIM, "3xf32", "broadcast_dimensions=0,1", "3x3xf32", ""},
  {"broadcast_in_dim_c3", TL_OP_BROADCAST_IN_DIM, "3xf32", "broadcast_dimensions=2", "3x3xf32", ""},
  {"broadcast_in_dim_c4", TL_OP_BROADCAST_IN_DIM, "3x3xf32", "broadcast_dimensions=1,1", "3x3xf32", ""},
  {"broadcast_in_dim_c5", TL_OP_BROADCAST_IN_DIM, "3xf32", "broadcast_dimensions=0", "4x3xf32", ""},
  {NULL,           TL_OP_CONCATENATE, "2x3xf32 2x1xf32 2x0xf32", "dimension=1", "2x4xf32", ""},
  {"concatenate_c1", TL_OP_CONCATENATE, "2x3xf32 2x1xf64", "dimension=1", "", ""},
  {"concatenate_c2", TL_OP_CONCATENATE, "2x3xf32 3x1xf32", "dimension=1", "", ""},
  {"concatenate_c3", TL_OP_CONCATENATE, "", "dimension=1", "f32", ""},
  {"concatenate_c4", TL_OP_CONCATENATE, "2x3xf32", "dimension=2", "", ""},
  {"concatenate_c6", TL_OP_CONCATENATE, "2x3xf32 2x3xf32", "dimension=0", "2x6xf32", ""},
  {NULL,           TL_OP_SLICE, "2x3xf32", SLICE "strides=3,1", "1x2xf32", ""},
  {"slice_c2",     TL_OP_SLICE, "2x3xf32", SLICE "strides=1", "", ""},
  {"slice_c3",     TL_OP_SLICE, "2x2xf32", SLICE "strides=1,1", "", ""},
  {"slice_c3",     TL_OP_SLICE, "2xf32", "start_indices=-1; limit_indices=2; strides=1", "", ""},
  {"slice_c3",     TL_OP_SLICE, "2xf32", "start_indices=2; limit_indices=1; strides=1", "", ""},
  {"slice_c4",     TL_OP_SLICE, "2x3xf32", SLICE "strides=1,0", "", ""},
  {"slice_c5",     TL_OP_SLICE, "2x3xf32", SLICE "strides=1,1", "2x3xf32", ""},
  {NULL,           TL_OP_DYNAMIC_SLICE, "2x3xf32 i32 i32", "slice_sizes=1,3", "1x3xf32", ""},
  {"dynamic_slice_c2", TL_OP_DYNAMIC_SLICE, "2x3xf32 i32", "slice_sizes=1,3", "", ""},
  {"dynamic_slice_c2", TL_OP_DYNAMIC_SLICE, "2x3xf32 i32 i32", "slice_sizes=1", "", ""},
  {"dynamic_slice_c3", TL_OP_DYNAMIC_SLICE, "2x3xf32 i32 i64", "slice_sizes=1,3", "", ""},
  {"dynamic_slice_i2", TL_OP_DYNAMIC_SLICE, "2x3xf32 1xi32 i32", "slice_sizes=1,3", "", ""},
  {"dynamic_slice_c4", TL_OP_DYNAMIC_SLICE, "2x3xf32 i32 i32", "slice_sizes=3,3", "", ""},
  {"dynamic_slice_c5", TL_OP_DYNAMIC_SLICE, "2x3xf32 i32 i32", "slice_sizes=1,3", "2x3xf32", ""},
  {"dynamic_slice: wants an operand", TL_OP_DYNAMIC_SLICE, "", "slice_sizes=1", "f32", ""},
  {NULL,           TL_OP_DYNAMIC_UPDATE_SLICE, "2x3xf32 1x3xf32 ui8 ui8", "", "2x3xf32", ""},
  {"dynamic_update_slice_c1", TL_OP_DYNAMIC_UPDATE_SLICE, "2xf32 1xf32 ui8", "", "1xf32", ""},
  {"dynamic_update_slice_c2", TL_OP_DYNAMIC_UPDATE_SLICE, "2xf32 1xf64 i8", "", "", ""},
  {"dynamic_update_slice_c3", TL_OP_DYNAMIC_UPDATE_SLICE, "2xf32 1x1xf32 i8", "", "", ""},
  {"dynamic_update_slice_c4", TL_OP_DYNAMIC_UPDATE_SLICE, "2xf32 1xf32 i8 i8", "", "", ""},
  {"dynamic_update_slice_c5", TL_OP_DYNAMIC_UPDATE_SLICE, "2x2xf32 1x1xf32 i8 i16", "", "", ""},
  {"dynamic_update_slice_i3", TL_OP_DYNAMIC_UPDATE_SLICE, "2xf32 1xf32 f32", "", "", ""},
  {"dynamic_update_slice_c6", TL_OP_DYNAMIC_UPDATE_SLICE, "2xf32 3xf32 i8", "", "", ""},
  {NULL,           TL_OP_PAD, "3xf32 f32", "edge_padding_low=1; edge_padding_high=-1; interior_padding=2", "7xf32", ""},
  {"pad_i2",       TL_OP_PAD, "3xf32 1xf32", "edge_padding_low=1; edge_padding_high=1; interior_padding=0", "", ""},
  {"pad_c1",       TL_OP_PAD, "3xf32 f64", "edge_padding_low=1; edge_padding_high=1; interior_padding=0", "", ""},
  {"pad_c2",       TL_OP_PAD, "3xf32 f32", "edge_padding_low=1,1; edge_padding_high=1; interior_padding=0", "", ""},
  {"pad_c3",       TL_OP_PAD, "3xf32 f32", "edge_padding_low=1; edge_padding_high=1; interior_padding=-1", "", ""},
  {"pad_c4",       TL_OP_PAD, "3xf32 f32", "edge_padding_low=-4; edge_padding_high=0; interior_padding=0", "", ""},
  {"pad_c4",       TL_OP_PAD, "3xf32 f32", "edge_padding_low=9223372036854775807; edge_padding_high=0; interior_padding=0", "", ""},
  {"pad_c4",       TL_OP_PAD, "3xf32 f32", "edge_padding_low=1; edge_padding_high=0; interior_padding=0", "3xf32", ""},
  {NULL,           TL_OP_REVERSE, "3x2xf32", "dimensions=1", "", ""},
  {"reverse_c1",   TL_OP_REVERSE, "3x2xf32", "dimensions=1", "2x3xf32", ""},
  {"reverse_c2",   TL_OP_REVERSE, "3x2xf32", "dimensions=1,1", "", ""},
  {"reverse_c3",   TL_OP_REVERSE, "3x2xf32", "dimensions=2", "", ""},
  {NULL,           TL_OP_GATHER, "5x4xf32 7x1xi32", GATHER "slice_sizes=1,4", "7x4xf32", ""},
  {NULL,           TL_OP_GATHER, "3x5x4xf32 3x7x1xi32", BATCHED, "3x7x4xf32", ""},
  {"gather_i2",    TL_OP_GATHER, "5x4xf32 7x1xf32", GATHER "slice_sizes=1,4", "", ""},
  {"gather_c1",    TL_OP_GATHER, "5x4x2xf32 7x1xi32", GATHER "slice_sizes=1,4,2", "", ""},
  {"gather_c2",    TL_OP_GATHER, "5x4xf32 7xi32", GATHER "index_vector_dim=2; slice_sizes=1,4", "", ""},
  {"gather_c3",    TL_OP_GATHER, "5x4xf32 7x2xi32", GATHER "slice_sizes=1,4", "", ""},
  {"gather_c4",    TL_OP_GATHER, "5x4x3xf32 7x1xi32", GATHER "offset_dims=2,1; slice_sizes=1,4,3", "", ""},
  {"gather_c5",    TL_OP_GATHER, "5x4xf32 7x1xi32", GATHER "offset_dims=2; slice_sizes=1,4", "", ""},
  {"gather_c6",    TL_OP_GATHER, "5x4x3xf32 7x1xi32", GATHER "collapsed_slice_dims=0,0; slice_sizes=1,4,3", "", ""},
  {"gather_c7",    TL_OP_GATHER, "5x4x3xf32 7x1xi32", GATHER "collapsed_slice_dims=1,0; slice_sizes=1,1,3", "", ""},
  {"gather_c8",    TL_OP_GATHER, "5x4xf32 7x1xi32", GATHER "collapsed_slice_dims=2; slice_sizes=1,4", "", ""},
  {"gather_c9",    TL_OP_GATHER, "5x4xf32 7x1xi32", GATHER "slice_sizes=2,4", "", ""},
  {"gather_c9",    TL_OP_GATHER, "5x4xf32 7x1xi32", GATHER "slice_sizes=0,4", "", ""},
  {NULL,           TL_OP_GATHER, "5x4xf32 7x1xi32", GATHER "slice_sizes=0,0", "7x0xf32", ""},
  {"gather_c10",   TL_OP_GATHER, "3x3x4xf32 3x3x1xi32", "index_vector_dim=2; operand_batching_dims=1,0; start_indices_batching_dims=0,1; offset_dims=2; start_index_map=2; slice_sizes=1,1,1", "", ""},
  {"gather_c11",   TL_OP_GATHER, "3x5x4xf32 3x7x1xi32", BATCHED "; operand_batching_dims=3", "", ""},
  {"gather_c12",   TL_OP_GATHER, "3x5x4xf32 3x7x1xi32", BATCHED "; slice_sizes=2,1,4", "", ""},
  {"gather_c12",   TL_OP_GATHER, "3x5x4xf32 3x7x1xi32", BATCHED "; slice_sizes=0,1,4", "", ""},
  {"gather_c13",   TL_OP_GATHER, "3x3x4xf32 3x3x1xi32", "index_vector_dim=2; operand_batching_dims=0,1; start_indices_batching_dims=0,0; offset_dims=2; start_index_map=2; slice_sizes=1,1,1", "", ""},
  {"gather_c14",   TL_OP_GATHER, "3x5x4xf32 3x7x1xi32", BATCHED "; start_indices_batching_dims=3", "", ""},
  {"gather_c15",   TL_OP_GATHER, "3x5x4xf32 3x7x1xi32", BATCHED "; start_indices_batching_dims=2", "", ""},
  {"gather_c16",   TL_OP_GATHER, "3x5x4xf32 3x7x1xi32", BATCHED "; start_indices_batching_dims=", "", ""},
  {"gather_c17",   TL_OP_GATHER, "2x5x4xf32 3x7x1xi32", BATCHED, "", ""},
  {"gather_c18",   TL_OP_GATHER, "3x5x4xf32 3x7x1xi32", BATCHED "; start_index_map=0", "", ""},
  {"gather_c19",   TL_OP_GATHER, "5x4xf32 7x1xi32", GATHER "start_index_map=2; slice_sizes=1,4", "", ""},
  {"gather_c20",   TL_OP_GATHER, "5x4xf32 7x1xi32", GATHER "slice_sizes=1", "", ""},
  {"gather_c21",   TL_OP_GATHER, "5x4xf32 7x1xi32", GATHER "slice_sizes=1,5", "", ""},
  {"gather_c22",   TL_OP_GATHER, "5x4xf32 7x1xi32", GATHER "slice_sizes=1,4", "4x7xf32", ""},
  {NULL,           TL_OP_SCATTER, "5x4xf32 7x1xi32 7x3xf32", SCATTER, "5x4xf32", LAST},
  {NULL,           TL_OP_SCATTER, "2xf32 2xf32 7x1xi32 7xf32 7xf32", "index_vector_dim=1; inserted_window_dims=0; scatter_dims_to_operand_dims=0", "2xf32 2xf32", "f32 f32 f32 f32 -> 3 0"},
  {"scatter_i2",   TL_OP_SCATTER, "5x4xf32 7x1xf32 7x4xf32", SCATTER, "", LAST},
  {"scatter_c1",   TL_OP_SCATTER, "2xf32 3xf32 7x1xi32 7xf32 7xf32", "index_vector_dim=1; inserted_window_dims=0; scatter_dims_to_operand_dims=0", "", "f32 f32 f32 f32 -> 2 3"},
  {"scatter_c2",   TL_OP_SCATTER, "5x4x2xf32 7x1xi32 7x4xf32", SCATTER, "", LAST},
  {"scatter_c3",   TL_OP_SCATTER, "2xf32 2xf32 7x1xi32 7xf32 8xf32", "index_vector_dim=1; inserted_window_dims=0; scatter_dims_to_operand_dims=0", "", "f32 f32 f32 f32 -> 2 3"},
  {"scatter_c4",   TL_OP_SCATTER, "5x4xf32 7x1xi32 7x5xf32", SCATTER, "", LAST},
  {"scatter_c4",   TL_OP_SCATTER, "5x4xf32 7x1xi32 8x4xf32", SCATTER, "", LAST},
  {"scatter_c4",   TL_OP_SCATTER, "5x4xf32 7x1xi32 7x4x1xf32", SCATTER, "", LAST},
  {"scatter_c5",   TL_OP_SCATTER, "5x4xf32 7x1xi32", SCATTER, "5x4xf32", LAST},
  {"scatter_c6",   TL_OP_SCATTER, "5x4xf32 7x1xi32 7x4xf64", SCATTER, "", LAST},
  {"scatter_c7",   TL_OP_SCATTER, "5x4x2xf32 7x1xi32 7x4x2xf32", SCATTER "; update_window_dims=2,1", "", LAST},
  {"scatter_c8",   TL_OP_SCATTER, "5x4xf32 7x1xi32 7x4xf32", SCATTER "; update_window_dims=2", "", LAST},
  {"scatter_c9",   TL_OP_SCATTER, "5x4x2xf32 7x1xi32 7x4xf32", SCATTER "; inserted_window_dims=0,0", "", LAST},
  {"scatter_c10",  TL_OP_SCATTER, "5x4x2xf32 7x1xi32 7x2xf32", SCATTER "; inserted_window_dims=1,0", "", LAST},
  {"scatter_c11",  TL_OP_SCATTER, "5x4xf32 7x1xi32 7x4xf32", SCATTER "; inserted_window_dims=2", "", LAST},
  {"scatter_c12",  TL_OP_SCATTER, "3x3x4xf32 3x3x1xi32 3x3x1xf32", "index_vector_dim=2; update_window_dims=2; input_batching_dims=1,0; scatter_indices_batching_dims=0,1; scatter_dims_to_operand_dims=2", "", LAST},
  {"scatter_c13",  TL_OP_SCATTER, "3x5xf32 3x1xi32 3xf32", "index_vector_dim=1; inserted_window_dims=1; input_batching_dims=2; scatter_indices_batching_dims=0; scatter_dims_to_operand_dims=1", "", LAST},
  {"scatter_c14",  TL_OP_SCATTER, "3x3x4xf32 3x3x1xi32 3x3x1xf32", "index_vector_dim=2; update_window_dims=2; input_batching_dims=0,1; scatter_indices_batching_dims=0,0; scatter_dims_to_operand_dims=2", "", LAST},
  {"scatter_c15",  TL_OP_SCATTER, "3x5xf32 3x1xi32 3xf32", "index_vector_dim=1; inserted_window_dims=1; input_batching_dims=0; scatter_indices_batching_dims=2; scatter_dims_to_operand_dims=1", "", LAST},
  {"scatter_c16",  TL_OP_SCATTER, "3x5xf32 3x1xi32 3xf32", "index_vector_dim=1; inserted_window_dims=1; input_batching_dims=0; scatter_indices_batching_dims=1; scatter_dims_to_operand_dims=1", "", LAST},
  {"scatter_c17",  TL_OP_SCATTER, "3x5xf32 3x1xi32 3xf32", "index_vector_dim=1; inserted_window_dims=1; input_batching_dims=0; scatter_dims_to_operand_dims=1", "", LAST},
  {"scatter_c18",  TL_OP_SCATTER, "2x5xf32 3x1xi32 3xf32", "index_vector_dim=1; inserted_window_dims=1; input_batching_dims=0; scatter_indices_batching_dims=0; scatter_dims_to_operand_dims=1", "", LAST},
  {"scatter_c19",  TL_OP_SCATTER, "5x4xf32 7x2xi32 7x4xf32", SCATTER, "", LAST},
  {"scatter_c20",  TL_OP_SCATTER, "3x5xf32 3x1xi32 3xf32", "index_vector_dim=1; inserted_window_dims=1; input_batching_dims=0; scatter_indices_batching_dims=0; scatter_dims_to_operand_dims=0", "", LAST},
  {"scatter_c21",  TL_OP_SCATTER, "5x4xf32 7x1xi32 7x4xf32", SCATTER "; scatter_dims_to_operand_dims=2", "", LAST},
  {"scatter_c22",  TL_OP_SCATTER, "5x4xf32 7xi32 7x4xf32", SCATTER "; index_vector_dim=2", "", LAST},
  {"scatter_c23",  TL_OP_SCATTER, "5x4xf32 7x1xi32 7x4xf32", SCATTER, "", "f32 -> 0"},
  {"scatter_c23",  TL_OP_SCATTER, "5x4xf32 7x1xi32 7x4xf32", SCATTER, "", "f32 f32 -> c"},
  {"scatter_c24",  TL_OP_SCATTER, "5x4xf32 7x1xi32 7x4xf32", SCATTER, "5x3xf32", LAST},
  {"scatter_c25",  TL_OP_SCATTER, "5x4xf32 7x1xi32 7x4xf32", SCATTER, "5x4xf64", LAST},
  {NULL,           TL_OP_REDUCE, "5x4xf32 f32", "dimensions=0", "4xf32", LAST},
  {NULL,           TL_OP_REDUCE, "5x4xbf16 bf16", "dimensions=", "5x4xf32", LAST},
  {NULL,           TL_OP_REDUCE, "5xf32 5xi32 f32 i32", "dimensions=0", "f32 i32", "f32 i32 f32 i32 -> 2 3"},
  {"reduce_c1",    TL_OP_REDUCE, "5xf32 4xi32 f32 i32", "dimensions=0", "", "f32 i32 f32 i32 -> 2 3"},
  {"reduce_c2",    TL_OP_REDUCE, "5x4xf32 f64", "dimensions=0", "", LAST},
  {"reduce_c2",    TL_OP_REDUCE, "5x4xf32 1xf32", "dimensions=0", "", LAST},
  {"reduce_c3",    TL_OP_REDUCE, "5x4xf32 f32 f32", "dimensions=0", "", LAST},
  {"reduce_c4",    TL_OP_REDUCE, "5x4xf32 f32", "dimensions=2", "", LAST},
  {"reduce_c5",    TL_OP_REDUCE, "5x4xf32 f32", "dimensions=1,1", "", LAST},
  {"reduce_c6",    TL_OP_REDUCE, "5x4xf32 f32", "dimensions=1", "", "f32 f32 -> 1 0"},
  {"reduce_c6",    TL_OP_REDUCE, "5x4xf32 f32", "dimensions=1", "", "f32 f64 -> 0"},
  {"reduce_c6",    TL_OP_REDUCE, "5x4xf64 f64", "dimensions=1", "", LAST},
  {"reduce_c6",    TL_OP_REDUCE, "5x4xi32 i32", "dimensions=1", "", LAST},
  {"reduce_c7",    TL_OP_REDUCE, "5x4xf32 f32", "dimensions=1", "4xf32", LAST},
  {"reduce_c8",    TL_OP_REDUCE, "5x4xf32 f32", "dimensions=1", "5xbf16", LAST},
  {"reduce: wants 1 regions, got 0", TL_OP_REDUCE, "5x4xf32 f32", "dimensions=1", "", ""},
  {NULL,           TL_OP_MAP, "5x4xf32 5x4xi1", "dimensions=0,1", "5x4xi1", "f32 i1 -> 1"},
  {NULL,           TL_OP_MAP, "f32", "dimensions=", "f32", "f32 -> d"},
  {"map_c1",       TL_OP_MAP, "5x4xf32 5xf32", "dimensions=0,1", "", LAST},
  {"map_c1",       TL_OP_MAP, "5x4xf32", "dimensions=0,1", "5xf32", "f32 -> 0"},
  {"map_c3",       TL_OP_MAP, "5x4xf32 5x4xf32", "dimensions=1,0", "", LAST},
  {"map_c3",       TL_OP_MAP, "5x4xf32 5x4xf32", "dimensions=0", "", LAST},
  {"map_c4",       TL_OP_MAP, "5x4xf32 5x4xf32", "dimensions=0,1", "", "f32 -> 0"},
  {"map_c4",       TL_OP_MAP, "5x4xf32", "dimensions=0,1", "", "f64 -> 0"},
  {"map_c4",       TL_OP_MAP, "5x4xf32", "dimensions=0,1", "", "5x4xf32 -> 0"},
  {"map_c4",       TL_OP_MAP, "5x4xf32", "dimensions=0,1", "5x4xf64", "f32 -> 0"},
  {NULL,           TL_OP_REDUCE_WINDOW, "5x4xf32 f32", WINDOW, "4x3xf32", LAST},
  {NULL,           TL_OP_REDUCE_WINDOW, "f32 f32", "window_dimensions=", "f32", LAST},
  {NULL,           TL_OP_REDUCE_WINDOW, "5x0xf32 f32", WINDOW "; padding=-1,0,1,1; base_dilations=1,7", "3x1xf32", LAST},
  {NULL,           TL_OP_REDUCE_WINDOW, "1x4xf32 f32", WINDOW "; padding=-2,0,0,0", "0x3xf32", LAST},
  {NULL,           TL_OP_REDUCE_WINDOW, "3x2xbf16 bf16", "window_dimensions=2,1; window_strides=4,1; base_dilations=2,1; window_dilations=3,1; padding=2,1,0,0", "2x2xf32", LAST},
  {NULL,           TL_OP_REDUCE_WINDOW, "5xf32 5xi32 f32 i32", "window_dimensions=5", "1xf32 1xi32", "f32 i32 f32 i32 -> 2 3"},
  {"reduce_window_c1", TL_OP_REDUCE_WINDOW, "5x4xf32 f32 f32", WINDOW, "", LAST},
  {"reduce_window_c1", TL_OP_REDUCE_WINDOW, "5x4xf32 f32", WINDOW, "4x3xf32 4x3xf32", LAST},
  {"reduce_window_c2", TL_OP_REDUCE_WINDOW, "5xf32 4xi32 f32 i32", "window_dimensions=2", "", "f32 i32 f32 i32 -> 2 3"},
  {"reduce_window_i2", TL_OP_REDUCE_WINDOW, "5x4xf32 1xf32", WINDOW, "", LAST},
  {"reduce_window_c3", TL_OP_REDUCE_WINDOW, "5x4xf32 f64", WINDOW, "", LAST},
  {"reduce_window_c4", TL_OP_REDUCE_WINDOW, "5x4xf32 f32", "window_dimensions=2", "", LAST},
  {"reduce_window_c5", TL_OP_REDUCE_WINDOW, "5x4xf32 f32", "window_dimensions=2,0", "", LAST},
  {"reduce_window_c6", TL_OP_REDUCE_WINDOW, "5x4xf32 f32", WINDOW "; window_strides=1", "", LAST},
  {"reduce_window_c6", TL_OP_REDUCE_WINDOW, "5x4xf32 f32", WINDOW "; window_strides=", "", LAST},
  {"reduce_window_c7", TL_OP_REDUCE_WINDOW, "5x4xf32 f32", WINDOW "; window_strides=0,1", "", LAST},
  {"reduce_window_c8", TL_OP_REDUCE_WINDOW, "5x4xf32 f32", WINDOW "; base_dilations=1,1,1", "", LAST},
  {"reduce_window_c9", TL_OP_REDUCE_WINDOW, "5x4xf32 f32", WINDOW "; base_dilations=1,-1", "", LAST},
  {"reduce_window_c10", TL_OP_REDUCE_WINDOW, "5x4xf32 f32", WINDOW "; window_dilations=1", "", LAST},
  {"reduce_window_c11", TL_OP_REDUCE_WINDOW, "5x4xf32 f32", WINDOW "; window_dilations=0,1", "", LAST},
  {"reduce_window_c12", TL_OP_REDUCE_WINDOW, "5x4xf32 f32", WINDOW "; padding=0,0", "", LAST},
  {"reduce_window_c13", TL_OP_REDUCE_WINDOW, "5x4xf32 f32", WINDOW, "", "f32 f32 -> 1 0"},
  {"reduce_window_c13", TL_OP_REDUCE_WINDOW, "5x4xi32 i32", WINDOW, "", LAST},
  {"reduce_window_c14", TL_OP_REDUCE_WINDOW, "5xf32 5xi32 f32 i32", "window_dimensions=5", "1xf32 2xi32", "f32 i32 f32 i32 -> 2 3"},
  {"reduce_window_c15", TL_OP_REDUCE_WINDOW, "5x4xf32 f32", WINDOW, "4x4xf32", LAST},
  {"reduce_window_c15", TL_OP_REDUCE_WINDOW, "5x4xf32 f32", WINDOW "; base_dilations=4611686018427387904,1", "", LAST},
  {"reduce_window_c16", TL_OP_REDUCE_WINDOW, "5x4xf32 f32", WINDOW, "4x3xbf16", LAST},
  {NULL, TL_OP_SELECT_AND_SCATTER, "4x2xf32 2x2xf32 f32", SCATTERED, "4x2xf32", PICK},
  {NULL, TL_OP_SELECT_AND_SCATTER, "4xbf16 4xbf16 bf16", "", "4xf32", "bf16 bf16 -> c | f32 f32 -> 1"},
  {"select_and_scatter_c1", TL_OP_SELECT_AND_SCATTER, "4x2xf32 2x2xf64 f32", SCATTERED, "", PICK},
  {"select_and_scatter_i3", TL_OP_SELECT_AND_SCATTER, "4x2xf32 2x2xf32 1xf32", SCATTERED, "", PICK},
  {"select_and_scatter_c2", TL_OP_SELECT_AND_SCATTER, "4x2xf32 3x2xf32 f32", SCATTERED, "", PICK},
  {"select_and_scatter_c3", TL_OP_SELECT_AND_SCATTER, "4x2xf32 2x2xf32 f64", SCATTERED, "", PICK},
  {"select_and_scatter_c4", TL_OP_SELECT_AND_SCATTER, "4x2xf32 2x2xf32 f32", SCATTERED "; window_dimensions=3", "", PICK},
  {"select_and_scatter_c5", TL_OP_SELECT_AND_SCATTER, "4x2xf32 2x2xf32 f32", SCATTERED "; window_dimensions=3,0", "", PICK},
  {"select_and_scatter_c6", TL_OP_SELECT_AND_SCATTER, "4x2xf32 2x2xf32 f32", SCATTERED "; window_strides=2", "", PICK},
  {"select_and_scatter_c7", TL_OP_SELECT_AND_SCATTER, "4x2xf32 2x2xf32 f32", SCATTERED "; window_strides=2,-1", "", PICK},
  {"select_and_scatter_c8", TL_OP_SELECT_AND_SCATTER, "4x2xf32 2x2xf32 f32", SCATTERED "; padding=0,1", "", PICK},
  {"select_and_scatter_c9", TL_OP_SELECT_AND_SCATTER, "4x2xf32 2x2xf32 f32", SCATTERED, "", "f32 f32 -> 1 | f32 f32 -> 1"},
  {"select_and_scatter_c9", TL_OP_SELECT_AND_SCATTER, "4x2xf32 2x2xf32 f32", SCATTERED, "", "f32 -> c | f32 f32 -> 1"},
  {"select_and_scatter_c10", TL_OP_SELECT_AND_SCATTER, "4x2xf32 2x2xf32 f32", SCATTERED, "", "f32 f32 -> c | f32 f32 -> c"},
  {"select_and_scatter_c11", TL_OP_SELECT_AND_SCATTER, "4x2xf32 2x2xf32 f32", SCATTERED, "4x3xf32", PICK},
  {"select_and_scatter_c12", TL_OP_SELECT_AND_SCATTER, "4x2xf32 2x2xf32 f32", SCATTERED, "4x2xf64", PICK},
  {"select_and_scatter: wants 2 regions, got 1", TL_OP_SELECT_AND_SCATTER, "4x2xf32 2x2xf32 f32", SCATTERED, "", "f32 f32 -> c"},
  {NULL, TL_OP_CONVOLUTION, "2x5x4x6xf32 3x2x6x8xf32", CONV, "2x3x3x8xf32", ""},
  {NULL, TL_OP_CONVOLUTION, "2x6xbf16 6x8xbf16", "input_batch_dimension=0; input_feature_dimension=1; kernel_input_feature_dimension=0; kernel_output_feature_dimension=1; output_batch_dimension=1; output_feature_dimension=0", "8x2xf32", ""},
  {NULL, TL_OP_CONVOLUTION, "2x5x4x6xf32 3x2x2x9xf32", CONV "; feature_group_count=3; window_strides=2,1; padding=1,1,-1,2; lhs_dilation=1,2; rhs_dilation=2,1; window_reversal=0,1", "2x2x7x9xf32", ""},
  {NULL, TL_OP_CONVOLUTION, "4x5x4x6xi8 3x2x6x8xi8", CONV "; batch_group_count=2; precision_config=HIGH,DEFAULT; output_spatial_dimensions=2,0; output_batch_dimension=3; output_feature_dimension=1", "3x8x3x2xi8", ""},
  {NULL, TL_OP_CONVOLUTION, "2x5x4x6xf32 0x7x6x8xf32", CONV, "2x6x0x8xf32", ""},
  {"convolution_c1", TL_OP_CONVOLUTION, "2x5x4x6xf32 3x6x8xf32", CONV, "", ""},
  {"convolution_c1", TL_OP_CONVOLUTION, "2xf32 3xf32", CONV, "", ""},
  {"convolution_c2", TL_OP_CONVOLUTION, "2x5x4x6xf32 3x2x6x8xf32", CONV "; window_strides=1", "", ""},
  {"convolution_c3", TL_OP_CONVOLUTION, "2x5x4x6xf32 3x2x6x8xf32", CONV "; window_strides=1,0", "", ""},
  {"convolution_c4", TL_OP_CONVOLUTION, "2x5x4x6xf32 3x2x6x8xf32", CONV "; padding=1,0", "", ""},
  {"convolution_c5", TL_OP_CONVOLUTION, "2x5x4x6xf32 3x2x6x8xf32", CONV "; lhs_dilation=1", "", ""},
  {"convolution_c6", TL_OP_CONVOLUTION, "2x5x4x6xf32 3x2x6x8xf32", CONV "; lhs_dilation=1,0", "", ""},
  {"convolution_c7", TL_OP_CONVOLUTION, "2x5x4x6xf32 3x2x6x8xf32", CONV "; rhs_dilation=1,1,1", "", ""},
  {"convolution_c8", TL_OP_CONVOLUTION, "2x5x4x6xf32 3x2x6x8xf32", CONV "; rhs_dilation=-1,1", "", ""},
  {"convolution_c9", TL_OP_CONVOLUTION, "2x5x4x6xf32 3x2x6x8xf32", CONV "; window_reversal=1", "", ""},
  {"convolution_c10", TL_OP_CONVOLUTION, "2x5x4x6xf32 3x2x6x8xf32", CONV "; batch_group_count=4", "", ""},
  {"convolution_c11", TL_OP_CONVOLUTION, "2x5x4x6xf32 3x2x6x8xf32", CONV "; feature_group_count=4", "", ""},
  {"convolution_c12", TL_OP_CONVOLUTION, "2x5x4x6xf32 3x2x6x8xf32", CONV "; input_spatial_dimensions=1", "", ""},
  {"convolution_c13", TL_OP_CONVOLUTION, "2x5x4x6xf32 3x2x6x8xf32", CONV "; input_spatial_dimensions=1,3", "", ""},
  {"convolution_c13", TL_OP_CONVOLUTION, "2x5x4x6xf32 3x2x6x8xf32", CONV "; input_batch_dimension=4", "", ""},
  {"convolution_c14", TL_OP_CONVOLUTION, "2x5x4x6xf32 3x2x6x8xf32", CONV "; feature_group_count=2", "", ""},
  {"convolution_c15", TL_OP_CONVOLUTION, "6x5x4x6xf32 3x2x6x8xf32", CONV "; batch_group_count=3", "", ""},
  {"convolution_c16", TL_OP_CONVOLUTION, "2x5x4x6xf32 3x2x2x8xf32", CONV "; feature_group_count=3", "", ""},
  {"convolution_c17", TL_OP_CONVOLUTION, "2x5x4x6xf32 3x2x6x8xf32", CONV "; kernel_spatial_dimensions=1,0,2", "", ""},
  {"convolution_c18", TL_OP_CONVOLUTION, "2x5x4x6xf32 3x2x6x8xf32", CONV "; kernel_output_feature_dimension=2", "", ""},
  {"convolution_c18", TL_OP_CONVOLUTION, "2x5x4x6xf32 3x2x6x8xf32", CONV "; kernel_output_feature_dimension=-1", "", ""},
  {"convolution_c19", TL_OP_CONVOLUTION, "2x5x4x6xf32 3x2x6x8xf32", CONV "; output_spatial_dimensions=", "", ""},
  {"convolution_c20", TL_OP_CONVOLUTION, "2x5x4x6xf32 3x2x6x8xf32", CONV "; output_feature_dimension=0", "", ""},
  {"convolution_c21", TL_OP_CONVOLUTION, "2x5x4x6xf32 3x2x6x8xf32", CONV "; feature_group_count=0", "", ""},
  {"convolution_c22", TL_OP_CONVOLUTION, "2x5x4x6xf32 3x2x6x8xf32", CONV "; batch_group_count=-1", "", ""},
  {"convolution_c23", TL_OP_CONVOLUTION, "2x5x4x6xf32 3x2x3x8xf32", CONV "; batch_group_count=2; feature_group_count=2", "", ""},
  {"convolution_c24", TL_OP_CONVOLUTION, "2x5x4x6xf32 3x2x6x8xf32", CONV "; precision_config=HIGH", "", ""},
  {"convolution_c25", TL_OP_CONVOLUTION, "2x5x4x6xf32 3x2x6x8xf32", CONV, "2x3x3x6xf32", ""},
  {"convolution_c25", TL_OP_CONVOLUTION, "2x5x4x6xf32 3x2x6x8xf32", CONV "; padding=0,9223372036854775807,0,0", "", ""},
  {"convolution_c26", TL_OP_CONVOLUTION, "2x5x4x6xf32 3x2x6x8xf32", CONV, "2x3x8xf32", ""},
  {"convolution_c27", TL_OP_CONVOLUTION, "2x5x4x6xf32 3x2x6x8xf64", CONV, "", ""},
  {"convolution_c27", TL_OP_CONVOLUTION, "2x5x4x6xf32 3x2x6x8xf32", CONV, "2x3x3x8xi32", ""},
#define DOT "lhs_batching_dimensions=0; rhs_batching_dimensions=2; lhs_contracting_dimensions=1; rhs_contracting_dimensions=0"
  {NULL,           TL_OP_SORT, "5x4xf32", "dimension=0; is_stable=1", "5x4xf32", LESS},
  {NULL,           TL_OP_SORT, "5x4xf32 5x4xi8", "dimension=-2", "5x4xf32 5x4xi8", "f32 f32 i8 i8 -> c"},
  {"sort_c1",      TL_OP_SORT, "", "dimension=0", "5xf32", "-> c"},
  {"sort_c2",      TL_OP_SORT, "5x4xf32", "", "5x4xf64", LESS},
  {"sort_c3",      TL_OP_SORT, "5x4xf32 4x5xi8", "", "5x4xf32 4x5xi8", "f32 f32 i8 i8 -> c"},
  {"sort_c4",      TL_OP_SORT, "5x4xf32", "dimension=2", "", LESS},
  {"sort_c4",      TL_OP_SORT, "5x4xf32", "dimension=-3", "", LESS},
  {"sort_c4",      TL_OP_SORT, "f32", "dimension=0", "", LESS},
  {"sort_c5",      TL_OP_SORT, "5x4xf32", "", "", "f32 -> c"},
  {"sort_c5",      TL_OP_SORT, "5x4xf32", "", "", "f32 f64 -> c"},
  {"sort_c5",      TL_OP_SORT, "5x4xf32", "", "", "f32 5xf32 -> c"},
  {"sort_c5",      TL_OP_SORT, "5x4xf32", "", "", LAST},
  {"sort_c5",      TL_OP_SORT, "5x4xf32", "", "", "f32 f32 -> c c"},
  {NULL,           TL_OP_RNG_BIT_GENERATOR, "2xui64", "rng_algorithm=THREE_FRY", "2xui64 5x3xui16", ""},
  {NULL,           TL_OP_RNG_BIT_GENERATOR, "3xui64", "rng_algorithm=PHILOX", "3xui64 f32", ""},
  {"rng_bit_generator_i2", TL_OP_RNG_BIT_GENERATOR, "2xi64", "rng_algorithm=PHILOX", "2xi64 5xui16", ""},
  {"rng_bit_generator_i2", TL_OP_RNG_BIT_GENERATOR, "ui64", "rng_algorithm=PHILOX", "ui64 5xui16", ""},
  {"rng_bit_generator_c1", TL_OP_RNG_BIT_GENERATOR, "2xui64", "rng_algorithm=DEFAULT", "3xui64 5xui16", ""},
  {"rng_bit_generator_c2", TL_OP_RNG_BIT_GENERATOR, "3xui64", "rng_algorithm=THREE_FRY", "3xui64 5xui16", ""},
  {"rng_bit_generator_c2", TL_OP_RNG_BIT_GENERATOR, "4xui64", "rng_algorithm=PHILOX", "4xui64 5xui16", ""},
  {"rng_bit_generator_o2", TL_OP_RNG_BIT_GENERATOR, "2xui64", "rng_algorithm=PHILOX", "2xui64 5xi1", ""},
  {"rng_bit_generator: wants 2 results, got 1", TL_OP_RNG_BIT_GENERATOR, "2xui64", "rng_algorithm=PHILOX", "2xui64", ""},
  {NULL,           TL_OP_DOT_GENERAL, "2x3x4xf32 3x5x2xf32", DOT "; precision_config=HIGHEST,HIGHEST", "2x4x5xf32", ""},
  {NULL,           TL_OP_DOT_GENERAL, "2x3x4xbf16 3x5x2xbf16", DOT, "2x4x5xf32", ""},
  {"dot_general_c1",  TL_OP_DOT_GENERAL, "2x3x4xf32 3x5x2xf32", DOT "; rhs_batching_dimensions=", "", ""},
  {"dot_general_c2",  TL_OP_DOT_GENERAL, "2x3x4xf32 3x5x2xf32", DOT "; rhs_contracting_dimensions=", "", ""},
  {"dot_general_c3",  TL_OP_DOT_GENERAL, "2x3x4xf32 2x5x2xf32", DOT "; lhs_contracting_dimensions=0", "", ""},
  {"dot_general_c4",  TL_OP_DOT_GENERAL, "2x2x4xf32 3x5x2xf32", DOT "; rhs_contracting_dimensions=2", "", ""},
  {"dot_general_c5",  TL_OP_DOT_GENERAL, "2x3x4xf32 3x5x2xf32", DOT "; lhs_batching_dimensions=3", "", ""},
  {"dot_general_c6",  TL_OP_DOT_GENERAL, "2x3x4xf32 3x5x2xf32", DOT "; lhs_contracting_dimensions=-1", "", ""},
  {"dot_general_c7",  TL_OP_DOT_GENERAL, "2x3x4xf32 3x5x2xf32", DOT "; rhs_batching_dimensions=3", "", ""},
  {"dot_general_c8",  TL_OP_DOT_GENERAL, "2x3x4xf32 3x5x2xf32", DOT "; rhs_contracting_dimensions=3", "", ""},
  {"dot_general_c9",  TL_OP_DOT_GENERAL, "2x3x4xf32 3x5x3xf32", DOT, "", ""},
  {"dot_general_c10", TL_OP_DOT_GENERAL, "2x3x4xf32 4x5x2xf32", DOT, "", ""},
  {"dot_general_c11", TL_OP_DOT_GENERAL, "2x3x4xf32 3x5x2xf32", DOT "; precision_config=HIGH", "", ""},
  {"dot_general_c12", TL_OP_DOT_GENERAL, "2x3x4xf32 3x5x2xf32", DOT, "2x5x4xf32", ""},
  {"dot_general_c12", TL_OP_DOT_GENERAL, "2x3x4xf32 3x5x2xf32", DOT, "2x4x5xi32", ""},
  {"dot_general_c13", TL_OP_DOT_GENERAL, "2x3x4xf32 3x5x2xbf16", DOT, "", ""},
  {NULL,           TL_OP_REDUCE_PRECISION, "5xf32", "exponent_bits=5; mantissa_bits=10", "5xf32", ""},
  {"reduce_precision_i1", TL_OP_REDUCE_PRECISION, "5xi32", "exponent_bits=5; mantissa_bits=10", "", ""},
  {"reduce_precision_c1", TL_OP_REDUCE_PRECISION, "5xf32", "exponent_bits=5; mantissa_bits=10", "5xf16", ""},
  {"reduce_precision_c2", TL_OP_REDUCE_PRECISION, "5xf32", "exponent_bits=0; mantissa_bits=10", "", ""},
  {"reduce_precision_c3", TL_OP_REDUCE_PRECISION, "5xf32", "exponent_bits=5; mantissa_bits=-1", "", ""},
  {NULL,           TL_OP_CHOLESKY, "2x3x3xf32", "lower=1", "2x3x3xf32", ""},
  {"cholesky_i1",  TL_OP_CHOLESKY, "3x3xi32", "", "", ""},
  {"cholesky_c1",  TL_OP_CHOLESKY, "3x3xf32", "", "3x3xf64", ""},
  {"cholesky_c2",  TL_OP_CHOLESKY, "3xf32", "", "", ""},
  {"cholesky_c3",  TL_OP_CHOLESKY, "3x4xf32", "", "", ""},
  {NULL,           TL_OP_TRIANGULAR_SOLVE, "2x3x3xf32 2x3x5xf32", "left_side=1; lower=1; transpose_a=NO_TRANSPOSE; unit_diagonal=0", "2x3x5xf32", ""},
  {NULL,           TL_OP_TRIANGULAR_SOLVE, "3x3xf32 5x3xf32", "left_side=0; lower=1; transpose_a=ADJOINT; unit_diagonal=1", "5x3xf32", ""},
  {"triangular_solve_i1", TL_OP_TRIANGULAR_SOLVE, "3x3xi32 3x5xf32", "left_side=1; lower=1; transpose_a=NO_TRANSPOSE; unit_diagonal=0", "", ""},
  {"triangular_solve_i2", TL_OP_TRIANGULAR_SOLVE, "3x3xf32 3x5xi32", "left_side=1; lower=1; transpose_a=NO_TRANSPOSE; unit_diagonal=0", "", ""},
  {"triangular_solve_c1", TL_OP_TRIANGULAR_SOLVE, "3x3xf32 3x5xf64", "left_side=1; lower=1; transpose_a=NO_TRANSPOSE; unit_diagonal=0", "", ""},
  {"triangular_solve_c2", TL_OP_TRIANGULAR_SOLVE, "3x3xf32 3xf32", "left_side=1; lower=1; transpose_a=NO_TRANSPOSE; unit_diagonal=0", "", ""},
  {"triangular_solve_c2", TL_OP_TRIANGULAR_SOLVE, "3xf32 3xf32", "left_side=1; lower=1; transpose_a=NO_TRANSPOSE; unit_diagonal=0", "", ""},
  {"triangular_solve_c3", TL_OP_TRIANGULAR_SOLVE, "2x3x3xf32 1x3x5xf32", "left_side=1; lower=1; transpose_a=NO_TRANSPOSE; unit_diagonal=0", "", ""},
  {"triangular_solve_c3", TL_OP_TRIANGULAR_SOLVE, "3x4xf32 3x5xf32", "left_side=1; lower=1; transpose_a=NO_TRANSPOSE; unit_diagonal=0", "", ""},
  {"triangular_solve_c3", TL_OP_TRIANGULAR_SOLVE, "3x3xf32 5x3xf32", "left_side=1; lower=1; transpose_a=NO_TRANSPOSE; unit_diagonal=0", "", ""},
  {"triangular_solve_c4", TL_OP_TRIANGULAR_SOLVE, "3x3xf32 3x5xf32", "left_side=1; lower=1; transpose_a=NO_TRANSPOSE; unit_diagonal=0", "3x3xf32", ""},
  {NULL,           TL_OP_BATCH_NORM_INFERENCE, "2x3xf32 3xf32 3xf32 3xf32 3xf32", "epsilon=0.5; feature_index=1", "2x3xf32", ""},
  {"batch_norm_inference_i1", TL_OP_BATCH_NORM_INFERENCE, "2x3xi32 3xi32 3xi32 3xi32 3xi32", "epsilon=0.5; feature_index=1", "", ""},
  {"batch_norm_inference_c1", TL_OP_BATCH_NORM_INFERENCE, "2x3xf32 3xf32 3xf32 3xf32 3xf32", "epsilon=0.5; feature_index=2", "", ""},
  {"batch_norm_inference_c1", TL_OP_BATCH_NORM_INFERENCE, "2x3xf32 3xf32 3xf32 3xf32 3xf32", "epsilon=0.5; feature_index=-1", "", ""},
  {"batch_norm_inference_c2", TL_OP_BATCH_NORM_INFERENCE, "2x3xf32 3xf32 3xf32 3xf32 3xf64", "epsilon=0.5; feature_index=1", "", ""},
  {"batch_norm_inference_i2", TL_OP_BATCH_NORM_INFERENCE, "2x3xf32 1x3xf32 3xf32 3xf32 3xf32", "epsilon=0.5; feature_index=1", "", ""},
  {"batch_norm_inference_c3", TL_OP_BATCH_NORM_INFERENCE, "2x3xf32 2xf32 3xf32 3xf32 3xf32", "epsilon=0.5; feature_index=1", "", ""},
  {"batch_norm_inference_i3", TL_OP_BATCH_NORM_INFERENCE, "2x3xf32 3xf32 1x3xf32 3xf32 3xf32", "epsilon=0.5; feature_index=1", "", ""},
  {"batch_norm_inference_c4", TL_OP_BATCH_NORM_INFERENCE, "2x3xf32 3xf32 2xf32 3xf32 3xf32", "epsilon=0.5; feature_index=1", "", ""},
  {"batch_norm_inference_i4", TL_OP_BATCH_NORM_INFERENCE, "2x3xf32 3xf32 3xf32 1x3xf32 3xf32", "epsilon=0.5; feature_index=1", "", ""},
  {"batch_norm_inference_c5", TL_OP_BATCH_NORM_INFERENCE, "2x3xf32 3xf32 3xf32 2xf32 3xf32", "epsilon=0.5; feature_index=1", "", ""},
  {"batch_norm_inference_i5", TL_OP_BATCH_NORM_INFERENCE, "2x3xf32 3xf32 3xf32 3xf32 1x3xf32", "epsilon=0.5; feature_index=1", "", ""},
  {"batch_norm_inference_c6", TL_OP_BATCH_NORM_INFERENCE, "2x3xf32 3xf32 3xf32 3xf32 2xf32", "epsilon=0.5; feature_index=1", "", ""},
  {"batch_norm_inference_c7", TL_OP_BATCH_NORM_INFERENCE, "2x3xf32 3xf32 3xf32 3xf32 3xf32", "epsilon=0.5; feature_index=1", "3x2xf32", ""},
  {NULL,           TL_OP_BATCH_NORM_TRAINING, "2x3xf32 3xf32 3xf32", "epsilon=0.5; feature_index=1", "2x3xf32 3xf32 3xf32", ""},
  {"batch_norm_training_i1", TL_OP_BATCH_NORM_TRAINING, "2x3xi32 3xi32 3xi32", "epsilon=0.5; feature_index=1", "2x3xf32 3xf32 3xf32", ""},
  {"batch_norm_training_c1", TL_OP_BATCH_NORM_TRAINING, "2x3xf32 3xf32 3xf32", "epsilon=0.5; feature_index=2", "2x3xf32 3xf32 3xf32", ""},
  {"batch_norm_training_c2", TL_OP_BATCH_NORM_TRAINING, "2x3xf32 3xf32 3xf16", "epsilon=0.5; feature_index=1", "2x3xf32 3xf32 3xf32", ""},
  {"batch_norm_training_i2", TL_OP_BATCH_NORM_TRAINING, "2x3xf32 f32 3xf32", "epsilon=0.5; feature_index=1", "2x3xf32 3xf32 3xf32", ""},
  {"batch_norm_training_i3", TL_OP_BATCH_NORM_TRAINING, "2x3xf32 3xf32 f32", "epsilon=0.5; feature_index=1", "2x3xf32 3xf32 3xf32", ""},
  {"batch_norm_training_c3", TL_OP_BATCH_NORM_TRAINING, "2x3xf32 2xf32 3xf32", "epsilon=0.5; feature_index=1", "2x3xf32 3xf32 3xf32", ""},
  {"batch_norm_training_c4", TL_OP_BATCH_NORM_TRAINING, "2x3xf32 3xf32 2xf32", "epsilon=0.5; feature_index=1", "2x3xf32 3xf32 3xf32", ""},
  {"batch_norm_training_c5", TL_OP_BATCH_NORM_TRAINING, "2x3xf32 3xf32 3xf32", "epsilon=0.5; feature_index=1", "2x3xf32 2xf32 3xf32", ""},
  {"batch_norm_training_c6", TL_OP_BATCH_NORM_TRAINING, "2x3xf32 3xf32 3xf32", "epsilon=0.5; feature_index=1", "2x3xf32 3xf32 2xf32", ""},
  {"batch_norm_training_c7", TL_OP_BATCH_NORM_TRAINING, "2x3xf32 3xf32 3xf32", "epsilon=0.5; feature_index=1", "3x2xf32 3xf32 3xf32", ""},
  {NULL,           TL_OP_BATCH_NORM_GRAD, "2x3xf32 3xf32 3xf32 3xf32 2x3xf32", "epsilon=0.5; feature_index=1", "2x3xf32 3xf32 3xf32", ""},
  {"batch_norm_grad_i1", TL_OP_BATCH_NORM_GRAD, "2x3xi32 3xi32 3xi32 3xi32 2x3xi32", "epsilon=0.5; feature_index=1", "2x3xf32 3xf32 3xf32", ""},
  {"batch_norm_grad_c1", TL_OP_BATCH_NORM_GRAD, "2x3xf32 3xf32 3xf32 3xf32 2x3xf32", "epsilon=0.5; feature_index=2", "2x3xf32 3xf32 3xf32", ""},
  {"batch_norm_grad_c2", TL_OP_BATCH_NORM_GRAD, "2x3xf32 3xf32 3xf32 3xf32 2x3xf64", "epsilon=0.5; feature_index=1", "2x3xf32 3xf32 3xf32", ""},
  {"batch_norm_grad_i2", TL_OP_BATCH_NORM_GRAD, "2x3xf32 f32 3xf32 3xf32 2x3xf32", "epsilon=0.5; feature_index=1", "2x3xf32 3xf32 3xf32", ""},
  {"batch_norm_grad_c5", TL_OP_BATCH_NORM_GRAD, "2x3xf32 2xf32 3xf32 3xf32 2x3xf32", "epsilon=0.5; feature_index=1", "2x3xf32 3xf32 3xf32", ""},
  {"batch_norm_grad_i3", TL_OP_BATCH_NORM_GRAD, "2x3xf32 3xf32 f32 3xf32 2x3xf32", "epsilon=0.5; feature_index=1", "2x3xf32 3xf32 3xf32", ""},
  {"batch_norm_grad_c4", TL_OP_BATCH_NORM_GRAD, "2x3xf32 3xf32 2xf32 3xf32 2x3xf32", "epsilon=0.5; feature_index=1", "2x3xf32 3xf32 3xf32", ""},
  {"batch_norm_grad_i4", TL_OP_BATCH_NORM_GRAD, "2x3xf32 3xf32 3xf32 f32 2x3xf32", "epsilon=0.5; feature_index=1", "2x3xf32 3xf32 3xf32", ""},
  {"batch_norm_grad_c4", TL_OP_BATCH_NORM_GRAD, "2x3xf32 3xf32 3xf32 2xf32 2x3xf32", "epsilon=0.5; feature_index=1", "2x3xf32 3xf32 3xf32", ""},
  {"batch_norm_grad_c3", TL_OP_BATCH_NORM_GRAD, "2x3xf32 3xf32 3xf32 3xf32 3x2xf32", "epsilon=0.5; feature_index=1", "2x3xf32 3xf32 3xf32", ""},
  {"batch_norm_grad_c3", TL_OP_BATCH_NORM_GRAD, "2x3xf32 3xf32 3xf32 3xf32 2x3xf32", "epsilon=0.5; feature_index=1", "3x2xf32 3xf32 3xf32", ""},
  {"batch_norm_grad_c4", TL_OP_BATCH_NORM_GRAD, "2x3xf32 3xf32 3xf32 3xf32 2x3xf32", "epsilon=0.5; feature_index=1", "2x3xf32 3xf32 2xf32", ""},
  {NULL,           TL_OP_WHILE, "f32 2xi1", "", "", "f32 2xi1 -> c | f32 2xi1 -> o0 1"},
  {"while_c1",     TL_OP_WHILE, "f32 2xi1", "", "", "f32 -> c | f32 2xi1 -> 0 1"},
  {"while_c1",     TL_OP_WHILE, "f32 2xi1", "", "", "f32 2xi1 -> 0 | f32 2xi1 -> 0 1"},
  {"while_c1",     TL_OP_WHILE, "f32 2xi1", "", "", "f32 f32 -> c | f32 2xi1 -> 0 1"},
  {"while_c2",     TL_OP_WHILE, "f32 2xi1", "", "", "f32 2xi1 -> c | f32 2xi1 -> 0"},
  {"while_c2",     TL_OP_WHILE, "f32 2xi1", "", "", "f32 2xi1 -> c | f32 2xi1 -> 1 0"},
  {"while_c3",     TL_OP_WHILE, "f32 2xi1", "", "f32 f32", "f32 2xi1 -> c | f32 2xi1 -> 0 1"},
  {NULL,           TL_OP_IF, "i1", "", "i1", "-> o0 | -> c"},
  {"if_i1",        TL_OP_IF, "1xi1", "", "", "-> c | -> c"},
  {"if_c1",        TL_OP_IF, "i1", "", "", "i1 -> 0 | -> c"},
  {"if_c1",        TL_OP_IF, "i1", "", "", "-> c | i1 -> 0"},
  {"if_c2",        TL_OP_IF, "i1", "", "", "-> c | -> d"},
  {"if_c3",        TL_OP_IF, "i1", "", "f32", "-> c | -> c"},
  {NULL,           TL_OP_CASE, "i32", "", "f32 i1", "-> d c | -> d c | -> d c"},
  {"case_i1",      TL_OP_CASE, "i64", "", "", "-> c | -> c"},
  {"case_c1",      TL_OP_CASE, "i32", "", "i1", ""},
  {"case_c2",      TL_OP_CASE, "i32", "", "", "-> c | i1 -> 0"},
  {"case_c3",      TL_OP_CASE, "i32", "", "", "-> c | -> d"},
  {"case_c4",      TL_OP_CASE, "i32", "", "i1 i1", "-> c | -> c"},
  {NULL,           TL_OP_CALL, "f32 2xi1", "callee=callee", "2xi1", ""},
  {"call_c3",      TL_OP_CALL, "f32", "callee=callee", "2xi1", ""},
  {"call_c3",      TL_OP_CALL, "f32 3xi1", "callee=callee", "2xi1", ""},
  {"call_c4",      TL_OP_CALL, "f32 2xi1", "callee=callee", "f32", ""},
  {NULL,           TL_OP_COMPOSITE, "f32 2xi1", "decomposition=callee; name=my.op", "2xi1", ""},
  {"composite_c1", TL_OP_COMPOSITE, "f32 2xi1", "decomposition=callee; name=myop", "2xi1", ""},
  {"composite_c1", TL_OP_COMPOSITE, "f32 2xi1", "decomposition=callee; name=my.", "2xi1", ""},
  {"composite_c3", TL_OP_COMPOSITE, "2xi1 f32", "decomposition=callee; name=my.op", "2xi1", ""},
  {NULL,           TL_OP_CUSTOM_CALL, "2xf32 2xf32", "call_target_name=check.expect_eq", "", ""},
  {NULL,           TL_OP_CUSTOM_CALL, "i1 i1", "call_target_name=check.expect_close; max_ulp_difference=0", "", ""},
  {"the target @check.expect_equal is not supported; did you mean @check.expect_eq?", TL_OP_CUSTOM_CALL,
   "2xf32 2xf32", "call_target_name=check.expect_equal", "", ""},
  {"custom_call_i1", TL_OP_CUSTOM_CALL, "2xf32", "call_target_name=check.expect_eq", "", ""},
  {"custom_call_i1", TL_OP_CUSTOM_CALL, "2xf32 3xf32", "call_target_name=check.expect_eq", "", ""},
  {"custom_call_i3", TL_OP_CUSTOM_CALL, "2xf32 2xf32", "call_target_name=check.expect_close; max_ulp_difference=-1", "", ""},
  {"custom_call_c1", TL_OP_CUSTOM_CALL, "2xf32 2xf32", "call_target_name=check.expect_eq", "2xf32", ""},
  {"composite_c4", TL_OP_COMPOSITE, "f32 2xi1", "decomposition=callee; name=my.op", "2xi1 2xi1", ""},
  {NULL,           TL_OP_OPTIMIZATION_BARRIER, "f32 2xi1", "", "f32 2xi1", ""},
  {"optimization_barrier_c1", TL_OP_OPTIMIZATION_BARRIER, "f32 2xi1", "", "f32", ""},

  {NULL,           TL_OP_EMBEDDING, "5x3xf32 2x2xi32", "", "2x2x3xf32", ""},
  {"embedding_c1", TL_OP_EMBEDDING, "5xf32 2xi32", "", "", ""},
  {"embedding_c1", TL_OP_EMBEDDING, "0x3xf32 2xi32", "", "", ""},
  {"embedding_c2", TL_OP_EMBEDDING, "5x3xf32 2xi64", "", "", ""},
  {NULL,           TL_OP_RMS_NORM, "5x3xf32 3xf32", "eps=0.5", "5x3xf32", ""},
  {"rms_norm_c1",  TL_OP_RMS_NORM, "5x3xbf16 3xbf16", "eps=0.5", "", ""},
  {"rms_norm_c1",  TL_OP_RMS_NORM, "f32 3xf32", "eps=0.5", "", ""},
  {"rms_norm_c2",  TL_OP_RMS_NORM, "5x3xf32 5xf32", "eps=0.5", "", ""},
  {"rms_norm: wants the attribute eps", TL_OP_RMS_NORM, "5x3xf32 3xf32", "", "", ""},
  {NULL,           TL_OP_ROPE, "3x2x8xf32 9x4xf32 9x4xf32 3xi32", "", "3x2x8xf32", ""},
  {"rope_c1",      TL_OP_ROPE, "3x2x7xf32 9x4xf32 9x4xf32 3xi32", "", "", ""},
  {"rope_c2",      TL_OP_ROPE, "3x2x8xf32 9x4xf32 8x4xf32 3xi32", "", "", ""},
  {"rope_c2",      TL_OP_ROPE, "3x2x8xf32 9x8xf32 9x8xf32 3xi32", "", "", ""},
  {"rope_c3",      TL_OP_ROPE, "3x2x8xf32 9x4xf32 9x4xf32 2xi32", "", "", ""},
  {NULL,           TL_OP_SOFTMAX, "3x2xf64", "axis=1", "", ""},
  {"softmax_c1",   TL_OP_SOFTMAX, "3x2xi32", "axis=1", "", ""},
  {"softmax_c2",   TL_OP_SOFTMAX, "3x2xf32", "axis=2", "", ""},
  {NULL,           TL_OP_LOG_SOFTMAX, "2x3xf64", "axis=1", "2x3xf64", ""},
  {"log_softmax_c1", TL_OP_LOG_SOFTMAX, "2x3xbf16", "axis=1", "", ""},
  {"log_softmax_c1", TL_OP_LOG_SOFTMAX, "2x3xf32", "axis=1", "3x2xf32", ""},
  {"log_softmax_c2", TL_OP_LOG_SOFTMAX, "2x3xf32", "axis=2", "", ""},
  {"log_softmax_c2", TL_OP_LOG_SOFTMAX, "2x0xf32", "axis=1", "", ""},
  {NULL,           TL_OP_LOGSUMEXP, "2x3xf32", "axis=0", "3xf32", ""},
  {"logsumexp_c1", TL_OP_LOGSUMEXP, "2x3xi32", "axis=0", "", ""},
  {"logsumexp_c2", TL_OP_LOGSUMEXP, "2x3xf32", "axis=-1", "", ""},
  {NULL,           TL_OP_ARGMAX, "2x3xui8", "axis=0", "3xi32", ""},
  {"argmax_c1",    TL_OP_ARGMAX, "2x3xi1", "axis=0", "", ""},
  {"argmax_c2",    TL_OP_ARGMAX, "2x3xf32", "axis=2", "", ""},
  {"argmax_c2",    TL_OP_ARGMAX, "4294967296x0xf32", "axis=0", "", ""},
  {NULL,           TL_OP_MEAN, "2x3x5xf32", "", "f32", ""},
  {NULL,           TL_OP_MEAN, "2x3x5xf32", "dimensions=2,0; keep_dims=1", "1x3x1xf32", ""},
  {"mean_c1",      TL_OP_MEAN, "2xi32", "", "", ""},
  {"mean_c2",      TL_OP_MEAN, "2x3xf32", "dimensions=2", "", ""},
  {"mean_c2",      TL_OP_MEAN, "2x3xf32", "dimensions=1,1", "", ""},
  {NULL,           TL_OP_CROSS_ENTROPY, "2x3xf32 2x3xf32", "mean=1", "f32", ""},
  {NULL,           TL_OP_CROSS_ENTROPY, "2x3xf64 2xi32", "", "f64", ""},
  {"cross_entropy_c1", TL_OP_CROSS_ENTROPY, "f32 f32", "", "", ""},
  {"cross_entropy_c1", TL_OP_CROSS_ENTROPY, "2x3xbf16 2x3xbf16", "", "", ""},
  {"cross_entropy_c1", TL_OP_CROSS_ENTROPY, "2x0xf32 2x0xf32", "", "", ""},
  {"cross_entropy_c2", TL_OP_CROSS_ENTROPY, "2x3xf32 2x3xf64", "", "", ""},
  {"cross_entropy_c2", TL_OP_CROSS_ENTROPY, "2x3xf32 3xi32", "", "", ""},
  {NULL,           TL_OP_SOFT_CROSS_ENTROPY, "2x3xf32 2x3xf32", "temperature=2", "2xf32", ""},
  {"soft_cross_entropy_c1", TL_OP_SOFT_CROSS_ENTROPY, "2x3xi32 2x3xi32", "", "", ""},
  {"soft_cross_entropy_c2", TL_OP_SOFT_CROSS_ENTROPY, "2x3xf32 3x2xf32", "", "", ""},
  {"soft_cross_entropy_c3", TL_OP_SOFT_CROSS_ENTROPY, "2x3xf32 2x3xf32", "temperature=0", "", ""},
  {"soft_cross_entropy_c3", TL_OP_SOFT_CROSS_ENTROPY, "2x3xf32 2x3xf32", "temperature=inf", "", ""},
  {NULL,           TL_OP_TAKE_ALONG, "2x3xi1 2x7xi32", "axis=1", "2x7xi1", ""},
  {"take_along_c1", TL_OP_TAKE_ALONG, "2x3xf32 2x7xi32", "axis=2", "", ""},
  {"take_along_c1", TL_OP_TAKE_ALONG, "2x0xf32 2x7xi32", "axis=1", "", ""},
  {"take_along_c2", TL_OP_TAKE_ALONG, "2x3xf32 3x7xi32", "axis=1", "", ""},
  {"take_along_c2", TL_OP_TAKE_ALONG, "2x3xf32 2xi32", "axis=1", "", ""},
  {"take_along_c2", TL_OP_TAKE_ALONG, "2x3xf32 2x3xi64", "axis=1", "", ""},
  {NULL,           TL_OP_TAKE_ALONG_GRAD, "2x7xi32 2x7xf32 2x3xf32", "axis=1", "2x3xf32", ""},
  {"take_along_grad_c1", TL_OP_TAKE_ALONG_GRAD, "2x7xi32 2x7xf32 2x3xf32", "axis=-1", "", ""},
  {"take_along_grad_c2", TL_OP_TAKE_ALONG_GRAD, "3x7xi32 3x7xf32 2x3xf32", "axis=1", "", ""},
  {"take_along_grad_c3", TL_OP_TAKE_ALONG_GRAD, "2x7xi32 2x6xf32 2x3xf32", "axis=1", "", ""},
  {"take_along_grad_c3", TL_OP_TAKE_ALONG_GRAD, "2x7xi32 2x7xf64 2x3xf32", "axis=1", "", ""},
  {"take_along_grad_c3", TL_OP_TAKE_ALONG_GRAD, "2x7xi32 2x7xi1 2x3xi1", "axis=1", "", ""},
  {NULL,           TL_OP_EMBEDDING_GRAD, "2x7xi32 2x7x4xf32 9x4xf32", "padding_index=3", "9x4xf32", ""},
  {"embedding_grad_c1", TL_OP_EMBEDDING_GRAD, "7xi32 7x4xf32 0x4xf32", "", "", ""},
  {"embedding_grad_c1", TL_OP_EMBEDDING_GRAD, "7xi32 7x4xf32 9x4x1xf32", "", "", ""},
  {"embedding_grad_c2", TL_OP_EMBEDDING_GRAD, "7xi64 7x4xf32 9x4xf32", "", "", ""},
  {"embedding_grad_c3", TL_OP_EMBEDDING_GRAD, "7xi32 7x5xf32 9x4xf32", "", "", ""},
  {"embedding_grad_c3", TL_OP_EMBEDDING_GRAD, "7xi32 4xf32 9x4xf32", "", "", ""},
  {NULL,           TL_OP_SWIGLU, "3x2xf32 3x2xf32", "", "", ""},
  {"swiglu_c1",    TL_OP_SWIGLU, "3x2xf32 3xf32", "", "", ""},
  {"swiglu_i1",    TL_OP_SWIGLU, "3xi32 3xi32", "", "", ""},
  {NULL,           TL_OP_KV_CACHE_WRITE, "9x4x2x8xbf16 3x2x8xf32 3xi32", "block_offset=3", "9x4x2x8xbf16", ""},
  {"kv_cache_write_c1", TL_OP_KV_CACHE_WRITE, "9x4x2xf32 3x2x8xf32 3xi32", "", "", ""},
  {"kv_cache_write_c2", TL_OP_KV_CACHE_WRITE, "9x4x2x8xf32 3x2x7xf32 3xi32", "", "", ""},
  {"kv_cache_write_c3", TL_OP_KV_CACHE_WRITE, "9x4x2x8xf32 3x2x8xf32 4xi32", "", "", ""},
  {"kv_cache_write_c4", TL_OP_KV_CACHE_WRITE, "9x4x2x8xf32 3x2x8xf32 3xi32", "block_offset=10", "", ""},
  {"kv_cache_write_c5", TL_OP_KV_CACHE_WRITE, "2147483647x2x0x8xf32 3x0x8xf32 3xi32", "", "", ""},
#define POOLS "3x6x8xf32 9x4x2x8xf32 9x4x2x8xf32 "
  {NULL,           TL_OP_PAGED_ATTENTION, POOLS "3x5xi32 3xi32", "scale=1", "3x6x8xf32", ""},
  {NULL,           TL_OP_PAGED_ATTENTION, POOLS "2x5xi32 3xi32 3xi32", "scale=1; precision_config=HIGH,HIGH", "", ""},
  {"paged_attention_c1", TL_OP_PAGED_ATTENTION, "3x6xf32 9x4x2x8xf32 9x4x2x8xf32 3x5xi32 3xi32", "scale=1", "", ""},
  {"paged_attention_c2", TL_OP_PAGED_ATTENTION, "3x6x8xf32 9x4x2x8xf32 9x4x2x8xbf16 3x5xi32 3xi32", "scale=1", "", ""},
  {"paged_attention_c2", TL_OP_PAGED_ATTENTION, "3x6x8xf32 9x4x2x4xf32 9x4x2x4xf32 3x5xi32 3xi32", "scale=1", "", ""},
  {"paged_attention_c3", TL_OP_PAGED_ATTENTION, "3x6x8xf32 9x4x4x8xf32 9x4x4x8xf32 3x5xi32 3xi32", "scale=1", "", ""},
  {"paged_attention_c3", TL_OP_PAGED_ATTENTION, "3x6x8xf32 9x4x0x8xf32 9x4x0x8xf32 3x5xi32 3xi32", "scale=1", "", ""},
  {"paged_attention_c4", TL_OP_PAGED_ATTENTION, POOLS "3xi32 3xi32", "scale=1", "", ""},
  {"paged_attention_c4", TL_OP_PAGED_ATTENTION, "0x6x8xf32 9x4x2x8xf32 9x4x2x8xf32 0x4611686018427387904xi32 0xi32", "scale=1", "", ""},
  {"paged_attention_c5", TL_OP_PAGED_ATTENTION, POOLS "3x5xi32 2xi32", "scale=1", "", ""},
  {"paged_attention_c6", TL_OP_PAGED_ATTENTION, POOLS "2x5xi32 3xi32", "scale=1", "", ""},
  {"paged_attention_c6", TL_OP_PAGED_ATTENTION, POOLS "2x5xi32 3xi32 2xi32", "scale=1", "", ""},
  {"paged_attention_c7", TL_OP_PAGED_ATTENTION, POOLS "3x5xi32 3xi32", "scale=inf", "", ""},
  {"paged_attention_c8", TL_OP_PAGED_ATTENTION, POOLS "3x5xi32 3xi32", "scale=1; key_offset=9", "", ""},
  {"paged_attention_c8", TL_OP_PAGED_ATTENTION, POOLS "3x5xi32 3xi32", "scale=1; value_offset=-1", "", ""},
  {"paged_attention_c9", TL_OP_PAGED_ATTENTION, POOLS "3x5xi32 3xi32", "scale=1; precision_config=HIGH", "", ""},
  {"paged_attention: wants 5 or 6 operands", TL_OP_PAGED_ATTENTION, POOLS "3x5xi32", "scale=1", "", ""},
  {NULL,           TL_OP_QUANTIZED_MATMUL, "3x256xf32 2x2368xui8", "format=q4_k; rows=17", "3x17xf32", ""},
  {NULL,           TL_OP_QUANTIZED_MATMUL, "3x5xf32 2x3x16x2xbf16", "format=bf16; rows=17", "3x17xf32", ""},
  {NULL,           TL_OP_QUANTIZED_MATMUL, "5xf32 2x5x16xf32", "format=f32; rows=17", "17xf32", ""},
  {"quantized_matmul_c1", TL_OP_QUANTIZED_MATMUL, "3x256xf32 2x2368xui8", "format=q9; rows=17", "", ""},
  {"quantized_matmul_c2", TL_OP_QUANTIZED_MATMUL, "3x256xf64 2x2368xui8", "format=q4_k; rows=17", "", ""},
  {"quantized_matmul_c3", TL_OP_QUANTIZED_MATMUL, "3x255xf32 2x2368xui8", "format=q4_k; rows=17", "", ""},
  {"quantized_matmul_c3", TL_OP_QUANTIZED_MATMUL, "3x256xf32 2x2368xui8", "format=q4_k; rows=0", "", ""},
  {"quantized_matmul_c4", TL_OP_QUANTIZED_MATMUL, "3x256xf32 2x2368xui8", "format=q4_k; rows=33", "", ""},
  {NULL,           TL_OP_QUANTIZED_EMBEDDING, "2x2368xui8 3xi32", "format=q4_k; rows=17; k=256", "3x256xf32", ""},
  {"quantized_embedding_c1", TL_OP_QUANTIZED_EMBEDDING, "2x2368xui8 3xi32", "format=q4; rows=17; k=256", "", ""},
  {"quantized_embedding_c2", TL_OP_QUANTIZED_EMBEDDING, "2x2368xui8 3xi64", "format=q4_k; rows=17; k=256", "", ""},
  {"quantized_embedding_c3", TL_OP_QUANTIZED_EMBEDDING, "2x2368xui8 3xi32", "format=q4_k; rows=17; k=-256", "", ""},
  {"quantized_embedding_c4", TL_OP_QUANTIZED_EMBEDDING, "2x2368xui8 3xi32", "format=q5_k; rows=17; k=256", "", ""},
  {NULL,           TL_OP_PACK_WEIGHTS, "17x144xui8", "format=q4_k; rows=17; k=256", "2x2368xui8", ""},
  {"pack_weights_c1", TL_OP_PACK_WEIGHTS, "17x144xui8", "format=; rows=17; k=256", "", ""},
  {"pack_weights_c3", TL_OP_PACK_WEIGHTS, "17x144xui8", "format=q4_k; rows=17; k=32", "", ""},
  {"pack_weights_c4", TL_OP_PACK_WEIGHTS, "17x144xui8", "format=q5_k; rows=17; k=256", "", ""},
  {"pack_weights_c4", TL_OP_PACK_WEIGHTS, "17x144xui8", "format=q4_k; rows=17; k=256", "17x144xui8", ""},
};
// clang-format on

static void by_builder(void **state) {
  (void)state;
  bool good[TL_OP_COUNT] = {false};
  for (size_t i = 0; i < TL_COUNT(cases); i++) {
    const op_case *c = &cases[i];
    case_module k;
    case_begin(&k, c);
    tl_op *op = tl_op_finish(&k.b, k.op, k.n_types ? k.types : NULL, k.n_types);
    if (c->label != NULL) {
      if (op != NULL) print_error("case %zu should be refused: %s %s\n", i, c->label, c->attrs);
      assert_null(op);
      assert_status(tl_builder_finish(&k.b), TL_STATUS_INVALID_ARGUMENT, c->label);
    } else {
      assert_ok(k.b.error);
      tlo_return(&k.b, op->results, op->n_results);
      assert_ok(tl_builder_finish(&k.b));
      good[c->code] = true;
      for (uint32_t j = 0; j < k.n_types; j++)
        assert_true(tl_type_eq(op->results[j]->type, k.types[j]));
      tl_diags diags = {0}; // and the verifier agrees
      assert_ok(tl_module_verify(k.m, &diags));
      tl_diags_deinit(&diags);
    }
    tl_module_destroy(k.m);
  }
  for (int code = 0; code < TL_OP_COUNT; code++)
    if (!good[code] && code != TL_OP_RETURN)
      fail_msg("%s has no good case", tl_op_get((tl_opcode)code)->mnemonic);
}

// Appends an op as it is, wrong or not.
static void append_raw(tl_builder *b, tl_op *op, const tl_type *types, uint32_t n) {
  op->results = TL_NEW(b->m->arena, tl_value, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    op->results[i] = TL_NEW(b->m->arena, tl_value_def, 1);
    *op->results[i] = (tl_value_def){
        .type = types[i], .op = op, .block = b->block, .index = i, .id = b->fn->next_id};
  }
  op->n_results = n;
  b->fn->next_id++;
  op->prev = b->block->last;
  if (op->prev)
    op->prev->next = op;
  else
    b->block->first = op;
  b->block->last = op;
}

static void assert_diag(const tl_diags *d, size_t i, const char *text) {
  if (i >= d->len || strstr(d->items[i].message, text) == NULL) {
    for (size_t j = 0; j < d->len; j++)
      print_error("diagnostic %zu: %s\n", j, d->items[j].message);
    fail_msg("diagnostic %zu does not say: %s", i, text);
  }
}

static void by_verifier(void **state) {
  (void)state;
  for (size_t i = 0; i < TL_COUNT(cases); i++) {
    const op_case *c = &cases[i];
    if (c->label == NULL || strstr(c->label, "wants its one result") != NULL) continue;
    case_module k;
    case_begin(&k, c);
    if (k.n_types == 0) k.types[k.n_types++] = k.op->operands[0]->type; // inferred: any will do
    append_raw(&k.b, k.op, k.types, k.n_types);
    tlo_return(&k.b, NULL, 0);
    assert_ok(tl_builder_finish(&k.b));
    tl_diags diags = {0};
    assert_status(tl_module_verify(k.m, &diags), TL_STATUS_INVALID_ARGUMENT, c->label);
    assert_int_equal(diags.len, 1);
    assert_diag(&diags, 0, c->label);
    assert_int_equal(diags.items[0].loc.line, 7);
    tl_diags_deinit(&diags);
    tl_module_destroy(k.m);
  }
}

// ---- Whole modules ----

typedef struct fixture {
  tl_module *m;
  tl_builder b;
  tl_value x, p; // f32, i1
} fixture;

static void fixture_begin(fixture *f, const char *name) {
  if (f->m == NULL) f->m = tl_module_create();
  f->b = tl_func_begin(f->m, name, false);
  f->x = tl_func_arg(&f->b, tl_type_scalar(TL_DTYPE_F32));
  f->p = tl_func_arg(&f->b, tl_type_scalar(TL_DTYPE_I1));
}

static void expect(fixture *f, size_t n, const char *const *texts) {
  tl_diags diags = {0};
  assert_status(tl_module_verify(f->m, &diags), TL_STATUS_INVALID_ARGUMENT, texts[0]);
  for (size_t i = 0; i < n; i++)
    assert_diag(&diags, i, texts[i]);
  assert_int_equal(diags.len, n);
  tl_diags_deinit(&diags);
  tl_module_destroy(f->m);
  f->m = NULL;
}
#define EXPECT(f, ...) \
  expect((f), TL_COUNT(((const char *const[]){__VA_ARGS__})), (const char *const[]){__VA_ARGS__})

static void dominance(void **state) {
  (void)state;
  fixture f = {0};
  // A value of a region is gone after it.
  fixture_begin(&f, "main");
  tl_op *op = tl_op_begin(&f.b, TL_OP_IF, &f.p, 1);
  tl_value inside = NULL;
  for (int i = 0; i < 2; i++) {
    tl_builder in = tl_builder_at(&f.b, tl_op_add_region(&f.b, op));
    inside = tlo_add(&in, f.x, f.x);
    tlo_return(&in, &inside, 1);
    tl_builder_join(&f.b, &in);
  }
  assert_non_null(tl_op_finish(&f.b, op, NULL, 0));
  tl_value y = tlo_mul(&f.b, inside, f.x);
  tlo_return(&f.b, &y, 1);
  assert_ok(tl_builder_finish(&f.b));
  EXPECT(&f, "multiply: operand 0 is used where it is not defined");

  // Used before it is defined, and defined in another function.
  fixture_begin(&f, "other");
  tl_value other = tlo_add(&f.b, f.x, f.x);
  tlo_return(&f.b, &other, 1);
  assert_ok(tl_builder_finish(&f.b));
  fixture_begin(&f, "main");
  tl_value a = tlo_add(&f.b, f.x, f.x), c = tlo_mul(&f.b, f.x, f.x);
  a->op->operands[1] = c;
  y = tlo_sub(&f.b, a, other);
  tlo_return(&f.b, &y, 1);
  assert_ok(tl_builder_finish(&f.b));
  EXPECT(&f, "add: operand 1 is used where it is not defined",
         "subtract: operand 1 is used where it is not defined");
}

static void ends(void **state) {
  (void)state;
  fixture f = {0};
  fixture_begin(&f, "main"); // no return
  tl_value y = tlo_add(&f.b, f.x, f.x);
  EXPECT(&f, "no return at its end");
  fixture_begin(&f, "main"); // a return in the middle, and none at the end
  tlo_return(&f.b, &f.x, 1);
  tl_op *op = tl_op_begin(&f.b, TL_OP_NEGATE, &f.x, 1);
  append_raw(&f.b, op, &f.x->type, 1);
  EXPECT(&f, "return: ops follow it", "no return at its end");
  // The signature says something else than the return.
  fixture_begin(&f, "main");
  tlo_return(&f.b, &f.x, 1);
  f.b.fn->result_types[0] = tl_type_scalar(TL_DTYPE_F64);
  EXPECT(&f, "return: value 0 is not of the type that @main declares");
  fixture_begin(&f, "main");
  tlo_return(&f.b, &f.x, 1);
  f.b.fn->n_results = 0;
  EXPECT(&f, "return: gives 1 values, @main declares 0");
  (void)y;
}

static void donations(void **state) {
  (void)state;
  fixture f = {0};
  fixture_begin(&f, "main");
  tl_value q = tl_func_arg(&f.b, tl_type_scalar(TL_DTYPE_F32));
  tlo_return(&f.b, &f.x, 1);
  tl_func *fn = f.b.fn;
  tl_func_arg_info(fn, 0)->alias_output = 0;
  tl_diags diags = {0};
  assert_ok(tl_module_verify(f.m, &diags));
  tl_diags_deinit(&diags);
  tl_func_arg_info(fn, 2)->alias_output = 0; // both
  tl_func_arg_info(fn, 1)->alias_output = 0; // another type
  EXPECT(&f, "argument 1 cannot be donated to result 0",
         "arguments 0 and 2 are both donated to result 0",
         "arguments 1 and 2 are both donated to result 0");
  fixture_begin(&f, "main");
  tlo_return(&f.b, &f.x, 1);
  tl_func_arg_info(f.b.fn, 0)->alias_output = 1;
  tl_func_arg_info(f.b.fn, 1)->alias_output = -2;
  EXPECT(&f, "argument 0 cannot be donated to result 1",
         "argument 1 cannot be donated to result -2");
  (void)q;
}

static tl_value call(tl_builder *b, const char *name, tl_value x) {
  tl_op *op = tl_op_begin(b, TL_OP_CALL, &x, 1);
  tl_op_set_str(b, op, TL_A_CALL_callee, tl_str_of(name));
  tl_type t = tl_value_type(x);
  op = tl_op_finish(b, op, &t, 1);
  return op == NULL ? NULL : op->results[0];
}

static void calls(void **state) {
  (void)state;
  // Forward calls are taken at their word and checked at the end; a callee that never comes is a
  // mistake.
  tl_module *m = tl_module_create();
  const char *names[] = {"a", "b", "c"}, *callees[] = {"b", "c", "d"};
  for (int i = 0; i < 3; i++) {
    tl_builder b = tl_func_begin(m, names[i], false);
    tl_value r = call(&b, callees[i], tl_func_arg(&b, tl_type_scalar(TL_DTYPE_F32)));
    tlo_return(&b, &r, 1);
    assert_ok(tl_builder_finish(&b));
  }
  tl_diags diags = {0};
  assert_status(tl_module_verify(m, &diags), TL_STATUS_INVALID_ARGUMENT,
                "@d is not defined (call_c2)");
  assert_int_equal(diags.len, 1);
  tl_diags_deinit(&diags);
  tl_builder b = tl_func_begin(m, "d", false);
  tl_value x = tl_func_arg(&b, tl_type_scalar(TL_DTYPE_F32));
  tlo_return(&b, &x, 1);
  assert_ok(tl_builder_finish(&b));
  assert_ok(tl_module_verify(m, &diags));
  // d calls b inside a region: round and round.
  tl_func *d = tl_module_find(m, TL_STR("d"));
  d->body->first = d->body->last = NULL;
  b = (tl_builder){.m = m, .fn = d, .block = d->body};
  tl_value pred = tlo_constant_i64(&b, tl_type_scalar(TL_DTYPE_I1), 1);
  tl_op *op = tl_op_begin(&b, TL_OP_IF, &pred, 1);
  for (int i = 0; i < 2; i++) {
    tl_builder in = tl_builder_at(&b, tl_op_add_region(&b, op));
    tl_value r = i ? x : call(&in, "b", x);
    tlo_return(&in, &r, 1);
    tl_builder_join(&b, &in);
  }
  op = tl_op_finish(&b, op, NULL, 0);
  tlo_return(&b, op->results, 1);
  assert_ok(tl_builder_finish(&b));
  assert_status(tl_module_verify(m, &diags), TL_STATUS_INVALID_ARGUMENT,
                "calls itself, directly or through others");
  tl_diags_deinit(&diags);
  // Two functions of one name.
  tl_module_find(m, TL_STR("a"))->name = TL_STR("c");
  assert_status(tl_module_verify(m, &diags), TL_STATUS_INVALID_ARGUMENT, "@c is defined twice");
  tl_diags_deinit(&diags);
  tl_module_destroy(m);
}

// Each calls the next, and stands in front of it. With a round for every function settled this took
// minutes.
static void long_chain(void **state) {
  (void)state;
  enum { N = 5000 };
  tl_module *m = tl_module_create();
  for (int i = 0; i < N; i++) {
    char *name = tl_arena_printf(m->arena, "f%d", i);
    tl_builder b = tl_func_begin(m, name, false);
    tl_value r = tl_func_arg(&b, tl_type_scalar(TL_DTYPE_F32));
    if (i + 1 < N) r = call(&b, tl_arena_printf(m->arena, "f%d", i + 1), r);
    tlo_return(&b, &r, 1);
    assert_ok(tl_builder_finish(&b));
  }
  tl_diags diags = {0};
  assert_ok(tl_module_verify(m, &diags));
  tl_diags_deinit(&diags);
  tl_module_destroy(m);
}

static void types_unsound(void **state) {
  (void)state;
  fixture f = {0};
  fixture_begin(&f, "main"); // an argument that no op sees
  tlo_return(&f.b, &f.x, 1);
  f.p->type = TL_TYPE(f.m->arena, TL_DTYPE_I1, (int64_t)1 << 62, 4);
  EXPECT(&f, "argument 1 needs more bytes than memory can hold");
  fixture_begin(&f, "main");
  tl_value y = tlo_add(&f.b, f.x, f.x);
  tlo_return(&f.b, &y, 1);
  int64_t dims[TL_MAX_RANK + 1] = {0};
  f.x->type = (tl_type){TL_DTYPE_F32, TL_MAX_RANK + 1, dims};
  EXPECT(&f, "add: operand 0 has rank 17");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(by_builder),    cmocka_unit_test(by_verifier), cmocka_unit_test(dominance),
      cmocka_unit_test(ends),          cmocka_unit_test(donations),   cmocka_unit_test(calls),
      cmocka_unit_test(types_unsound), cmocka_unit_test(long_chain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
