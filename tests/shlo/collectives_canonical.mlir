// canonical
// The same as we print it.
module @collectives {
  sdy.mesh @mesh = <["x"=2, "y"=4], device_ids=[1, 0, 2, 3, 4, 5, 6, 7]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}], device_ids = dense<[1, 0, 2, 3, 4, 5, 6, 7]> : tensor<8xi64>}}
  sdy.mesh @one = <[], device_ids=[0]>
  sdy.mesh @none = <[]>
  func.func @p(%0: tensor<3xf32>) -> tensor<3xf32> {
    return %0 : tensor<3xf32>
  }
  func.func @main(%0: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1, {"y":(1)2}], replicated={"y":(2)2}>}, %1: tensor<3xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{?}p0], unreduced={"x"}>}, %2: tensor<1xi32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>}, tensor<3xf32>) {
    %3 = "stablehlo.all_gather"(%0) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<8x8xf32>) -> tensor<8x16xf32>
    %4:2 = "stablehlo.all_reduce"(%0, %1) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "y", sub_axis_info = (2)2>, #stablehlo.axis_ref<name = "x">]>}> ({
    ^bb0(%5: tensor<f32>, %6: tensor<f32>):
      %7 = stablehlo.add %5, %6 : tensor<f32>
      stablehlo.return %7 : tensor<f32>
    }) : (tensor<8x8xf32>, tensor<3xf32>) -> (tensor<8x8xf32>, tensor<3xf32>)
    %8 = "stablehlo.all_to_all"(%0) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<8x8xf32>) -> tensor<16x4xf32>
    %9 = "stablehlo.collective_broadcast"(%0) <{replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %10 = "stablehlo.collective_broadcast"(%1, %2) <{has_dynamic_root = true, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3xf32>, tensor<1xi32>) -> tensor<3xf32>
    %11 = "stablehlo.collective_permute"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<3xf32>) -> tensor<3xf32>
    %12 = "stablehlo.collective_reduce"(%1) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
    ^bb0(%13: tensor<f32>, %14: tensor<f32>):
      %15 = stablehlo.maximum %13, %14 : tensor<f32>
      stablehlo.return %15 : tensor<f32>
    }) : (tensor<3xf32>) -> tensor<3xf32>
    %16 = "stablehlo.reduce_scatter"(%0) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "u", size = 2>, #stablehlo.mesh_axis<name = "v", size = 2>], device_ids = dense<[3, 2, 1, 0]> : tensor<4xi64>>, axes = [#stablehlo.axis_ref<name = "v">]>, scatter_dimension = 0 : i64}> ({
    ^bb0(%17: tensor<f32>, %18: tensor<f32>):
      %19 = stablehlo.add %17, %18 : tensor<f32>
      stablehlo.return %19 : tensor<f32>
    }) : (tensor<8x8xf32>) -> tensor<4x8xf32>
    %20 = stablehlo.partition_id : tensor<ui32>
    %21 = stablehlo.partition_id : tensor<ui32>
    %22 = stablehlo.replica_id : tensor<ui32>
    %23 = stablehlo.replica_id : tensor<ui32>
    %24 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {"y":(2)2, ?}]> : tensor<8x8xf32>
    %25 = sdy.sharding_constraint %0 <@mesh, [{}, {?}p2]> : tensor<8x8xf32>
    %26:2 = sdy.manual_computation(%0, %1) in_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{}]>] manual_axes={"x", "y"} (%27: tensor<4x2xf32>, %28: tensor<3xf32>) {
      %29 = stablehlo.add %27, %27 : tensor<4x2xf32>
      sdy.return %29, %28 : tensor<4x2xf32>, tensor<3xf32>
    } : (tensor<8x8xf32>, tensor<3xf32>) -> (tensor<8x8xf32>, tensor<3xf32>)
    %30 = sdy.manual_computation() in_shardings=[] out_shardings=[<@mesh, []>] manual_axes={} () {
      %31 = stablehlo.constant dense<1.0> : tensor<f32>
      sdy.return %31 : tensor<f32>
    } : () -> tensor<f32>
    %32:2 = "interpreter.run_parallel"(%1, %1) <{programs = [[@p, @p]]}> : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
    %33 = interpreter.probe %1, probe_id = "one" : tensor<3xf32>
    %34 = interpreter.probe %1, probe_id = "two" : tensor<3xf32>
    check.expect_serialized_eq %1, probe_id = "one", iter = 1 : tensor<3xf32>
    check.expect_serialized_eq %1, probe_id = "two", iter = 0 : tensor<3xf32>
    return %24, %33 : tensor<8x8xf32>, tensor<3xf32>
  }
}
