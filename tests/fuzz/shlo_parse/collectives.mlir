// Collectives, grids and Shardy in every spelling.
module @collectives {
  sdy.mesh @mesh = <["x"=2, "y"=4], device_ids=[1, 0, 2, 3, 4, 5, 6, 7]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}]}}
  sdy.mesh @one = <[], device_ids=[0]>
  sdy.mesh @none = <[]>
  func.func @p(%x: tensor<3xf32>) -> tensor<3xf32> {
    return %x : tensor<3xf32>
  }
  func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}p1, {"y":(1)2}], replicated={"y":(2)2}>}, %b: tensor<3xf32> {jax.buffer_donor = true, sdy.sharding = #sdy.sharding<@mesh, [{?}p0], unreduced={"x"}>}, %r: tensor<1xi32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x", "y"}]>}, tensor<3xf32>) {
    %0 = "stablehlo.all_gather"(%a) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids}> : (tensor<8x8xf32>) -> tensor<8x16xf32>
    %1:2 = "stablehlo.all_reduce"(%a, %b) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "y", sub_axis_info = (2)2>, #stablehlo.axis_ref<name = "x">]>}> ({
    ^bb0(%c: tensor<f32>, %d: tensor<f32>):
      %e = stablehlo.add %c, %d : tensor<f32>
      stablehlo.return %e : tensor<f32>
    }) : (tensor<8x8xf32>, tensor<3xf32>) -> (tensor<8x8xf32>, tensor<3xf32>)
    %2 = "stablehlo.all_to_all"(%a) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<8x8xf32>) -> tensor<16x4xf32>
    %3 = "stablehlo.collective_broadcast"(%a) <{replica_groups = dense<[[0, 1], [2, -1]]> : tensor<2x2xi64>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %4 = "stablehlo.collective_broadcast"(%b, %r) <{has_dynamic_root = true, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<3xf32>, tensor<1xi32>) -> tensor<3xf32>
    %5 = "stablehlo.collective_permute"(%b) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<3xf32>) -> tensor<3xf32>
    %6 = "stablehlo.collective_reduce"(%b) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
    ^bb0(%c: tensor<f32>, %d: tensor<f32>):
      %e = stablehlo.maximum %c, %d : tensor<f32>
      stablehlo.return %e : tensor<f32>
    }) : (tensor<3xf32>) -> tensor<3xf32>
    %7 = "stablehlo.reduce_scatter"(%a) <{replica_groups = #stablehlo.replica_group_mesh_axes<mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "u", size = 2>, #stablehlo.mesh_axis<name = "v", size = 2>], device_ids = dense<[3, 2, 1, 0]> : tensor<4xi64>>, axes = [#stablehlo.axis_ref<name = "v">]>, scatter_dimension = 0 : i64}> ({
    ^bb0(%c: tensor<f32>, %d: tensor<f32>):
      %e = stablehlo.add %c, %d : tensor<f32>
      stablehlo.return %e : tensor<f32>
    }) : (tensor<8x8xf32>) -> tensor<4x8xf32>
    %8 = stablehlo.partition_id : tensor<ui32>
    %9 = "stablehlo.partition_id"() : () -> tensor<ui32>
    %10 = stablehlo.replica_id : tensor<ui32>
    %11 = "stablehlo.replica_id"() : () -> tensor<ui32>
    %12 = sdy.sharding_constraint %a <@mesh, [{"x"}, {"y":(2)2, ?}]> : tensor<8x8xf32>
    %13 = "sdy.sharding_constraint"(%a) <{sharding = #sdy.sharding<@mesh, [{}, {?}p2]>}> : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %14:2 = sdy.manual_computation(%a, %b) in_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{}]>] manual_axes={"x", "y"} (%c: tensor<4x2xf32>, %d: tensor<3xf32>) {
      %e = stablehlo.add %c, %c : tensor<4x2xf32>
      sdy.return %e, %d : tensor<4x2xf32>, tensor<3xf32>
    } : (tensor<8x8xf32>, tensor<3xf32>) -> (tensor<8x8xf32>, tensor<3xf32>)
    %15 = "sdy.manual_computation"() <{in_shardings = #sdy.sharding_per_value<[]>, manual_axes = #sdy<manual_axes{}>, out_shardings = #sdy.sharding_per_value<[<@mesh, []>]>}> ({
      %e = stablehlo.constant dense<1.0> : tensor<f32>
      "sdy.return"(%e) : (tensor<f32>) -> ()
    }) : () -> tensor<f32>
    %16:2 = "interpreter.run_parallel"(%b, %b) <{programs = [[@p, @p]]}> : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
    %17 = interpreter.probe %b, probe_id = "one" : tensor<3xf32>
    %18 = "interpreter.probe"(%b) <{probe_id = "two"}> : (tensor<3xf32>) -> tensor<3xf32>
    check.expect_serialized_eq %b, probe_id = "one", iter = 1 : tensor<3xf32>
    "check.expect_serialized_eq"(%b) <{probe_id = "two"}> : (tensor<3xf32>) -> ()
    return %12, %17 : tensor<8x8xf32>, tensor<3xf32>
  }
}
