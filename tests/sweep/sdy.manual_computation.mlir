// jaxlib: not because its interpreter does not know Shardy
// xla: not because the text has Shardy's ops and no partitioner is asked for
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%x: tensor<2x3xf32>) -> tensor<1x3xf32> {
    %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{}, {}]>] manual_axes={"x"} (%y: tensor<1x3xf32>) {
      %1 = "stablehlo.all_reduce"(%y) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<1x3xf32>) -> tensor<1x3xf32>
      sdy.return %1 : tensor<1x3xf32>
    } : (tensor<2x3xf32>) -> tensor<1x3xf32>
    return %0 : tensor<1x3xf32>
  }
}
// -----
// jaxlib: not because its interpreter does not know Shardy
// xla: not because the text has Shardy's ops and no partitioner is asked for
module {
  sdy.mesh @mesh = <["x"=2, "y"=2]>
  func.func public @main(%x: tensor<4x6xf32>, %w: tensor<3xf32>, %n: tensor<i32>) -> (tensor<4x6xf32>, tensor<2xf32>) {
    %0:2 = sdy.manual_computation(%x, %w, %n) in_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{}]>, <@mesh, []>] out_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{}]>] manual_axes={"x", "y"} (%a: tensor<2x3xf32>, %b: tensor<3xf32>, %c: tensor<i32>) {
      %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<3xf32>) -> tensor<2x3xf32>
      %2 = stablehlo.multiply %a, %1 : tensor<2x3xf32>
      %3 = stablehlo.sine %2 : tensor<2x3xf32>
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
      %5 = "stablehlo.all_reduce"(%4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">, #stablehlo.axis_ref<name = "y">]>, use_global_device_ids}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.add %p, %q : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
      %6 = stablehlo.exponential %3 : tensor<2x3xf32>
      sdy.return %6, %5 : tensor<2x3xf32>, tensor<2xf32>
    } : (tensor<4x6xf32>, tensor<3xf32>, tensor<i32>) -> (tensor<4x6xf32>, tensor<2xf32>)
    return %0#0, %0#1 : tensor<4x6xf32>, tensor<2xf32>
  }
}
