// What JAX 0.12.0.1 (jaxlib 0.12.0.1) lowers shard_map and shardings to, with its own results on CPU devices; by
// tests/oracle/jax_manual.py, seed 7.
module @jit_collectives attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}]}}
  sdy.mesh @mesh_0 = <["x"=2, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}]}}
  func.func private @jax(%arg0: tensor<8x8xf32>) -> (tensor<4x8xf32> {jax.result_info = "result[0]"}, tensor<4x4xf32> {jax.result_info = "result[1]"}, tensor<8x8xf32> {jax.result_info = "result[2]"}, tensor<4x8xf32> {jax.result_info = "result[3]"}, tensor<4x16xf32> {jax.result_info = "result[4]"}, tensor<8x8xf32> {jax.result_info = "result[5]"}, tensor<8x8xf32> {jax.result_info = "result[6]"}) {
    %0:7 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{}, {"y"}]>, <@mesh, [{}, {}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {"y"}]>, <@mesh, [{"x"}, {"y"}]>, <@mesh, [{"x"}, {"y"}]>, <@mesh, [{"x"}, {"y"}]>] manual_axes={"x", "y"} (%arg1: tensor<4x4xf32>) {
      %1 = "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        %22 = stablehlo.add %arg2, %arg3 : tensor<f32>
        stablehlo.return %22 : tensor<f32>
      }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %2 = "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">, #stablehlo.axis_ref<name = "y">]>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        %22 = stablehlo.maximum %arg2, %arg3 : tensor<f32>
        stablehlo.return %22 : tensor<f32>
      }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %3 = "stablehlo.all_gather"(%arg1) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "y">]>, use_global_device_ids}> : (tensor<4x4xf32>) -> tensor<4x8xf32>
      %4 = "stablehlo.reduce_scatter"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">]>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        %22 = stablehlo.add %arg2, %arg3 : tensor<f32>
        stablehlo.return %22 : tensor<f32>
      }) : (tensor<4x4xf32>) -> tensor<2x4xf32>
      %5 = "stablehlo.all_to_all"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, concat_dimension = 1 : i64, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "y">]>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4x4xf32>) -> tensor<2x8xf32>
      %6 = "stablehlo.collective_permute"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 2], [2, 0], [1, 3], [3, 1]]> : tensor<4x2xi64>}> : (tensor<4x4xf32>) -> tensor<4x4xf32>
      %c = stablehlo.constant dense<2> : tensor<ui32>
      %c_0 = stablehlo.constant dense<2> : tensor<ui32>
      %7 = stablehlo.partition_id : tensor<ui32>
      %8 = stablehlo.divide %7, %c : tensor<ui32>
      %9 = stablehlo.remainder %8, %c_0 : tensor<ui32>
      %10 = stablehlo.convert %9 : (tensor<ui32>) -> tensor<i32>
      %c_1 = stablehlo.constant dense<10> : tensor<i32>
      %11 = stablehlo.multiply %10, %c_1 : tensor<i32>
      %12 = stablehlo.convert %11 : (tensor<i32>) -> tensor<f32>
      %13 = stablehlo.broadcast_in_dim %12, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
      %14 = stablehlo.add %arg1, %13 : tensor<4x4xf32>
      %c_2 = stablehlo.constant dense<1> : tensor<ui32>
      %c_3 = stablehlo.constant dense<2> : tensor<ui32>
      %15 = stablehlo.partition_id : tensor<ui32>
      %16 = stablehlo.divide %15, %c_2 : tensor<ui32>
      %17 = stablehlo.remainder %16, %c_3 : tensor<ui32>
      %18 = stablehlo.convert %17 : (tensor<ui32>) -> tensor<i32>
      %19 = stablehlo.convert %18 : (tensor<i32>) -> tensor<f32>
      %20 = stablehlo.broadcast_in_dim %19, dims = [] : (tensor<f32>) -> tensor<4x4xf32>
      %21 = stablehlo.add %14, %20 : tensor<4x4xf32>
      sdy.return %1, %2, %3, %4, %5, %6, %21 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x8xf32>, tensor<2x4xf32>, tensor<2x8xf32>, tensor<4x4xf32>, tensor<4x4xf32>
    } : (tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<4x4xf32>, tensor<8x8xf32>, tensor<4x8xf32>, tensor<4x16xf32>, tensor<8x8xf32>, tensor<8x8xf32>)
    return %0#0, %0#1, %0#2, %0#3, %0#4, %0#5, %0#6 : tensor<4x8xf32>, tensor<4x4xf32>, tensor<8x8xf32>, tensor<4x8xf32>, tensor<4x16xf32>, tensor<8x8xf32>, tensor<8x8xf32>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[[3.5, 1.0, 1.4375, 3.125, 0.625, 2.1875, 2.625, -2.25], [-3.5625, -1.625, -1.75, 2.9375, 3.25, -4.0, -0.0625, 2.5625], [-3.0, 2.375, -3.0625, -0.3125, 2.5, -1.625, -1.3125, -1.8125], [1.75, -2.0, 3.875, -0.5, -0.1875, 0.0, 0.625, 0.375], [0.0625, 3.9375, 2.4375, 2.3125, 1.5625, 0.9375, -1.3125, 3.875], [-0.3125, -2.3125, 2.75, -2.75, 2.8125, 0.875, -3.125, -3.6875], [-0.5, -3.75, -2.875, 0.0625, 3.75, -0.3125, 2.4375, 3.3125], [2.5625, 1.0, -0.5, 0.0625, -1.875, -0.0625, -1.0, -2.0625]]> : tensor<8x8xf32>
    %r:7 = call @jax(%i0) : (tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<4x4xf32>, tensor<8x8xf32>, tensor<4x8xf32>, tensor<4x16xf32>, tensor<8x8xf32>, tensor<8x8xf32>)
    %w0 = stablehlo.constant dense<[[3.5625, 4.9375, 3.875, 5.4375, 2.1875, 3.125, 1.3125, 1.625], [-3.875, -3.9375, 1.0, 0.1875, 6.0625, -3.125, -3.1875, -1.125], [-3.5, -1.375, -5.9375, -0.25, 6.25, -1.9375, 1.125, 1.5], [4.3125, -1.0, 3.375, -0.4375, -2.0625, -0.0625, -0.375, -1.6875]]> : tensor<4x8xf32>
    check.expect_almost_eq %r#0, %w0, tolerance = 0.00001 : tensor<4x8xf32>
    %w1 = stablehlo.constant dense<[[3.5, 3.9375, 2.625, 3.875], [3.25, 0.875, 2.75, 2.9375], [3.75, 2.375, 2.4375, 3.3125], [2.5625, 1.0, 3.875, 0.375]]> : tensor<4x4xf32>
    check.expect_almost_eq %r#1, %w1, tolerance = 0.00001 : tensor<4x4xf32>
    %w2 = stablehlo.constant dense<[[3.5, 1.0, 1.4375, 3.125, 0.625, 2.1875, 2.625, -2.25], [-3.5625, -1.625, -1.75, 2.9375, 3.25, -4.0, -0.0625, 2.5625], [-3.0, 2.375, -3.0625, -0.3125, 2.5, -1.625, -1.3125, -1.8125], [1.75, -2.0, 3.875, -0.5, -0.1875, 0.0, 0.625, 0.375], [0.0625, 3.9375, 2.4375, 2.3125, 1.5625, 0.9375, -1.3125, 3.875], [-0.3125, -2.3125, 2.75, -2.75, 2.8125, 0.875, -3.125, -3.6875], [-0.5, -3.75, -2.875, 0.0625, 3.75, -0.3125, 2.4375, 3.3125], [2.5625, 1.0, -0.5, 0.0625, -1.875, -0.0625, -1.0, -2.0625]]> : tensor<8x8xf32>
    check.expect_almost_eq %r#2, %w2, tolerance = 0.00001 : tensor<8x8xf32>
    %w3 = stablehlo.constant dense<[[3.5625, 4.9375, 3.875, 5.4375, 2.1875, 3.125, 1.3125, 1.625], [-3.875, -3.9375, 1.0, 0.1875, 6.0625, -3.125, -3.1875, -1.125], [-3.5, -1.375, -5.9375, -0.25, 6.25, -1.9375, 1.125, 1.5], [4.3125, -1.0, 3.375, -0.4375, -2.0625, -0.0625, -0.375, -1.6875]]> : tensor<4x8xf32>
    check.expect_almost_eq %r#3, %w3, tolerance = 0.00001 : tensor<4x8xf32>
    %w4 = stablehlo.constant dense<[[3.5, 1.0, 1.4375, 3.125, 0.625, 2.1875, 2.625, -2.25, -3.0, 2.375, -3.0625, -0.3125, 2.5, -1.625, -1.3125, -1.8125], [-3.5625, -1.625, -1.75, 2.9375, 3.25, -4.0, -0.0625, 2.5625, 1.75, -2.0, 3.875, -0.5, -0.1875, 0.0, 0.625, 0.375], [0.0625, 3.9375, 2.4375, 2.3125, 1.5625, 0.9375, -1.3125, 3.875, -0.5, -3.75, -2.875, 0.0625, 3.75, -0.3125, 2.4375, 3.3125], [-0.3125, -2.3125, 2.75, -2.75, 2.8125, 0.875, -3.125, -3.6875, 2.5625, 1.0, -0.5, 0.0625, -1.875, -0.0625, -1.0, -2.0625]]> : tensor<4x16xf32>
    check.expect_almost_eq %r#4, %w4, tolerance = 0.00001 : tensor<4x16xf32>
    %w5 = stablehlo.constant dense<[[0.0625, 3.9375, 2.4375, 2.3125, 1.5625, 0.9375, -1.3125, 3.875], [-0.3125, -2.3125, 2.75, -2.75, 2.8125, 0.875, -3.125, -3.6875], [-0.5, -3.75, -2.875, 0.0625, 3.75, -0.3125, 2.4375, 3.3125], [2.5625, 1.0, -0.5, 0.0625, -1.875, -0.0625, -1.0, -2.0625], [3.5, 1.0, 1.4375, 3.125, 0.625, 2.1875, 2.625, -2.25], [-3.5625, -1.625, -1.75, 2.9375, 3.25, -4.0, -0.0625, 2.5625], [-3.0, 2.375, -3.0625, -0.3125, 2.5, -1.625, -1.3125, -1.8125], [1.75, -2.0, 3.875, -0.5, -0.1875, 0.0, 0.625, 0.375]]> : tensor<8x8xf32>
    check.expect_almost_eq %r#5, %w5, tolerance = 0.00001 : tensor<8x8xf32>
    %w6 = stablehlo.constant dense<[[3.5, 1.0, 1.4375, 3.125, 1.625, 3.1875, 3.625, -1.25], [-3.5625, -1.625, -1.75, 2.9375, 4.25, -3.0, 0.9375, 3.5625], [-3.0, 2.375, -3.0625, -0.3125, 3.5, -0.625, -0.3125, -0.8125], [1.75, -2.0, 3.875, -0.5, 0.8125, 1.0, 1.625, 1.375], [10.0625, 13.9375, 12.4375, 12.3125, 12.5625, 11.9375, 9.6875, 14.875], [9.6875, 7.6875, 12.75, 7.25, 13.8125, 11.875, 7.875, 7.3125], [9.5, 6.25, 7.125, 10.0625, 14.75, 10.6875, 13.4375, 14.3125], [12.5625, 11.0, 9.5, 10.0625, 9.125, 10.9375, 10.0, 8.9375]]> : tensor<8x8xf32>
    check.expect_almost_eq %r#6, %w6, tolerance = 0.00001 : tensor<8x8xf32>
    return
  }
}

