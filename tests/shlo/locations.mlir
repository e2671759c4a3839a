// Where an op came from, in every form in which MLIR prints it, and attributes by alias.
#alg = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 3, allow_imprecise_accumulation = false>
#dot = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>
#loc1 = loc("x")
#loc2 = loc("model.py":12:4 to :35)
#loc3 = loc("model.py":12:4 to 13:35)
module @locations attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main(%arg0: tensor<2x2xf32> loc("x"), %arg1: tensor<2x2xf32> loc(#loc1)) -> (tensor<2x2xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.add %arg0, %arg1 : tensor<2x2xf32> loc(#loc5)
    %1 = stablehlo.add %0, %arg1 : tensor<2x2xf32> loc("model.py":3:1)
    %2 = stablehlo.add %1, %arg1 : tensor<2x2xf32> loc("add\"s )"("model.py":3:1))
    %3 = stablehlo.add %2, %arg1 : tensor<2x2xf32> loc(callsite("f"("model.py":3:1) at callsite("g" at "main.py":1:1)))
    %4 = stablehlo.add %3, %arg1 : tensor<2x2xf32> loc(fused["a.py":1:2, "b"(#loc2), unknown])
    %5 = stablehlo.add %4, %arg1 : tensor<2x2xf32> loc(fused<"pass">["a.py":1:2])
    %6 = "stablehlo.dot_general"(%5, %arg1) <{algorithm = #alg, dot_dimension_numbers = #dot}> : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32> loc(#loc4)
    %7 = stablehlo.reduce_precision %6, format = e5m10 : tensor<2x2xf32> loc(unknown)
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32> loc(#loc)
    %8:2 = stablehlo.while(%iterArg = %7, %iterArg_0 = %cst) : tensor<2x2xf32>, tensor<f32>
    cond {
      %9 = stablehlo.compare LT, %iterArg_0, %iterArg_0, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1> loc(#loc4)
      stablehlo.return %9 : tensor<i1> loc(#loc4)
    } do {
      stablehlo.return %iterArg, %iterArg_0 : tensor<2x2xf32>, tensor<f32> loc(#loc4)
    } loc(#loc4)
    %10 = stablehlo.reduce(%8#0 init: %cst) across dimensions = [0, 1] : (tensor<2x2xf32>, tensor<f32>) -> tensor<f32>
     reducer(%arg2: tensor<f32> loc("reduce"(#loc2)), %arg3: tensor<f32> loc("reduce"(#loc2)))  {
      %11 = stablehlo.atan2 %arg2, %arg3 : tensor<f32> loc(#loc4)
      stablehlo.return %11 : tensor<f32> loc(#loc4)
    } loc(#loc4)
    return %8#0 : tensor<2x2xf32> loc(#loc6)
  } loc(#loc)
} loc(#loc)
#loc = loc(unknown)
#loc4 = loc("jit(f)/while"(#loc2))
#loc5 = loc(callsite(#loc4 at #loc3))
#loc6 = loc(fused[#loc4, #loc5])
