func.func @main() {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<3xf32>
  %1 = stablehlo.constant dense<[1.0, 2.0]> : tensor<1xf32>
  %2 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2x1xf32>
  %3 = stablehlo.constant dense<[1, 256]> : tensor<2xi8>
  %4 = stablehlo.constant dense<-1> : tensor<ui8>
  %5 = stablehlo.constant dense<1> : tensor<f32>
  %6 = stablehlo.constant dense<1.0> : tensor<i32>
  %7 = stablehlo.constant dense<true> : tensor<i32>
  %8 = stablehlo.constant dense<"0x000000"> : tensor<2xf32>
  %9 = stablehlo.constant dense<"0x0000803G"> : tensor<f32>
  %10 = stablehlo.constant dense_resource<blob> : tensor<4xf32>
  %11 = stablehlo.constant dense<[1, 2, 3]> : tensor<1000000000xi8>
  %12 = stablehlo.constant dense<> : tensor<4xf32>
  %13 = stablehlo.constant dense<0xFF800000> : tensor<bf16>
  %14 = stablehlo.constant dense<1.0e> : tensor<f32>
  %15 = stablehlo.constant dense<[
    1,
    maybe
  ]> : tensor<2xi1>
  %16 = stablehlo.constant dense<(1.0, 2.0)> : tensor<f32>
  %17 = stablehlo.constant dense<1.0> : tensor<complex<f32>>
  %18 = stablehlo.constant dense<[(1.0, 2.0), (1.0)]> : tensor<2xcomplex<f32>>
  %19 = stablehlo.constant dense<(1.0, 2.0, 3.0)> : tensor<complex<f64>>
  %20 = stablehlo.constant dense<[7, 16]> : tensor<2xi4>
  %21 = stablehlo.constant dense<-9> : tensor<i4>
  %22 = stablehlo.constant dense<4> : tensor<ui2>
  %23 = stablehlo.constant dense<0x40> : tensor<f6E3M2FN>
  return
}
// error: 2:42: this list ends after 2 of 3 elements
// error: 3:37: wanted ']' after 1 elements
// error: 4:34: wanted '[': the lists must nest as deep as the type has dims
// error: 5:37: wanted an element of i8, found '256': it does not fit
// error: 6:33: wanted an element of ui8, found '-1': it does not fit
// error: 7:33: wanted an element of f32, found '1': write a point (1.0), or the bits in hex
// error: 8:33: wanted an element of i32, found '1.0'
// error: 9:33: wanted an element of i32, found 'true'
// error: 10:33: 3 bytes are here, the type wants 8
// error: 11:42: wanted hex digits
// error: 12:43: the resource blob is not in the text
// error: 13:34: the type wants 1000000000 elements, there are fewer here
// error: 14:34: the type has elements, none are here
// error: 15:34: wanted an element of bf16, found '0xFF800000': these bits do not fit
// error: 16:34: wanted an element of f32, found '1.0e'
// error: 19:5: wanted an element of i1, found 'maybe'
// error: 21:34: wanted an element of f32, found '('
// error: 22:34: wanted '(' and the parts of a complex number
// error: 23:51: wanted ',' and the imaginary part
// error: 24:43: wanted ')' behind the imaginary part
// error: 25:38: wanted an element of i4, found '16': it does not fit
// error: 26:34: wanted an element of i4, found '-9': it does not fit
// error: 27:34: wanted an element of ui2, found '4': it does not fit
// error: 28:34: wanted an element of f6E3M2FN, found '0x40': these bits do not fit
