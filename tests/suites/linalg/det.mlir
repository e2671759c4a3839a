// float64 [2, 3, 3], jax 0.12.0.1, seed 20240612
module @jit__lambda attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() {
    %in0 = stablehlo.constant dense<"0xEAA06D0B308506407458172CCC0DF0BFA6939FA995A5FBBFE853E510C7A0F83FF55787E3611E0640C0E3A6A03651FABF14B2F62F1A94E73FE8E80E61D35EF83FC4B56FCAE48E134046BBFD509AEB13401A82C991D293F2BFF0F991967693E33F18E9C5A28C3CDEBFE6570611FB5CF13FC2A3B0A0A0DDF33F60E5D9ACD29FE33F127F3E6D6A45F7BFA0FFE9C703381040"> : tensor<2x3x3xf64>
    %got = call @jax(%in0) : (tensor<2x3x3xf64>) -> tensor<2xf64>
    %want0 = stablehlo.constant dense<"0x700F50B829AC4A40B895AD5EB8CF3B40"> : tensor<2xf64>
    check.expect_almost_eq %got, %want0, tolerance = 5.300000e-11 : tensor<2xf64>
    return
  }
  func.func private @jax(%arg0: tensor<2x3x3xf64>) -> (tensor<2xf64> {jax.result_info = "result"}) {
    %0 = call @det(%arg0) : (tensor<2x3x3xf64>) -> tensor<2xf64>
    return %0 : tensor<2xf64>
  }
  func.func private @det(%arg0: tensor<2x3x3xf64>) -> tensor<2xf64> {
    %0 = stablehlo.slice %arg0 [0:2, 1:2, 0:1] : (tensor<2x3x3xf64>) -> tensor<2x1x1xf64>
    %1 = stablehlo.reshape %0 : (tensor<2x1x1xf64>) -> tensor<2xf64>
    %2 = stablehlo.abs %1 : tensor<2xf64>
    %3 = stablehlo.slice %arg0 [0:2, 0:1, 0:1] : (tensor<2x3x3xf64>) -> tensor<2x1x1xf64>
    %4 = stablehlo.reshape %3 : (tensor<2x1x1xf64>) -> tensor<2xf64>
    %5 = stablehlo.abs %4 : tensor<2xf64>
    %6 = stablehlo.compare GT, %2, %5, FLOAT : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xi1>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<2xi1>) -> tensor<2x1xi1>
    %8 = stablehlo.slice %arg0 [0:2, 1:2, 0:3] : (tensor<2x3x3xf64>) -> tensor<2x1x3xf64>
    %9 = stablehlo.reshape %8 : (tensor<2x1x3xf64>) -> tensor<2x3xf64>
    %10 = stablehlo.slice %arg0 [0:2, 0:1, 0:3] : (tensor<2x3x3xf64>) -> tensor<2x1x3xf64>
    %11 = stablehlo.reshape %10 : (tensor<2x1x3xf64>) -> tensor<2x3xf64>
    %12 = call @_where(%7, %9, %11) : (tensor<2x1xi1>, tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    %13 = stablehlo.broadcast_in_dim %6, dims = [0] : (tensor<2xi1>) -> tensor<2x1xi1>
    %14 = stablehlo.slice %arg0 [0:2, 0:1, 0:3] : (tensor<2x3x3xf64>) -> tensor<2x1x3xf64>
    %15 = stablehlo.reshape %14 : (tensor<2x1x3xf64>) -> tensor<2x3xf64>
    %16 = stablehlo.slice %arg0 [0:2, 1:2, 0:3] : (tensor<2x3x3xf64>) -> tensor<2x1x3xf64>
    %17 = stablehlo.reshape %16 : (tensor<2x1x3xf64>) -> tensor<2x3xf64>
    %18 = call @_where(%13, %15, %17) : (tensor<2x1xi1>, tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    %19 = stablehlo.slice %arg0 [0:2, 2:3, 0:3] : (tensor<2x3x3xf64>) -> tensor<2x1x3xf64>
    %20 = stablehlo.reshape %19 : (tensor<2x1x3xf64>) -> tensor<2x3xf64>
    %c = stablehlo.constant dense<-1> : tensor<i64>
    %c_0 = stablehlo.constant dense<1> : tensor<i64>
    %21 = call @_where_0(%6, %c, %c_0) : (tensor<2xi1>, tensor<i64>, tensor<i64>) -> tensor<2xi64>
    %22 = stablehlo.slice %20 [0:2, 0:1] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %23 = stablehlo.reshape %22 : (tensor<2x1xf64>) -> tensor<2xf64>
    %24 = stablehlo.abs %23 : tensor<2xf64>
    %25 = stablehlo.slice %12 [0:2, 0:1] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %26 = stablehlo.reshape %25 : (tensor<2x1xf64>) -> tensor<2xf64>
    %27 = stablehlo.abs %26 : tensor<2xf64>
    %28 = stablehlo.compare GT, %24, %27, FLOAT : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xi1>
    %29 = stablehlo.broadcast_in_dim %28, dims = [0] : (tensor<2xi1>) -> tensor<2x1xi1>
    %30 = call @_where(%29, %20, %12) : (tensor<2x1xi1>, tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    %31 = stablehlo.broadcast_in_dim %28, dims = [0] : (tensor<2xi1>) -> tensor<2x1xi1>
    %32 = call @_where(%31, %12, %20) : (tensor<2x1xi1>, tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    %33 = stablehlo.negate %21 : tensor<2xi64>
    %34 = call @_where_1(%28, %33, %21) : (tensor<2xi1>, tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
    %35 = stablehlo.slice %30 [0:2, 0:1] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %36 = stablehlo.reshape %35 : (tensor<2x1xf64>) -> tensor<2xf64>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %37 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %38 = stablehlo.compare EQ, %36, %37, FLOAT : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xi1>
    %39 = stablehlo.slice %30 [0:2, 0:1] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %40 = stablehlo.reshape %39 : (tensor<2x1xf64>) -> tensor<2xf64>
    %c_1 = stablehlo.constant dense<1> : tensor<i64>
    %41 = call @_where_2(%38, %c_1, %40) : (tensor<2xi1>, tensor<i64>, tensor<2xf64>) -> tensor<2xf64>
    %42 = stablehlo.slice %30 [0:2, 0:1] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %43 = stablehlo.reshape %42 : (tensor<2x1xf64>) -> tensor<2xf64>
    %cst_2 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %44 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %45 = stablehlo.compare EQ, %43, %44, FLOAT : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xi1>
    %46 = stablehlo.slice %18 [0:2, 0:1] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %47 = stablehlo.reshape %46 : (tensor<2x1xf64>) -> tensor<2xf64>
    %48 = stablehlo.divide %47, %41 : tensor<2xf64>
    %c_3 = stablehlo.constant dense<0> : tensor<i64>
    %49 = call @_where_2(%45, %c_3, %48) : (tensor<2xi1>, tensor<i64>, tensor<2xf64>) -> tensor<2xf64>
    %50 = stablehlo.slice %30 [0:2, 0:1] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %51 = stablehlo.reshape %50 : (tensor<2x1xf64>) -> tensor<2xf64>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %52 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %53 = stablehlo.compare EQ, %51, %52, FLOAT : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xi1>
    %54 = stablehlo.slice %32 [0:2, 0:1] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %55 = stablehlo.reshape %54 : (tensor<2x1xf64>) -> tensor<2xf64>
    %56 = stablehlo.divide %55, %41 : tensor<2xf64>
    %c_5 = stablehlo.constant dense<0> : tensor<i64>
    %57 = call @_where_2(%53, %c_5, %56) : (tensor<2xi1>, tensor<i64>, tensor<2xf64>) -> tensor<2xf64>
    %58 = stablehlo.broadcast_in_dim %49, dims = [0] : (tensor<2xf64>) -> tensor<2x1xf64>
    %59 = stablehlo.broadcast_in_dim %58, dims = [0, 1] : (tensor<2x1xf64>) -> tensor<2x3xf64>
    %60 = stablehlo.multiply %59, %30 : tensor<2x3xf64>
    %61 = stablehlo.subtract %18, %60 : tensor<2x3xf64>
    %62 = stablehlo.broadcast_in_dim %57, dims = [0] : (tensor<2xf64>) -> tensor<2x1xf64>
    %63 = stablehlo.broadcast_in_dim %62, dims = [0, 1] : (tensor<2x1xf64>) -> tensor<2x3xf64>
    %64 = stablehlo.multiply %63, %30 : tensor<2x3xf64>
    %65 = stablehlo.subtract %32, %64 : tensor<2x3xf64>
    %66 = stablehlo.slice %65 [0:2, 1:2] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %67 = stablehlo.reshape %66 : (tensor<2x1xf64>) -> tensor<2xf64>
    %68 = stablehlo.abs %67 : tensor<2xf64>
    %69 = stablehlo.slice %61 [0:2, 1:2] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %70 = stablehlo.reshape %69 : (tensor<2x1xf64>) -> tensor<2xf64>
    %71 = stablehlo.abs %70 : tensor<2xf64>
    %72 = stablehlo.compare GT, %68, %71, FLOAT : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xi1>
    %73 = stablehlo.broadcast_in_dim %72, dims = [0] : (tensor<2xi1>) -> tensor<2x1xi1>
    %74 = call @_where(%73, %65, %61) : (tensor<2x1xi1>, tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    %75 = stablehlo.broadcast_in_dim %72, dims = [0] : (tensor<2xi1>) -> tensor<2x1xi1>
    %76 = call @_where(%75, %61, %65) : (tensor<2x1xi1>, tensor<2x3xf64>, tensor<2x3xf64>) -> tensor<2x3xf64>
    %77 = stablehlo.negate %34 : tensor<2xi64>
    %78 = call @_where_1(%72, %77, %34) : (tensor<2xi1>, tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
    %79 = stablehlo.slice %74 [0:2, 1:2] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %80 = stablehlo.reshape %79 : (tensor<2x1xf64>) -> tensor<2xf64>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %81 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %82 = stablehlo.compare EQ, %80, %81, FLOAT : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xi1>
    %83 = stablehlo.slice %74 [0:2, 1:2] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %84 = stablehlo.reshape %83 : (tensor<2x1xf64>) -> tensor<2xf64>
    %c_7 = stablehlo.constant dense<1> : tensor<i64>
    %85 = call @_where_2(%82, %c_7, %84) : (tensor<2xi1>, tensor<i64>, tensor<2xf64>) -> tensor<2xf64>
    %86 = stablehlo.slice %74 [0:2, 1:2] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %87 = stablehlo.reshape %86 : (tensor<2x1xf64>) -> tensor<2xf64>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f64>
    %88 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %89 = stablehlo.compare EQ, %87, %88, FLOAT : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xi1>
    %90 = stablehlo.slice %76 [0:2, 1:2] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %91 = stablehlo.reshape %90 : (tensor<2x1xf64>) -> tensor<2xf64>
    %92 = stablehlo.divide %91, %85 : tensor<2xf64>
    %c_9 = stablehlo.constant dense<0> : tensor<i64>
    %93 = call @_where_2(%89, %c_9, %92) : (tensor<2xi1>, tensor<i64>, tensor<2xf64>) -> tensor<2xf64>
    %94 = stablehlo.slice %76 [0:2, 2:3] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %95 = stablehlo.reshape %94 : (tensor<2x1xf64>) -> tensor<2xf64>
    %96 = stablehlo.slice %74 [0:2, 2:3] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %97 = stablehlo.reshape %96 : (tensor<2x1xf64>) -> tensor<2xf64>
    %98 = stablehlo.multiply %93, %97 : tensor<2xf64>
    %99 = stablehlo.subtract %95, %98 : tensor<2xf64>
    %100 = stablehlo.slice %30 [0:2, 0:1] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %101 = stablehlo.reshape %100 : (tensor<2x1xf64>) -> tensor<2xf64>
    %102 = stablehlo.convert %78 : (tensor<2xi64>) -> tensor<2xf64>
    %103 = stablehlo.multiply %102, %101 : tensor<2xf64>
    %104 = stablehlo.slice %74 [0:2, 1:2] : (tensor<2x3xf64>) -> tensor<2x1xf64>
    %105 = stablehlo.reshape %104 : (tensor<2x1xf64>) -> tensor<2xf64>
    %106 = stablehlo.multiply %103, %105 : tensor<2xf64>
    %107 = stablehlo.multiply %106, %99 : tensor<2xf64>
    return %107 : tensor<2xf64>
  }
  func.func private @_where(%arg0: tensor<2x1xi1>, %arg1: tensor<2x3xf64>, %arg2: tensor<2x3xf64>) -> tensor<2x3xf64> {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 1] : (tensor<2x1xi1>) -> tensor<2x3xi1>
    %1 = stablehlo.select %0, %arg1, %arg2 : tensor<2x3xi1>, tensor<2x3xf64>
    return %1 : tensor<2x3xf64>
  }
  func.func private @_where_0(%arg0: tensor<2xi1>, %arg1: tensor<i64>, %arg2: tensor<i64>) -> tensor<2xi64> {
    %0 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<i64>) -> tensor<2xi64>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<i64>) -> tensor<2xi64>
    %2 = stablehlo.select %arg0, %0, %1 : tensor<2xi1>, tensor<2xi64>
    return %2 : tensor<2xi64>
  }
  func.func private @_where_1(%arg0: tensor<2xi1>, %arg1: tensor<2xi64>, %arg2: tensor<2xi64>) -> tensor<2xi64> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<2xi1>, tensor<2xi64>
    return %0 : tensor<2xi64>
  }
  func.func private @_where_2(%arg0: tensor<2xi1>, %arg1: tensor<i64>, %arg2: tensor<2xf64>) -> tensor<2xf64> {
    %0 = stablehlo.convert %arg1 : (tensor<i64>) -> tensor<f64>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f64>) -> tensor<2xf64>
    %2 = stablehlo.select %arg0, %1, %arg2 : tensor<2xi1>, tensor<2xf64>
    return %2 : tensor<2xf64>
  }
}
