// Collectives of grids, by the specification's words and examples.
// A chain: 0 to 1 to 2; the first is no target.
module @permute {
  func.func @p(%x: tensor<2xi64>) -> tensor<2xi64> {
    %0 = "stablehlo.collective_permute"(%x) <{source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}> : (tensor<2xi64>) -> tensor<2xi64>
    return %0 : tensor<2xi64>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[1, 2]> : tensor<2xi64>
    %i1 = stablehlo.constant dense<[3, 4]> : tensor<2xi64>
    %i2 = stablehlo.constant dense<[5, 6]> : tensor<2xi64>
    %i3 = stablehlo.constant dense<[7, 8]> : tensor<2xi64>
    %r:4 = "interpreter.run_parallel"(%i0, %i1, %i2, %i3) {programs = [[@p], [@p], [@p], [@p]]} : (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>) -> (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>)
    check.expect_eq_const %r#0, dense<0> : tensor<2xi64>
    check.expect_eq_const %r#1, dense<[1, 2]> : tensor<2xi64>
    check.expect_eq_const %r#2, dense<[3, 4]> : tensor<2xi64>
    check.expect_eq_const %r#3, dense<0> : tensor<2xi64>
    func.return
  }
}

// -----

// Across the partitions of each replica, in a circle.
module @permute_partitions {
  func.func @p(%x: tensor<i64>) -> tensor<i64> {
    %0 = "stablehlo.collective_permute"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>}> : (tensor<i64>) -> tensor<i64>
    return %0 : tensor<i64>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<1> : tensor<i64>
    %i1 = stablehlo.constant dense<2> : tensor<i64>
    %i2 = stablehlo.constant dense<3> : tensor<i64>
    %i3 = stablehlo.constant dense<4> : tensor<i64>
    %r:4 = "interpreter.run_parallel"(%i0, %i1, %i2, %i3) {programs = [[@p, @p], [@p, @p]]} : (tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>)
    check.expect_eq_const %r#0, dense<2> : tensor<i64>
    check.expect_eq_const %r#1, dense<1> : tensor<i64>
    check.expect_eq_const %r#2, dense<4> : tensor<i64>
    check.expect_eq_const %r#3, dense<3> : tensor<i64>
    func.return
  }
}

// -----

// The first of a group sends; a process in no group has zeros.
module @broadcast {
  func.func @p(%x: tensor<1x2xi64>) -> tensor<1x2xi64> {
    %0 = "stablehlo.collective_broadcast"(%x) <{replica_groups = dense<[[2, 1]]> : tensor<1x2xi64>}> : (tensor<1x2xi64>) -> tensor<1x2xi64>
    return %0 : tensor<1x2xi64>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[[1, 2]]> : tensor<1x2xi64>
    %i1 = stablehlo.constant dense<[[3, 4]]> : tensor<1x2xi64>
    %i2 = stablehlo.constant dense<[[5, 6]]> : tensor<1x2xi64>
    %i3 = stablehlo.constant dense<[[7, 8]]> : tensor<1x2xi64>
    %r:4 = "interpreter.run_parallel"(%i0, %i1, %i2, %i3) {programs = [[@p], [@p], [@p], [@p]]} : (tensor<1x2xi64>, tensor<1x2xi64>, tensor<1x2xi64>, tensor<1x2xi64>) -> (tensor<1x2xi64>, tensor<1x2xi64>, tensor<1x2xi64>, tensor<1x2xi64>)
    check.expect_eq_const %r#0, dense<0> : tensor<1x2xi64>
    check.expect_eq_const %r#1, dense<[[5, 6]]> : tensor<1x2xi64>
    check.expect_eq_const %r#2, dense<[[5, 6]]> : tensor<1x2xi64>
    check.expect_eq_const %r#3, dense<0> : tensor<1x2xi64>
    func.return
  }
}

// -----