// -----

module @jit__lambda attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}]}}
  sdy.mesh @mesh_0 = <["x"=2, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}]}}
  func.func private @jax(%arg0: tensor<8x8xf32>) -> (tensor<4x8xf32> {jax.result_info = "result[0]"}, tensor<4x2xf32> {jax.result_info = "result[1]"}, tensor<8x8xf32> {jax.result_info = "result[2]"}, tensor<4x8xf32> {jax.result_info = "result[3]"}) {
    %0:4 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{}, {"y"}]>, <@mesh, [{}, {}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {"y"}]>] manual_axes={"x", "y"} (%arg1: tensor<4x2xf32>) {
      %1 = "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        %5 = stablehlo.add %arg2, %arg3 : tensor<f32>
        stablehlo.return %5 : tensor<f32>
      }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
      %2 = "stablehlo.all_reduce"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">, #stablehlo.axis_ref<name = "y">]>, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        %5 = stablehlo.maximum %arg2, %arg3 : tensor<f32>
        stablehlo.return %5 : tensor<f32>
      }) : (tensor<4x2xf32>) -> tensor<4x2xf32>
      %3 = "stablehlo.all_gather"(%arg1) <{all_gather_dim = 1 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "y">]>, use_global_device_ids}> : (tensor<4x2xf32>) -> tensor<4x8xf32>
      %4 = "stablehlo.reduce_scatter"(%arg1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">]>, scatter_dimension = 0 : i64, use_global_device_ids}> ({
      ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
        %5 = stablehlo.add %arg2, %arg3 : tensor<f32>
        stablehlo.return %5 : tensor<f32>
      }) : (tensor<4x2xf32>) -> tensor<2x2xf32>
      sdy.return %1, %2, %3, %4 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x8xf32>, tensor<2x2xf32>
    } : (tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<4x2xf32>, tensor<8x8xf32>, tensor<4x8xf32>)
    return %0#0, %0#1, %0#2, %0#3 : tensor<4x8xf32>, tensor<4x2xf32>, tensor<8x8xf32>, tensor<4x8xf32>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[[3.9375, -3.9375, -3.25, -2.5, 3.75, 1.5, 3.0, -2.4375], [1.75, -1.0625, -0.125, -4.0, 0.9375, 2.625, 1.25, -2.8125], [0.25, -1.875, 3.6875, 3.0, -2.5625, 0.0625, 3.5, 2.75], [1.625, 1.0625, -3.6875, 1.875, -0.25, -3.3125, -2.0625, 0.3125], [1.8125, 0.0, 0.875, 2.9375, 1.4375, -1.125, 1.125, 0.75], [-3.1875, -3.5625, 1.25, -0.9375, 0.75, -1.4375, -2.25, -2.8125], [-1.0, 2.5, -0.8125, -1.0, 0.5625, 3.8125, -0.875, 0.6875], [-0.5, 0.8125, -0.4375, 1.0625, 0.375, 1.375, 3.625, -2.8125]]> : tensor<8x8xf32>
    %r:4 = call @jax(%i0) : (tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<4x2xf32>, tensor<8x8xf32>, tensor<4x8xf32>)
    %w0 = stablehlo.constant dense<[[5.75, -3.9375, -2.375, 0.4375, 5.1875, 0.375, 4.125, -1.6875], [-1.4375, -4.625, 1.125, -4.9375, 1.6875, 1.1875, -1.0, -5.625], [-0.75, 0.625, 2.875, 2.0, -2.0, 3.875, 2.625, 3.4375], [1.125, 1.875, -4.125, 2.9375, 0.125, -1.9375, 1.5625, -2.5]]> : tensor<4x8xf32>
    check.expect_almost_eq %r#0, %w0, tolerance = 0.00001 : tensor<4x8xf32>
    %w1 = stablehlo.constant dense<[[3.9375, 2.9375], [1.75, 2.625], [3.6875, 3.8125], [3.625, 1.875]]> : tensor<4x2xf32>
    check.expect_almost_eq %r#1, %w1, tolerance = 0.00001 : tensor<4x2xf32>
    %w2 = stablehlo.constant dense<[[3.9375, -3.9375, -3.25, -2.5, 3.75, 1.5, 3.0, -2.4375], [1.75, -1.0625, -0.125, -4.0, 0.9375, 2.625, 1.25, -2.8125], [0.25, -1.875, 3.6875, 3.0, -2.5625, 0.0625, 3.5, 2.75], [1.625, 1.0625, -3.6875, 1.875, -0.25, -3.3125, -2.0625, 0.3125], [1.8125, 0.0, 0.875, 2.9375, 1.4375, -1.125, 1.125, 0.75], [-3.1875, -3.5625, 1.25, -0.9375, 0.75, -1.4375, -2.25, -2.8125], [-1.0, 2.5, -0.8125, -1.0, 0.5625, 3.8125, -0.875, 0.6875], [-0.5, 0.8125, -0.4375, 1.0625, 0.375, 1.375, 3.625, -2.8125]]> : tensor<8x8xf32>
    check.expect_almost_eq %r#2, %w2, tolerance = 0.00001 : tensor<8x8xf32>
    %w3 = stablehlo.constant dense<[[5.75, -3.9375, -2.375, 0.4375, 5.1875, 0.375, 4.125, -1.6875], [-1.4375, -4.625, 1.125, -4.9375, 1.6875, 1.1875, -1.0, -5.625], [-0.75, 0.625, 2.875, 2.0, -2.0, 3.875, 2.625, 3.4375], [1.125, 1.875, -4.125, 2.9375, 0.125, -1.9375, 1.5625, -2.5]]> : tensor<4x8xf32>
    check.expect_almost_eq %r#3, %w3, tolerance = 0.00001 : tensor<4x8xf32>
    return
  }
}

