module {
  func.func @a(%0: tensor<?x3xf32, #other.encoding>) { return }
  func.func @b(%0: tensor<*xf32>) { return }
  func.func @c(%0: tensor<2xcomplex<i32>>) { return }
  func.func @d(%0: tensor<2x3xf32, #stablehlo.bounds<3>>) { return }
  func.func @e(%0: f32) { return }
  func.func @f(%0: tensor<99999999999999999999xf32>) { return }
  func.func @g(%0: tensor<2x!quant.uniform<i8:f32, 1.0>>) { return }
  func.func @h(%0: tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>) { return }
  func.func @i(%0: tensor<4 f32>) { return }
  func.func @j(%0: tensor<f8E4M3XX>) { return }
}
// error: 2:36: the only encoding of tensors supported is #stablehlo.bounds
// error: 3:27: unranked tensors are not supported
// error: 4:29: the element type complex<i32> is not supported
// error: 5:54: a bound is a size, of a dim that is '?'
// error: 6:20: the only types supported are tensors, found 'f32'
// error: 7:27: this dim does not fit in 64 bits
// error: 8:29: wanted an element type such as f32
// error: 9:59: tensors of more than 16 dims are not supported
// error: 10:28: wanted 'x' behind a dim
// error: 11:27: the element type f8E4M3XX is not supported
