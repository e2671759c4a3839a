sdy.mesh @m = <["x"=2]>
sdy.mesh @m = <["x"=2]>
sdy.mesh @a = <["x"=2, "x"=2]>
sdy.mesh @b = <["x"=0]>
sdy.mesh @c = <["x"=1024, "y"=2]>
sdy.mesh @d = <["x"=2], device_ids=[0, 0]>
sdy.mesh @e = <["x"=2], device_ids=[0]>
func.func @main(%0: tensor<4xf32>, %1: tensor<4xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{}]>}) -> tensor<4xf32> {
  return %0 : tensor<4xf32>
}
func.func @f(%0: tensor<4xf32>) -> tensor<4xf32> {
  "stablehlo.send"(%0) : (tensor<4xf32>) -> ()
  %1 = "stablehlo.recv"() : () -> tensor<4xf32>
  %2 = "stablehlo.infeed"() : () -> tensor<4xf32>
  "stablehlo.outfeed"(%0) : (tensor<4xf32>) -> ()
  %3 = "stablehlo.async_start"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %4 = "stablehlo.async_done"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %5 = sdy.sharding_constraint %0 <@m, [{"x"}q1]> : tensor<4xf32>
  %6 = sdy.sharding_constraint %0 <@m, [{"x":(0)2}]> : tensor<4xf32>
  %7 = "stablehlo.all_gather"(%0) <{all_gather_dim = 0 : i64, replica_groups = dense<[0, 1]> : tensor<2xi64>}> : (tensor<4xf32>) -> tensor<8xf32>
  %8:3 = "interpreter.run_parallel"(%0) <{programs = [[@main], [@main, @main]]}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %9 = stablehlo.sdy.sharding_constraint %0 <@m, [{}]> : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// error: 2:1: the mesh @m is defined twice
// error: 3:24: the axis "x" is there twice
// error: 4:17: an axis has 1 to 1024 devices
// error: 5:15: a mesh of more than 1024 devices
// error: 6:15: device_ids names device 0 twice
// error: 7:15: a mesh of 2 devices with 1 device_ids
// error: 8:84: a mesh inside a sharding is not supported; name one of the module's
// error: 12:3: the op stablehlo.send is not supported: programs do not talk to the host while they run
// error: 13:8: the op stablehlo.recv is not supported: programs do not talk to the host while they run
// error: 14:8: the op stablehlo.infeed is not supported: programs do not talk to the host while they run
// error: 15:3: the op stablehlo.outfeed is not supported: programs do not talk to the host while they run
// error: 16:8: the op stablehlo.async_start is not supported: collectives are synchronous here
// error: 17:8: the op stablehlo.async_done is not supported: collectives are synchronous here
// error: 18:46: wanted a priority such as p1, found 'q1'
// error: 19:46: a part of an axis wants sizes over 0
// error: 20:80: wanted lists of up to 1024 process ids, such as 2x2xi64
// error: 21:77: wanted lists of 1 functions each
// error: 22:8: the op stablehlo.sdy.sharding_constraint is not supported
