// jaxlib: not because its interpreter writes probes to files
// xla: not because it knows no op of the interpreter's tests
func.func public @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = interpreter.probe %x, probe_id = "a" : tensor<3xf32>
  check.expect_serialized_eq %x, probe_id = "a" : tensor<3xf32>
  return %0 : tensor<3xf32>
}
