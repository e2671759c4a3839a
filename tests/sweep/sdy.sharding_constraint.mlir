// jaxlib: not because its interpreter does not know Shardy
module {
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = sdy.sharding_constraint %x <@mesh, [{"x"}, {?}]> : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}
