// The quoted form, which every op has.
module {
  func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %u: tensor<2x3xui32>, %n: tensor<2x2xi32>) -> tensor<2x3xf32> {
    %c = "stablehlo.constant"() <{value = dense<1.0> : tensor<f32>}> : () -> tensor<f32>
    %0 = "stablehlo.iota"() <{iota_dimension = 0 : i64}> : () -> tensor<2x3xi32>
    %1 = "stablehlo.add"(%x, %y) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %2 = "stablehlo.subtract"(%1, %y) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %3 = "stablehlo.multiply"(%2, %y) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %4 = "stablehlo.divide"(%3, %y) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %5 = "stablehlo.remainder"(%4, %y) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %6 = "stablehlo.maximum"(%5, %y) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %7 = "stablehlo.minimum"(%6, %y) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %8 = "stablehlo.power"(%7, %y) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %9 = "stablehlo.and"(%u, %u) : (tensor<2x3xui32>, tensor<2x3xui32>) -> tensor<2x3xui32>
    %10 = "stablehlo.or"(%9, %u) : (tensor<2x3xui32>, tensor<2x3xui32>) -> tensor<2x3xui32>
    %11 = "stablehlo.xor"(%10, %u) : (tensor<2x3xui32>, tensor<2x3xui32>) -> tensor<2x3xui32>
    %12 = "stablehlo.shift_left"(%11, %u) : (tensor<2x3xui32>, tensor<2x3xui32>) -> tensor<2x3xui32>
    %13 = "stablehlo.shift_right_arithmetic"(%12, %u) : (tensor<2x3xui32>, tensor<2x3xui32>) -> tensor<2x3xui32>
    %14 = "stablehlo.shift_right_logical"(%13, %u) : (tensor<2x3xui32>, tensor<2x3xui32>) -> tensor<2x3xui32>
    %15 = "stablehlo.not"(%14) : (tensor<2x3xui32>) -> tensor<2x3xui32>
    %16 = "stablehlo.negate"(%8) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %17 = "stablehlo.abs"(%16) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %18 = "stablehlo.sign"(%17) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %19 = "stablehlo.floor"(%18) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %20 = "stablehlo.ceil"(%19) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %21 = "stablehlo.exponential"(%20) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %22 = "stablehlo.exponential_minus_one"(%21) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %23 = "stablehlo.log"(%22) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %24 = "stablehlo.log_plus_one"(%23) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %25 = "stablehlo.sqrt"(%24) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %26 = "stablehlo.rsqrt"(%25) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %27 = "stablehlo.tanh"(%26) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %28 = "stablehlo.logistic"(%27) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %29 = "stablehlo.sine"(%28) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %30 = "stablehlo.cosine"(%29) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %31 = "stablehlo.is_finite"(%30) : (tensor<2x3xf32>) -> tensor<2x3xi1>
    %32 = "stablehlo.compare"(%30, %x) <{compare_type = #stablehlo<comparison_type FLOAT>, comparison_direction = #stablehlo<comparison_direction NE>}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %33 = "stablehlo.select"(%32, %x, %y) : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %34 = "stablehlo.clamp"(%c, %33, %c) : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %35 = "stablehlo.convert"(%34) : (tensor<2x3xf32>) -> tensor<2x3xf16>
    %36 = "stablehlo.bitcast_convert"(%35) : (tensor<2x3xf16>) -> tensor<2x3xi16>
    %37 = "stablehlo.reshape"(%x) : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %38 = "stablehlo.transpose"(%x) <{permutation = array<i64: 1, 0>}> : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %39 = "stablehlo.broadcast_in_dim"(%c) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<2x3xf32>
    %40 = "stablehlo.concatenate"(%37, %38) <{dimension = 1 : i64}> : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
    %41 = "stablehlo.slice"(%40) <{limit_indices = array<i64: 3, 4>, start_indices = array<i64: 0, 1>, strides = array<i64: 1, 2>}> : (tensor<3x4xf32>) -> tensor<3x2xf32>
    %42 = "stablehlo.dynamic_slice"(%41, %i, %i) <{slice_sizes = array<i64: 1, 2>}> : (tensor<3x2xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    %43 = "stablehlo.dynamic_update_slice"(%41, %42, %i, %i) : (tensor<3x2xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
    %44 = "stablehlo.pad"(%43, %c) {edge_padding_low = array<i64: 0, 1>, edge_padding_high = array<i64: 0, 0>, interior_padding = array<i64: 0, 0>} : (tensor<3x2xf32>, tensor<f32>) -> tensor<3x3xf32>
    %45 = "stablehlo.reverse"(%44) <{dimensions = array<i64: 0, 1>}> : (tensor<3x3xf32>) -> tensor<3x3xf32>
    %46 = "stablehlo.gather"(%45, %n) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 1>}> : (tensor<3x3xf32>, tensor<2x2xi32>) -> tensor<2x1xf32>
    return %33 : tensor<2x3xf32>
  }
  func.func @more(%x: tensor<2x3xf32>, %i: tensor<i32>, %p: tensor<i1>, %n: tensor<1x1xi32>) -> tensor<f32> {
    %c = "stablehlo.constant"() {value = dense<0x00000000> : tensor<f32>} : () -> tensor<f32>
    %0 = "stablehlo.gather"(%x, %n) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<2x3xf32>, tensor<1x1xi32>) -> tensor<1x3xf32>
    %1 = "stablehlo.scatter"(%x, %n, %0) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = true, unique_indices = true}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %9 = "stablehlo.add"(%a, %b) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%9) : (tensor<f32>) -> ()
    }) : (tensor<2x3xf32>, tensor<1x1xi32>, tensor<1x3xf32>) -> tensor<2x3xf32>
    %2 = "stablehlo.reduce"(%1, %c) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %9 = "stablehlo.maximum"(%b, %a) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%9) : (tensor<f32>) -> ()
    }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
    %w = "stablehlo.reduce_window"(%1, %c) <{base_dilations = array<i64: 1, 2>, padding = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>, window_dilations = array<i64: 1, 1>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 2>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %9 = "stablehlo.maximum"(%b, %a) : (tensor<f32>, tensor<f32>) -> tensor<f32>
      "stablehlo.return"(%9) : (tensor<f32>) -> ()
    }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %z = "stablehlo.select_and_scatter"(%x, %x, %c) <{padding = dense<[[0, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 1>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %q = stablehlo.compare GE, %a, %b, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %q : tensor<i1>
    }, {
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %q = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %q : tensor<f32>
    }) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %y = "stablehlo.map"(%x, %x) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %q = stablehlo.multiply %a, %b : tensor<f32>
      stablehlo.return %q : tensor<f32>
    }) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %3 = "stablehlo.dot_general"(%x, %1) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>]}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2xf32>
    %v = "stablehlo.convolution"(%x, %1) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, f]x[o, i]->[b, f]>, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>], window_strides = array<i64>}> : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
    %4:2 = "stablehlo.while"(%2, %i) ({
    ^bb0(%a: tensor<f32>, %b: tensor<i32>):
      "stablehlo.return"(%p) : (tensor<i1>) -> ()
    }, {
    ^bb0(%d: tensor<f32>, %e: tensor<i32>):
      "stablehlo.return"(%d, %e) : (tensor<f32>, tensor<i32>) -> ()
    }) : (tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
    %5 = "stablehlo.if"(%p) ({
      "stablehlo.return"(%4#0) : (tensor<f32>) -> ()
    }, {
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<i1>) -> tensor<f32>
    %6 = "stablehlo.case"(%4#1) ({
      stablehlo.return %5 : tensor<f32>
    }, {
      stablehlo.return %2 : tensor<f32>
    }, {
      stablehlo.return %c : tensor<f32>
    }) : (tensor<i32>) -> tensor<f32>
    %7:2 = "stablehlo.optimization_barrier"(%6, %i) : (tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>)
    %8 = "func.call"(%7#0) <{callee = @inner}> : (tensor<f32>) -> tensor<f32>
    %9 = "stablehlo.composite"(%8) <{composite_attributes = {k = [1, 2], name = "x"}, decomposition = @inner, name = "mine.op", version = 3 : i32}> : (tensor<f32>) -> tensor<f32>
    "func.return"(%9) : (tensor<f32>) -> ()
  }
  func.func private @inner(%x: tensor<f32>) -> tensor<f32> {
    func.return %x : tensor<f32>
  }
}