// -----

module @jit_loss attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}]}}
  sdy.mesh @mesh_0 = <["x"=2, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}]}}
  func.func private @jax(%arg0: tensor<4x3xf32>, %arg1: tensor<8x4xf32>, %arg2: tensor<8x3xf32>) -> (tensor<4x3xf32> {jax.result_info = "result[0]"}, tensor<8x4xf32> {jax.result_info = "result[1]"}) {
    %0:3 = sdy.manual_computation(%arg0, %arg1, %arg2) in_shardings=[<@mesh, [{}, {}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x", "y"}]>] manual_axes={"x", "y"} (%arg3: tensor<4x3xf32>, %arg4: tensor<4x4xf32>, %arg5: tensor<4x3xf32>) {
      %3 = stablehlo.dot_general %arg4, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x4xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
      %4 = stablehlo.tanh %3 : tensor<4x3xf32>
      %cst_1 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %5 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
      %6 = stablehlo.add %5, %4 : tensor<4x3xf32>
      %cst_2 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
      %7 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
      %8 = stablehlo.subtract %7, %4 : tensor<4x3xf32>
      %9 = stablehlo.multiply %6, %8 : tensor<4x3xf32>
      %10 = stablehlo.subtract %4, %arg5 : tensor<4x3xf32>
      %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
      %11 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<1xf32>
      sdy.return %9, %10, %11 : tensor<4x3xf32>, tensor<4x3xf32>, tensor<1xf32>
    } : (tensor<4x3xf32>, tensor<8x4xf32>, tensor<8x3xf32>) -> (tensor<16x3xf32>, tensor<16x3xf32>, tensor<4xf32>)
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %cst_0 = stablehlo.constant dense<4.000000e+00> : tensor<f32>
    %1 = stablehlo.divide %cst, %cst_0 : tensor<f32>
    %2:2 = sdy.manual_computation(%1, %arg0, %arg1, %0#0, %0#1, %0#2) in_shardings=[<@mesh, []>, <@mesh, [{}, {}]>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x", "y"}, {}]>, <@mesh, [{"x", "y"}]>] out_shardings=[<@mesh, [{}, {}]>, <@mesh, [{"x"}, {}]>] manual_axes={"x", "y"} (%arg3: tensor<f32>, %arg4: tensor<4x3xf32>, %arg5: tensor<4x4xf32>, %arg6: tensor<4x3xf32>, %arg7: tensor<4x3xf32>, %arg8: tensor<1xf32>) {
      %3 = stablehlo.reshape %arg8 : (tensor<1xf32>) -> tensor<f32>
      %4 = stablehlo.divide %arg3, %3 : tensor<f32>
      %5 = "stablehlo.all_reduce"(%4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
      ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
        %17 = stablehlo.add %arg9, %arg10 : tensor<f32>
        stablehlo.return %17 : tensor<f32>
      }) : (tensor<f32>) -> tensor<f32>
      %cst_1 = stablehlo.constant dense<1.200000e+01> : tensor<f32>
      %6 = stablehlo.divide %5, %cst_1 : tensor<f32>
      %7 = stablehlo.broadcast_in_dim %6, dims = [] : (tensor<f32>) -> tensor<4x3xf32>
      %8 = stablehlo.multiply %arg7, %7 : tensor<4x3xf32>
      %9 = stablehlo.multiply %7, %arg7 : tensor<4x3xf32>
      %10 = stablehlo.add %9, %8 : tensor<4x3xf32>
      %11 = stablehlo.multiply %10, %arg6 : tensor<4x3xf32>
      %12 = stablehlo.dot_general %11, %arg5, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<4x3xf32>, tensor<4x4xf32>) -> tensor<3x4xf32>
      %13 = stablehlo.transpose %12, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
      %14 = stablehlo.dot_general %11, %arg4, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x4xf32>
      %15 = "stablehlo.all_reduce"(%13) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">, #stablehlo.axis_ref<name = "y">]>, use_global_device_ids}> ({
      ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
        %17 = stablehlo.add %arg9, %arg10 : tensor<f32>
        stablehlo.return %17 : tensor<f32>
      }) : (tensor<4x3xf32>) -> tensor<4x3xf32>
      %16 = "stablehlo.all_reduce"(%14) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "y">]>, use_global_device_ids}> ({
      ^bb0(%arg9: tensor<f32>, %arg10: tensor<f32>):
        %17 = stablehlo.add %arg9, %arg10 : tensor<f32>
        stablehlo.return %17 : tensor<f32>
      }) : (tensor<4x4xf32>) -> tensor<4x4xf32>
      sdy.return %15, %16 : tensor<4x3xf32>, tensor<4x4xf32>
    } : (tensor<f32>, tensor<4x3xf32>, tensor<8x4xf32>, tensor<16x3xf32>, tensor<16x3xf32>, tensor<4xf32>) -> (tensor<4x3xf32>, tensor<8x4xf32>)
    return %2#0, %2#1 : tensor<4x3xf32>, tensor<8x4xf32>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[[0.4375, -0.5, -1.1875], [-2.125, -3.625, -0.8125], [2.5625, -3.25, -0.8125], [3.6875, 3.5625, -2.3125]]> : tensor<4x3xf32>
    %i1 = stablehlo.constant dense<[[-4.0, 1.3125, -3.9375, -1.625], [-0.0625, 2.9375, -3.3125, 1.25], [0.25, -3.0, 2.75, 2.75], [-0.1875, 3.5, 0.8125, 3.1875], [3.625, 0.5, -1.8125, -2.875], [0.5, -2.5, 2.0, 3.375], [-2.0625, 0.375, -3.625, -2.5625], [-1.0, 3.0625, 3.75, 1.125]]> : tensor<8x4xf32>
    %i2 = stablehlo.constant dense<[[0.625, 0.5, -3.5625], [-1.0, 3.8125, -0.75], [-2.3125, -2.125, 1.6875], [-3.75, 3.75, 3.0], [0.5, -0.3125, 2.0625], [0.375, -0.1875, -1.4375], [-0.4375, 2.0, -3.5625], [-3.8125, 1.75, -1.0625]]> : tensor<8x3xf32>
    %r:2 = call @jax(%i0, %i1, %i2) : (tensor<4x3xf32>, tensor<8x4xf32>, tensor<8x3xf32>) -> (tensor<4x3xf32>, tensor<8x4xf32>)
    %w0 = stablehlo.constant dense<[[-2.8200372526043793E-06, 0.006579212378710508, -0.0013694700319319963], [2.3546650481875986E-05, -0.003795501310378313, -0.001693480066023767], [1.1132534382340964E-05, 0.01119869202375412, 0.002393788192421198], [1.8341621398576535E-05, 0.005850105546414852, 0.00046372972428798676]]> : tensor<4x3xf32>
    check.expect_almost_eq %r#0, %w0, tolerance = 0.00001 : tensor<4x3xf32>
    %w1 = stablehlo.constant dense<[[-1.6935315215960145E-05, -0.00012278102803975344, -0.00011007954890374094, 0.00012066411727573723], [0.0006564140785485506, 0.0007590485038235784, 0.0007236464880406857, 0.0008500396506860852], [2.663105306055513E-06, 1.8221246591565432E-06, 1.8221246591565432E-06, 5.186047019378748E-06], [0.0003402136208023876, 0.0024395547807216644, 0.0022099551279097795, -0.0023893441539257765], [0.0004589423770084977, 0.00031405803747475147, 0.0003140529152005911, 0.0008936679223552346], [-1.548324313205285E-08, -1.0593797838964747E-08, -1.0593797838964747E-08, -3.0151579011317153E-08], [0.0015956605784595013, 0.011568538844585419, 0.010371793992817402, -0.01136908121407032], [7.936012593745545E-07, -3.9772071431798395E-06, 4.762659045809414E-06, 6.8322860897751525E-06]]> : tensor<8x4xf32>
    check.expect_almost_eq %r#1, %w1, tolerance = 0.00001 : tensor<8x4xf32>
    return
  }
}

