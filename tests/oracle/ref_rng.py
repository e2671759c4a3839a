"""Writes tests/ref/ops/rng.json and tests/suites/rng.mlir: draws of stablehlo.rng, as JAX makes them from the same keys.

    python tests/oracle/ref_rng.py tests/ref/ops tests/suites

Draw n has the key jax.random.fold_in(jax.random.key(0), n). Floats of f32 and f64 are jax.random.uniform(key, shape, dtype,
a, b), and normal ones a + b jax.random.normal(key, shape, dtype), op by op (a fused multiply-add would round once less).
Integers are the upper halves of jax.random.bits(key, shape, uint64) times b - a; narrower floats the f32 ones, rounded. A
float that is b by rounding is the one before b. The second file holds the draws 0 to 5 of one execution, two of them in a loop, and one that nothing uses.
"""
import json, sys
import jax
import jax.numpy as jnp
import numpy as np
import ml_dtypes

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_threefry_partitionable", True)
KIND = {"float32": "f32", "float64": "f64", "bfloat16": "bf16", "float16": "f16", "bool": "i1", "int8": "i8", "int32": "i32", "int64": "i64",
        "uint8": "ui8", "uint64": "ui64"}


def key(n):
    return jax.random.fold_in(jax.random.key(0), n)


def below(x, b):
    return np.where(x >= b, np.nextafter(b, x.dtype.type(-np.inf)), x).astype(x.dtype)


def draw(n, kind, a, b, shape, dtype):
    dtype = np.dtype(dtype)
    with jax.disable_jit():
        if kind == "UNIFORM" and dtype.name in ("float32", "float64"):
            return below(np.asarray(jax.random.uniform(key(n), shape, dtype, a, b)), b)
        if kind == "UNIFORM" and dtype.name in ("float16", "bfloat16"):
            x = np.asarray(jax.random.uniform(key(n), shape, np.float32, np.float32(a), np.float32(b))).astype(dtype)
            return below(x, dtype.type(b))
        if kind == "NORMAL":
            wide = np.float64 if dtype == np.float64 else np.float32
            z = np.asarray(jax.random.normal(key(n), shape, wide))
            return (np.float64(a) + np.float64(b) * z.astype(np.float64)).astype(dtype)
        bits = np.asarray(jax.random.bits(key(n), shape, np.uint64))
    a, b = int(a), int(b)
    span = max(b - a, 0)
    return np.array([a + (int(w) * span >> 64) for w in bits.ravel()], object).reshape(shape).astype(dtype)


def tensor(x):
    x = np.asarray(x)
    return {"type": KIND[x.dtype.name], "dims": list(x.shape), "data": x.tobytes().hex()}


def case(kind, a, b, shape, dtype, **near):
    lo, hi = np.array(a, dtype), np.array(b, dtype)
    out = draw(0, kind, lo, hi, shape, dtype)
    return {"op": "rng", "in": [tensor(lo), tensor(hi), tensor(np.array(shape, np.int64))], "out": [tensor(out)],
            "attrs": {"rng_distribution": kind}, **near}


def text(x):
    x = np.asarray(x)
    return f'dense<"0x{x.tobytes().hex().upper()}"> : tensor<{"".join(f"{d}x" for d in x.shape)}{KIND[x.dtype.name]}>'


