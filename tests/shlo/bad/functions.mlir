module attributes {tt.kind = 1 : i32} {
  func.func @a(%0: tensor<f32>)
  func.func @b(%0: tensor<f32> {tf.aliasing_output = 1 : i32}) -> tensor<f32> { return %0 : tensor<f32> }
  func.func @c(%0: tensor<f32> {tf.aliasing_output = 0 : i32}, %1: tensor<f32> {tf.aliasing_output = 0 : i32}) -> tensor<f32> { return %0 : tensor<f32> }
  func.func @d(%0: tensor<f32> {tf.aliasing_output = 0 : i32}) -> tensor<i32> {
    %1 = stablehlo.constant dense<1> : tensor<i32>
    return %1 : tensor<i32>
  }
  func.func @e() {
  }
  func.func @f() {
    return
    return
  }
  func.func @g(%0: tensor<f32> {mhlo.something = 1}) { return }
  memref.global @x : memref<f32>
// error: 1:20: the attribute tt.kind of a module is not supported
// error: 3:3: wanted '{' and the function's body, found 'func.func'
// error: 3:16: tf.aliasing_output names result 1 of 1
// error: 4:64: result 0 is the alias of two parameters, 0 and 1
// error: 5:16: tf.aliasing_output: the parameter is tensor<f32>, the result tensor<i32>
// error: 10:3: a function must end in a return
// error: 13:5: an op behind the return that ends its block
// error: 15:33: the attribute mhlo.something of a parameter is not supported
// error: 16:3: wanted func.func, found 'memref.global'
// error: 27:1: wanted '}' behind the module, found the end of the text