// -----

module @jit_matmul attributes {mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}]}}
  sdy.mesh @mesh_0 = <["x"=2, "y"=4]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 4 : i64}]}}
  func.func private @jax(%arg0: tensor<4x8xf32>, %arg1: tensor<8x6xf32>) -> (tensor<4x6xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0, %arg1) in_shardings=[<@mesh, [{"x"}, {"y"}]>, <@mesh, [{"y"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x", "y"} (%arg2: tensor<2x2xf32>, %arg3: tensor<2x6xf32>) {
      %1 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x2xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
      %2 = "stablehlo.all_reduce"(%1) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "y">]>, use_global_device_ids}> ({
      ^bb0(%arg4: tensor<f32>, %arg5: tensor<f32>):
        %3 = stablehlo.add %arg4, %arg5 : tensor<f32>
        stablehlo.return %3 : tensor<f32>
      }) : (tensor<2x6xf32>) -> tensor<2x6xf32>
      sdy.return %2 : tensor<2x6xf32>
    } : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    return %0 : tensor<4x6xf32>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[[2.375, -3.8125, 3.25, -3.0625, -0.6875, 3.6875, -3.1875, 1.25], [1.8125, -0.625, -3.375, 0.1875, -0.5625, 2.9375, 1.4375, -1.25], [-3.5625, 0.6875, -1.8125, 1.4375, 2.875, -1.1875, 3.1875, 0.125], [0.1875, 2.0625, 2.3125, 3.25, 3.9375, -2.8125, -0.75, 3.4375]]> : tensor<4x8xf32>
    %i1 = stablehlo.constant dense<[[-1.5625, -4.0, 0.5625, 2.0, 1.9375, 2.4375], [1.125, -2.9375, 2.75, -0.6875, 2.75, 2.5], [3.75, -3.9375, 2.875, 1.0, -0.125, 2.3125], [3.5625, 0.0625, -3.3125, 1.75, -2.1875, -2.25], [-2.5, -2.4375, 3.25, -1.125, -3.1875, -2.625], [-0.875, -1.25, -1.5625, 3.5625, 2.875, 0.5625], [3.875, -1.3125, -2.9375, -1.875, -3.3125, 3.5625], [-2.25, -0.5, -2.4375, 3.8125, -2.75, 0.0625]]> : tensor<8x6xf32>
    %r = call @jax(%i0, %i1) : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    %w0 = stablehlo.constant dense<[[-23.39453125, -10.6640625, 8.66015625, 29.9140625, 20.32421875, 3.265625], [-8.3046875, 4.32421875, -18.6171875, 4.64453125, 10.71875, 2.80078125], [10.5859375, 9.6875, -8.5546875, -19.859375, -31.41015625, -11.2421875], [4.25390625, -22.52734375, 12.67578125, 7.01953125, -28.96875, -10.7265625]]> : tensor<4x6xf32>
    check.expect_almost_eq %r, %w0, tolerance = 0.00001 : tensor<4x6xf32>
    return
  }
}