def module():
    f, i = np.float32, np.int32
    wanted = [draw(0, "UNIFORM", f(-2), f(3), (2, 3), f), None, draw(2, "UNIFORM", f(-2), f(3), (2, 3), f),
              draw(3, "UNIFORM", f(-2), f(3), (2, 3), f), draw(4, "UNIFORM", i(-7), i(9), (5,), i), draw(5, "UNIFORM", f(-2), f(3), (2, 3), f)]
    lines = ["// The draws of one execution, by tests/oracle/ref_rng.py, jax " + jax.__version__ + ".", "func.func @main() {",
             "  %lo = stablehlo.constant dense<-2.0> : tensor<f32>", "  %hi = stablehlo.constant dense<3.0> : tensor<f32>",
             "  %ilo = stablehlo.constant dense<-7> : tensor<i32>", "  %ihi = stablehlo.constant dense<9> : tensor<i32>",
             "  %shape = stablehlo.constant dense<[2, 3]> : tensor<2xi64>", "  %five = stablehlo.constant dense<5> : tensor<1xi64>",
             "  %zero = stablehlo.constant dense<0> : tensor<i32>", "  %one = stablehlo.constant dense<1> : tensor<i32>", "  %two = stablehlo.constant dense<2> : tensor<i32>"]
    rng = "stablehlo.rng %lo, %hi, %shape, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>"
    lines += [f"  %d0 = {rng}", f"  %unused = {rng}",
              "  %l:2 = stablehlo.while(%n = %zero, %x = %d0) : tensor<i32>, tensor<2x3xf32>", "    cond {",
              "      %go = stablehlo.compare LT, %n, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>", "      stablehlo.return %go : tensor<i1>", "    } do {",
              f"      %y = {rng}", "      %sum = stablehlo.subtract %y, %x : tensor<2x3xf32>", "      %next = stablehlo.add %n, %one : tensor<i32>",
              "      stablehlo.return %next, %sum : tensor<i32>, tensor<2x3xf32>", "    }",
              "  %d4 = stablehlo.rng %ilo, %ihi, %five, distribution = UNIFORM : (tensor<i32>, tensor<i32>, tensor<1xi64>) -> tensor<5xi32>",
              f"  %d5 = call @again(%lo, %hi) : (tensor<f32>, tensor<f32>) -> tensor<2x3xf32>"]
    for name, x in (("d0", wanted[0]), ("l#1", wanted[3] - (wanted[2] - wanted[0])), ("d4", wanted[4]), ("d5", wanted[5])):
        kind = text(x).split(" : ")[1]
        lines += [f"  check.expect_eq_const %{name}, {text(x)}"]
    lines += ["  func.return", "}", "func.func private @again(%lo: tensor<f32>, %hi: tensor<f32>) -> tensor<2x3xf32> {",
              "  %shape = stablehlo.constant dense<[2, 3]> : tensor<2xi64>", f"  %r = {rng}", "  return %r : tensor<2x3xf32>", "}"]
    return "\n".join(lines) + "\n"


def main(goldens, suites):
    cases = [
        case("UNIFORM", 0, 1, (3, 5), np.float32), case("UNIFORM", -2.5, 7.25, (33,), np.float32), case("UNIFORM", 1, 1 + 2**-22, (40,), np.float32),
        case("UNIFORM", -1, 1, (2, 0, 3), np.float32), case("UNIFORM", 5, 6, (), np.float32), case("UNIFORM", -1e-3, 4, (9,), np.float64),
        case("UNIFORM", -1, 2, (300,), np.float16), case("UNIFORM", 0, 1, (600,), ml_dtypes.bfloat16),
        case("UNIFORM", -3, 3, (50,), np.int8), case("UNIFORM", -(2**63), 2**63 - 1, (20,), np.int64), case("UNIFORM", 0, 2**64 - 1, (20,), np.uint64),
        case("UNIFORM", 9, 9, (4,), np.int32), case("UNIFORM", 250, 255, (30,), np.uint8), case("UNIFORM", False, True, (4,), np.bool_),
        case("NORMAL", 0, 1, (200,), np.float32, ulp=4), case("NORMAL", 3, 0.5, (5, 4), np.float64, ulp=8), case("NORMAL", -1, 2, (100,), np.float16, ulp=1),
        case("NORMAL", 0, 1, (300,), ml_dtypes.bfloat16, ulp=1),
    ]
    about = f"tests/oracle/ref_rng.py, jax {jax.__version__}, numpy {np.__version__}, key 0, draw 0"
    with open(f"{goldens}/rng.json", "w") as file:
        json.dump({"made by": about, "cases": cases}, file, separators=(",", ":"))
    with open(f"{suites}/rng.mlir", "w") as file:
        file.write(module())


main(*sys.argv[1:])