// Each operand has a root of its own.
module @broadcast_dynamic {
  func.func @p(%x: tensor<i64>, %y: tensor<2xi8>) -> (tensor<i64>, tensor<2xi8>) {
    %r = stablehlo.constant dense<[1, 0]> : tensor<2xi32>
    %0:2 = "stablehlo.collective_broadcast"(%x, %y, %r) <{has_dynamic_root = true, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<i64>, tensor<2xi8>, tensor<2xi32>) -> (tensor<i64>, tensor<2xi8>)
    return %0#0, %0#1 : tensor<i64>, tensor<2xi8>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<1> : tensor<i64>
    %i1 = stablehlo.constant dense<[1, 2]> : tensor<2xi8>
    %i2 = stablehlo.constant dense<2> : tensor<i64>
    %i3 = stablehlo.constant dense<[3, 4]> : tensor<2xi8>
    %r:4 = "interpreter.run_parallel"(%i0, %i1, %i2, %i3) {programs = [[@p], [@p]]} : (tensor<i64>, tensor<2xi8>, tensor<i64>, tensor<2xi8>) -> (tensor<i64>, tensor<2xi8>, tensor<i64>, tensor<2xi8>)
    check.expect_eq_const %r#0, dense<2> : tensor<i64>
    check.expect_eq_const %r#1, dense<[1, 2]> : tensor<2xi8>
    check.expect_eq_const %r#2, dense<2> : tensor<i64>
    check.expect_eq_const %r#3, dense<[1, 2]> : tensor<2xi8>
    func.return
  }
}

// -----

// The root is member 3 of the group.
module @reduce_dynamic {
  func.func @p(%x: tensor<1x2xi64>) -> tensor<1x2xi64> {
    %r = stablehlo.constant dense<3> : tensor<1xi32>
    %0 = "stablehlo.collective_reduce"(%x, %r) <{has_dynamic_root = true, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>}> ({
      ^bb0(%p: tensor<i64>, %q: tensor<i64>):
        %s = stablehlo.add %p, %q : tensor<i64>
        stablehlo.return %s : tensor<i64>
    }) : (tensor<1x2xi64>, tensor<1xi32>) -> tensor<1x2xi64>
    return %0 : tensor<1x2xi64>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[[1, 2]]> : tensor<1x2xi64>
    %i1 = stablehlo.constant dense<[[3, 4]]> : tensor<1x2xi64>
    %i2 = stablehlo.constant dense<[[5, 6]]> : tensor<1x2xi64>
    %i3 = stablehlo.constant dense<[[7, 8]]> : tensor<1x2xi64>
    %r:4 = "interpreter.run_parallel"(%i0, %i1, %i2, %i3) {programs = [[@p], [@p], [@p], [@p]]} : (tensor<1x2xi64>, tensor<1x2xi64>, tensor<1x2xi64>, tensor<1x2xi64>) -> (tensor<1x2xi64>, tensor<1x2xi64>, tensor<1x2xi64>, tensor<1x2xi64>)
    check.expect_eq_const %r#0, dense<0> : tensor<1x2xi64>
    check.expect_eq_const %r#1, dense<0> : tensor<1x2xi64>
    check.expect_eq_const %r#2, dense<0> : tensor<1x2xi64>
    check.expect_eq_const %r#3, dense<[[16, 20]]> : tensor<1x2xi64>
    func.return
  }
}

// -----