// -----

module @jit_constrained attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}]}}
  func.func private @jax(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>}, %arg1: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"y"}]>}) -> (tensor<8x8xf32> {jax.result_info = "result", sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    %1 = sdy.sharding_constraint %0 <@mesh, [{"x"}, {}]> : tensor<8x8xf32>
    %cst = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<8x8xf32>
    %3 = stablehlo.multiply %1, %2 : tensor<8x8xf32>
    %4 = sdy.sharding_constraint %3 <@mesh, [{"y", "x"}, {}]> : tensor<8x8xf32>
    return %4 : tensor<8x8xf32>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[[3.5625, 0.125, 3.1875, 3.125], [2.125, 1.9375, 0.5625, 0.625], [2.625, -0.625, 3.5625, 3.0], [-1.0625, -0.75, 1.6875, 3.375], [-3.25, -3.5, -2.0625, -0.5625], [-2.75, 0.125, 0.3125, 3.5625], [1.9375, -2.0, 2.25, 2.4375], [1.4375, 1.375, -1.5625, 1.6875]]> : tensor<8x4xf32>
    %i1 = stablehlo.constant dense<[[-2.9375, 1.0, 3.3125, 3.75, -1.625, -1.375, 0.9375, -0.875], [1.8125, -2.4375, -2.6875, -3.625, -0.25, -2.3125, -1.625, 3.3125], [2.5, 2.6875, 0.6875, -3.125, 1.9375, 0.8125, 3.25, -0.1875], [-2.625, 0.75, -0.375, 1.25, -1.0, -1.5625, -3.0, 3.6875]]> : tensor<4x8xf32>
    %r = call @jax(%i0, %i1) : (tensor<8x4xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
    %w0 = stablehlo.constant dense<[[-20.9453125, 28.3359375, 24.96875, 13.703125, -5.5390625, -14.9609375, 8.2421875, 16.4453125], [-5.9296875, -1.234375, 3.96875, -0.0625, -6.9453125, -15.84375, -2.40625, 13.515625], [-15.625, 31.9453125, 23.3984375, 9.453125, -0.4140625, -7.9140625, 12.109375, 12.0546875], [-5.7578125, 15.6640625, -3.21875, -4.640625, 3.6171875, -1.4140625, -8.8359375, 21.1484375], [-0.953125, -1.3671875, -5.1328125, 12.484375, 5.4453125, 23.53125, -4.75, -20.875], [-0.53125, 0.9140625, -21.1328125, -14.578125, 2.9609375, -3.640625, -24.90625, 31.796875], [-20.1796875, 29.375, 24.8515625, 21.0625, -1.453125, -0.0390625, 10.1328125, 0.4921875], [-20.1328125, -9.6953125, -1.28125, 14.796875, -14.7890625, -18.125, -22.0546875, 19.625]]> : tensor<8x8xf32>
    check.expect_almost_eq %r, %w0, tolerance = 0.00001 : tensor<8x8xf32>
    return
  }
}

// -----

module @jit_nested attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 1 : i32} {
  sdy.mesh @mesh = <["x"=2, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}]}}
  sdy.mesh @mesh_0 = <["x"=2, "y"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2 : i64}, {name = "y", size = 2 : i64}]}}
  func.func private @jax(%arg0: tensor<4x4xf32>) -> (tensor<4x4xf32> {jax.result_info = "result"}) {
    %0 = sdy.manual_computation(%arg0) in_shardings=[<@mesh, [{"x"}, {"y"}]>] out_shardings=[<@mesh, [{"x"}, {"y"}]>] manual_axes={"x", "y"} (%arg1: tensor<2x2xf32>) {
      %c = stablehlo.constant dense<0> : tensor<i32>
      %1:2 = stablehlo.while(%iterArg = %c, %iterArg_0 = %arg1) : tensor<i32>, tensor<2x2xf32>
      cond {
        %c_1 = stablehlo.constant dense<3> : tensor<i32>
        %2 = stablehlo.compare LT, %iterArg, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %2 : tensor<i1>
      } do {
        %2 = "stablehlo.all_reduce"(%iterArg_0) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = #stablehlo.replica_group_mesh_axes<mesh = @mesh_0, axes = [#stablehlo.axis_ref<name = "x">]>, use_global_device_ids}> ({
        ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
          %13 = stablehlo.add %arg2, %arg3 : tensor<f32>
          stablehlo.return %13 : tensor<f32>
        }) : (tensor<2x2xf32>) -> tensor<2x2xf32>
        %cst = stablehlo.constant dense<2.500000e-01> : tensor<f32>
        %3 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
        %4 = stablehlo.multiply %2, %3 : tensor<2x2xf32>
        %c_1 = stablehlo.constant dense<1> : tensor<ui32>
        %c_2 = stablehlo.constant dense<2> : tensor<ui32>
        %5 = stablehlo.partition_id : tensor<ui32>
        %6 = stablehlo.divide %5, %c_1 : tensor<ui32>
        %7 = stablehlo.remainder %6, %c_2 : tensor<ui32>
        %8 = stablehlo.convert %7 : (tensor<ui32>) -> tensor<i32>
        %9 = stablehlo.convert %8 : (tensor<i32>) -> tensor<f32>
        %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<f32>) -> tensor<2x2xf32>
        %11 = stablehlo.add %4, %10 : tensor<2x2xf32>
        %c_3 = stablehlo.constant dense<1> : tensor<i32>
        %12 = stablehlo.add %iterArg, %c_3 : tensor<i32>
        stablehlo.return %12, %11 : tensor<i32>, tensor<2x2xf32>
      }
      sdy.return %1#1 : tensor<2x2xf32>
    } : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[[2.0, -0.3125, -2.125, 1.0], [-0.75, 1.0625, -3.3125, -2.5625], [1.875, -3.5625, 1.375, -0.75], [-4.0, 2.0625, 1.5625, 2.5]]> : tensor<4x4xf32>
    %r = call @jax(%i0) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %w0 = stablehlo.constant dense<[[0.2421875, -0.2421875, 1.703125, 1.765625], [-0.296875, 0.1953125, 1.640625, 1.74609375], [0.2421875, -0.2421875, 1.703125, 1.765625], [-0.296875, 0.1953125, 1.640625, 1.74609375]]> : tensor<4x4xf32>
    check.expect_almost_eq %r, %w0, tolerance = 0.00001 : tensor<4x4xf32>
    return
  }
}
