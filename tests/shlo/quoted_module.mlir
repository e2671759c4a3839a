// The quoted form all the way up, as a generic dump has it.
"builtin.module"() <{sym_name = "dump"}> ({
  "func.func"() <{arg_attrs = [{tf.aliasing_output = 0 : i32}, {}], function_type = (tensor<2xf32>, tensor<i1>) -> tensor<2xf32>, res_attrs = [{jax.result_info = "result"}], sym_name = "main"}> ({
  ^bb0(%arg0: tensor<2xf32>, %arg1: tensor<i1>):
    %0 = "stablehlo.negate"(%arg0) : (tensor<2xf32>) -> tensor<2xf32>
    %1 = "func.call"(%0) <{callee = @f}> : (tensor<2xf32>) -> tensor<2xf32>
    "func.return"(%1) : (tensor<2xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<2xf32>) -> tensor<2xf32>, sym_name = "f", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<2xf32>):
    "func.return"(%arg0) : (tensor<2xf32>) -> ()
  }) {no_inline} : () -> ()
}) {mhlo.num_partitions = 1 : i32} : () -> ()