// The specification's example.
module @reduce_scatter {
  func.func @p(%x: tensor<2x4xi64>) -> tensor<2x2xi64> {
    %0 = "stablehlo.reduce_scatter"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64}> ({
      ^bb0(%p: tensor<i64>, %q: tensor<i64>):
        %s = stablehlo.add %p, %q : tensor<i64>
        stablehlo.return %s : tensor<i64>
    }) : (tensor<2x4xi64>) -> tensor<2x2xi64>
    return %0 : tensor<2x2xi64>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi64>
    %i1 = stablehlo.constant dense<[[9, 10, 11, 12], [13, 14, 15, 16]]> : tensor<2x4xi64>
    %r:2 = "interpreter.run_parallel"(%i0, %i1) {programs = [[@p], [@p]]} : (tensor<2x4xi64>, tensor<2x4xi64>) -> (tensor<2x2xi64>, tensor<2x2xi64>)
    check.expect_eq_const %r#0, dense<[[10, 12], [18, 20]]> : tensor<2x2xi64>
    check.expect_eq_const %r#1, dense<[[14, 16], [22, 24]]> : tensor<2x2xi64>
    func.return
  }
}

// -----

// A group of two replicas with two partitions each has four members, the partitions outermost.
module @reduce_scatter_across {
  func.func @p(%x: tensor<4xi64>) -> tensor<1xi64> {
    %0 = "stablehlo.reduce_scatter"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 0 : i64}> ({
      ^bb0(%p: tensor<i64>, %q: tensor<i64>):
        %s = stablehlo.add %p, %q : tensor<i64>
        stablehlo.return %s : tensor<i64>
    }) : (tensor<4xi64>) -> tensor<1xi64>
    return %0 : tensor<1xi64>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[0, 20, 300, 4000]> : tensor<4xi64>
    %i1 = stablehlo.constant dense<[1, 20, 300, 4000]> : tensor<4xi64>
    %i2 = stablehlo.constant dense<[2, 20, 300, 4000]> : tensor<4xi64>
    %i3 = stablehlo.constant dense<[3, 20, 300, 4000]> : tensor<4xi64>
    %r:4 = "interpreter.run_parallel"(%i0, %i1, %i2, %i3) {programs = [[@p, @p], [@p, @p]]} : (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) -> (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>)
    check.expect_eq_const %r#0, dense<6> : tensor<1xi64>
    check.expect_eq_const %r#1, dense<1200> : tensor<1xi64>
    check.expect_eq_const %r#2, dense<80> : tensor<1xi64>
    check.expect_eq_const %r#3, dense<16000> : tensor<1xi64>
    func.return
  }
}

// -----

// Groups by flat ids: process = replica * partitions + partition.
module @reduce_flat {
  func.func @p(%x: tensor<i64>) -> tensor<i64> {
    %0 = "stablehlo.all_reduce"(%x) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 3], [1, 2]]> : tensor<2x2xi64>, use_global_device_ids}> ({
      ^bb0(%p: tensor<i64>, %q: tensor<i64>):
        %s = stablehlo.multiply %p, %q : tensor<i64>
        stablehlo.return %s : tensor<i64>
    }) : (tensor<i64>) -> tensor<i64>
    return %0 : tensor<i64>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<2> : tensor<i64>
    %i1 = stablehlo.constant dense<3> : tensor<i64>
    %i2 = stablehlo.constant dense<5> : tensor<i64>
    %i3 = stablehlo.constant dense<7> : tensor<i64>
    %r:4 = "interpreter.run_parallel"(%i0, %i1, %i2, %i3) {programs = [[@p, @p], [@p, @p]]} : (tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>, tensor<i64>, tensor<i64>)
    check.expect_eq_const %r#0, dense<14> : tensor<i64>
    check.expect_eq_const %r#1, dense<15> : tensor<i64>
    check.expect_eq_const %r#2, dense<15> : tensor<i64>
    check.expect_eq_const %r#3, dense<14> : tensor<i64>
    func.return
  }
}

// -----

