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
