// What surrounds the ops in a module from JAX: attributes, locations, aliases, a mesh of one.
#lists = array<i64: 1, 0>
#loc1 = loc("x")
#loc2 = loc(unknown)
module @jit_f attributes {jax.uses_shape_polymorphism = false, mhlo.frontend_attributes = {xla.sdy.meshes = "{}"}, mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @empty_mesh = <[]> {stablehlo.mesh = {axes = []}}
  func.func public @main(%arg0: tensor<2x3xf32> {jax.buffer_donor = true, mhlo.sharding = "{replicated}"} loc("x"), %arg1: tensor<3x2xf32> {sdy.sharding = #sdy.sharding<@empty_mesh, [{}, {}]>, tf.aliasing_output = 0 : i32} loc("y"(#loc1))) -> (tensor<3x2xf32> {jax.result_info = "[0]", mhlo.layout_mode = "default"}) attributes {no_inline} {
    %0 = sdy.sharding_constraint %arg0 <@empty_mesh, [{}, {}]> : tensor<2x3xf32> loc(#loc2)
    %1 = "stablehlo.transpose"(%0) <{permutation = #lists}> {mhlo.frontend_attributes = {a = "b"}} : (tensor<2x3xf32>) -> tensor<3x2xf32> loc(#loc3)
    %2 = stablehlo.add %1, %arg1 {mhlo.original_value = "{{\"x\"}}"} : tensor<3x2xf32> loc(callsite("f"("m.py":3:4 to :9) at fused<"p">["a", #loc2]))
    return %2 : tensor<3x2xf32> loc(#loc)
  } loc(#loc)
} loc(#loc)
#loc = loc("m.py":1:1)
#loc3 = loc("jit(f)/transpose"(#loc))