// A region that is no single op, and not commutative: the order of the group decides.
module @reduce_any_region {
  func.func @p(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[2, 0, 1]]> : tensor<1x3xi64>}> ({
      ^bb0(%p: tensor<f32>, %q: tensor<f32>):
        %s = stablehlo.add %p, %p : tensor<f32>
        %t = stablehlo.subtract %s, %q : tensor<f32>
        stablehlo.return %t : tensor<f32>
    }) : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[1.0, 10.0]> : tensor<2xf32>
    %i1 = stablehlo.constant dense<[2.0, 20.0]> : tensor<2xf32>
    %i2 = stablehlo.constant dense<[5.0, 7.0]> : tensor<2xf32>
    %r:3 = "interpreter.run_parallel"(%i0, %i1, %i2) {programs = [[@p], [@p], [@p]]} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
    check.expect_eq_const %r#0, dense<[16.0, -12.0]> : tensor<2xf32>
    check.expect_eq_const %r#1, dense<[16.0, -12.0]> : tensor<2xf32>
    check.expect_eq_const %r#2, dense<[16.0, -12.0]> : tensor<2xf32>
    func.return
  }
}

// -----

// The region's type may be wider than the operands'.
module @reduce_wider {
  func.func @p(%x: tensor<2xf32>) -> tensor<2xf64> {
    %0 = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
      ^bb0(%p: tensor<f64>, %q: tensor<f64>):
        %s = stablehlo.add %p, %q : tensor<f64>
        stablehlo.return %s : tensor<f64>
    }) : (tensor<2xf32>) -> tensor<2xf64>
    return %0 : tensor<2xf64>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[1.0, 16777216.0]> : tensor<2xf32>
    %i1 = stablehlo.constant dense<[2.0, 1.0]> : tensor<2xf32>
    %r:2 = "interpreter.run_parallel"(%i0, %i1) {programs = [[@p], [@p]]} : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf64>, tensor<2xf64>)
    check.expect_eq_const %r#0, dense<[3.0, 16777217.0]> : tensor<2xf64>
    check.expect_eq_const %r#1, dense<[3.0, 16777217.0]> : tensor<2xf64>
    func.return
  }
}

// -----

// all_gather over replicas and partitions.
module @gather_across {
  func.func @p(%x: tensor<1xi64>) -> tensor<4xi64> {
    %0 = "stablehlo.all_gather"(%x) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<1xi64>) -> tensor<4xi64>
    return %0 : tensor<4xi64>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[0]> : tensor<1xi64>
    %i1 = stablehlo.constant dense<[1]> : tensor<1xi64>
    %i2 = stablehlo.constant dense<[2]> : tensor<1xi64>
    %i3 = stablehlo.constant dense<[3]> : tensor<1xi64>
    %r:4 = "interpreter.run_parallel"(%i0, %i1, %i2, %i3) {programs = [[@p, @p], [@p, @p]]} : (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>)
    check.expect_eq_const %r#0, dense<[0, 2, 1, 3]> : tensor<4xi64>
    check.expect_eq_const %r#1, dense<[0, 2, 1, 3]> : tensor<4xi64>
    check.expect_eq_const %r#2, dense<[0, 2, 1, 3]> : tensor<4xi64>
    check.expect_eq_const %r#3, dense<[0, 2, 1, 3]> : tensor<4xi64>
    func.return
  }
}

// -----

// all_to_all within one dim.
module @to_all_same_dim {
  func.func @p(%x: tensor<4xi64>) -> tensor<4xi64> {
    %0 = "stablehlo.all_to_all"(%x) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, split_count = 2 : i64, split_dimension = 0 : i64}> : (tensor<4xi64>) -> tensor<4xi64>
    return %0 : tensor<4xi64>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<[0, 1, 2, 3]> : tensor<4xi64>
    %i1 = stablehlo.constant dense<[10, 11, 12, 13]> : tensor<4xi64>
    %i2 = stablehlo.constant dense<[20, 21, 22, 23]> : tensor<4xi64>
    %i3 = stablehlo.constant dense<[30, 31, 32, 33]> : tensor<4xi64>
    %r:4 = "interpreter.run_parallel"(%i0, %i1, %i2, %i3) {programs = [[@p], [@p], [@p], [@p]]} : (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>) -> (tensor<4xi64>, tensor<4xi64>, tensor<4xi64>, tensor<4xi64>)
    check.expect_eq_const %r#0, dense<[0, 1, 10, 11]> : tensor<4xi64>
    check.expect_eq_const %r#1, dense<[2, 3, 12, 13]> : tensor<4xi64>
    check.expect_eq_const %r#2, dense<[20, 21, 30, 31]> : tensor<4xi64>
    check.expect_eq_const %r#3, dense<[22, 23, 32, 33]> : tensor<4xi64>
    func.return
  }
}

// -----

// Where a process is, in a loop that each runs another number of times, with a collective behind it.
module @ids {
  func.func @p(%x: tensor<ui32>) -> (tensor<ui32>, tensor<ui32>, tensor<ui32>) {
    %r = stablehlo.replica_id : tensor<ui32>
    %m = stablehlo.partition_id : tensor<ui32>
    %z = stablehlo.constant dense<0> : tensor<ui32>
    %l:2 = stablehlo.while(%i = %z, %y = %x) : tensor<ui32>, tensor<ui32>
    cond {
      %c = stablehlo.compare LT, %i, %r : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<ui32>
      %j = stablehlo.add %i, %one : tensor<ui32>
      %w = stablehlo.add %y, %y : tensor<ui32>
      stablehlo.return %j, %w : tensor<ui32>, tensor<ui32>
    }
    %0 = "stablehlo.all_reduce"(%l#1) <{replica_groups = dense<[[0, 1, 2]]> : tensor<1x3xi64>}> ({
      ^bb0(%p: tensor<ui32>, %q: tensor<ui32>):
        %s = stablehlo.add %p, %q : tensor<ui32>
        stablehlo.return %s : tensor<ui32>
    }) : (tensor<ui32>) -> tensor<ui32>
    return %r, %m, %0 : tensor<ui32>, tensor<ui32>, tensor<ui32>
  }
  func.func @main() {
    %i0 = stablehlo.constant dense<1> : tensor<ui32>
    %i1 = stablehlo.constant dense<2> : tensor<ui32>
    %i2 = stablehlo.constant dense<3> : tensor<ui32>
    %i3 = stablehlo.constant dense<4> : tensor<ui32>
    %i4 = stablehlo.constant dense<5> : tensor<ui32>
    %i5 = stablehlo.constant dense<6> : tensor<ui32>
    %r:18 = "interpreter.run_parallel"(%i0, %i1, %i2, %i3, %i4, %i5) {programs = [[@p, @p], [@p, @p], [@p, @p]]} : (tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>) -> (tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>, tensor<ui32>)
    check.expect_eq_const %r#0, dense<0> : tensor<ui32>
    check.expect_eq_const %r#1, dense<0> : tensor<ui32>
    check.expect_eq_const %r#2, dense<27> : tensor<ui32>
    check.expect_eq_const %r#3, dense<0> : tensor<ui32>
    check.expect_eq_const %r#4, dense<1> : tensor<ui32>
    check.expect_eq_const %r#5, dense<34> : tensor<ui32>
    check.expect_eq_const %r#6, dense<1> : tensor<ui32>
    check.expect_eq_const %r#7, dense<0> : tensor<ui32>
    check.expect_eq_const %r#8, dense<27> : tensor<ui32>
    check.expect_eq_const %r#9, dense<1> : tensor<ui32>
    check.expect_eq_const %r#10, dense<1> : tensor<ui32>
    check.expect_eq_const %r#11, dense<34> : tensor<ui32>
    check.expect_eq_const %r#12, dense<2> : tensor<ui32>
    check.expect_eq_const %r#13, dense<0> : tensor<ui32>
    check.expect_eq_const %r#14, dense<27> : tensor<ui32>
    check.expect_eq_const %r#15, dense<2> : tensor<ui32>
    check.expect_eq_const %r#16, dense<1> : tensor<ui32>
    check.expect_eq_const %r#17, dense<34> : tensor<ui32>
    func.return
  }
}
