#!/usr/bin/env python3
"""Writes tests/jax/functions.txt: functions of jax.numpy, jax.lax, jax.nn, jax.scipy.special and jax.numpy.linalg, each
jitted at three shapes and two dtypes, as StableHLO text with arguments and with what JAX computes on the CPU.

    jax_functions.py OUT [NAME ...]      then: xz -9e OUT

A case is

    // case NAME CLASS SHAPE DTYPE
    // in f32 3x4 <hex of the elements, little endian>
    // out f32 3x4 <hex>
    module …
    // -----

CLASS says what keeps the two from agreeing bit for bit, and is the row of tests/jax/tolerances.def that applies unless
the function has its own. Arguments are multiples of 1/64, which every float dtype holds.
"""
import sys, zlib
import jax
jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
import numpy as np
from jax import lax, nn
from jax.scipy import special
from jax.numpy import linalg

SHAPES = [(5,), (3, 4), (2, 3, 4)]
SQUARES = [(3, 3), (4, 4), (2, 3, 3)]
FLOATS, HALVES, INTS = ("float32", "float64"), ("float32", "bfloat16"), ("int32", "uint8")
CASES = []


def arg(kind, shape, dtype, rng):
    """One argument: a kind is a range of numbers, or a function of (shape, dtype, rng)."""
    if callable(kind):
        return kind(shape, dtype, rng)
    lo, hi = {"any": (-2, 2), "pos": (0.25, 4), "unit": (-0.95, 0.95), "prob": (0.05, 0.95), "above1": (1.05, 4),
              "wide": (-20, 20), "big": (1, 30), "halves": (-4, 4)}[kind]
    if np.dtype(dtype).kind in "iu":
        lo, hi = (0, 100) if np.dtype(dtype).kind == "u" else (-50, 50)
        return rng.integers(lo + (kind == "pos"), hi, shape).astype(dtype)
    step = 2 if kind == "halves" else 64
    x = rng.integers(round(lo * step), round(hi * step) + 1, shape) / step
    return np.asarray(x).astype(dtype)


def case(name, family, fn, kinds=("any",), dtypes=FLOATS, shapes=SHAPES):
    CASES.append((name, family, fn, kinds, dtypes, shapes))


def table(prefix, module, rows, family, kinds=("any",), dtypes=FLOATS):
    for word in rows.split():
        case(f"{prefix}.{word}", family, getattr(module, word), kinds, dtypes)


# Nothing rounds, or each element once.
table("jnp", jnp, "abs negative sign square ceil floor trunc rint signbit isfinite isnan nan_to_num positive", "exact", ("halves",))
table("jnp", jnp, "add subtract multiply maximum minimum equal not_equal less greater_equal copysign heaviside fmax", "exact", ("any", "any"))
table("jnp", jnp, "divide", "exact", ("any", "pos"))
table("jnp", jnp, "bitwise_and bitwise_or bitwise_xor left_shift add multiply subtract maximum less", "exact", ("any", lambda s, d, r: r.integers(0, 7, s).astype(d)), INTS)
table("jnp", jnp, "floor_divide remainder", "exact", ("any", "pos"), INTS)
case("jnp.gcd", "exact", jnp.gcd, ("any", "pos"), INTS)
case("lax.population_count", "exact", lax.population_count, ("any",), INTS)
case("lax.clz", "exact", lax.clz, ("any",), INTS)
case("jnp.invert", "exact", jnp.invert, ("any",), INTS)
case("jnp.fmod", "exact", jnp.fmod, ("wide", "pos"))
case("jnp.remainder_float", "exact", jnp.remainder, ("wide", "pos"))
case("jnp.nextafter", "exact", jnp.nextafter, ("any", "any"))
case("jnp.clip", "exact", lambda x: jnp.clip(x, -1, 1))
case("jnp.where", "exact", lambda x, y: jnp.where(x > y, x, -y), ("any", "any"))
case("jnp.astype", "exact", lambda x: (x.astype(jnp.float16), x.astype(jnp.int32), x.astype(jnp.bfloat16)), ("wide",))
case("lax.reduce_precision", "exact", lambda x: lax.reduce_precision(x * 1.1, 5, 6))
case("lax.bitcast_convert_type", "exact", lambda x: lax.bitcast_convert_type(x, jnp.uint8))

# Moving elements.
table("jnp", jnp, "transpose ravel atleast_3d flip sort argsort max min argmax argmin ptp", "exact")
case("jnp.reshape", "exact", lambda x: x.reshape(-1, 1))
case("jnp.concatenate", "exact", lambda x, y: jnp.concatenate([x, y, x], -1), ("any", "any"))
case("jnp.stack", "exact", lambda x, y: jnp.stack([x, y], 1), ("any", "any"))
case("jnp.roll", "exact", lambda x: jnp.roll(x, 2, -1))
case("jnp.tile", "exact", lambda x: jnp.tile(x, 2))
case("jnp.repeat", "exact", lambda x: jnp.repeat(x, 3, 0))
case("jnp.pad", "exact", lambda x: jnp.pad(x, [(1, 2)] * x.ndim, constant_values=3))
case("jnp.pad_reflect", "exact", lambda x: jnp.pad(x, [(0, 0)] * (x.ndim - 1) + [(2, 1)], "reflect"))
case("jnp.split", "exact", lambda x: jnp.array_split(x, 2, -1))
case("jnp.take", "exact", lambda x: jnp.take(x, jnp.array([2, 0, -1, 9]), -1))
case("jnp.take_along_axis", "exact", lambda x: jnp.take_along_axis(x, jnp.argsort(-x, -1), -1))
case("jnp.tril", "exact", lambda x: jnp.tril(x, 1), shapes=SQUARES)
case("jnp.triu", "exact", lambda x: jnp.triu(x, -1), shapes=SQUARES)
case("jnp.diagonal", "exact", lambda x: jnp.diagonal(x, 1, -2, -1), shapes=SQUARES)
case("jnp.rot90", "exact", jnp.rot90, shapes=SQUARES)
case("jnp.searchsorted", "exact", lambda x: jnp.searchsorted(jnp.arange(-2.0, 2.0, 0.25), x))
case("jnp.unravel_index", "exact", lambda x: jnp.unravel_index(jnp.argmax(x), x.shape))
case("jnp.bincount", "exact", lambda x: jnp.bincount(x.ravel() % 7, length=7), ("pos",), INTS)
case("jnp.count_nonzero", "exact", lambda x: jnp.count_nonzero(x > 0.5, -1))
case("jnp.any_all", "exact", lambda x: (jnp.any(x > 1.5, -1), jnp.all(x > -1, 0)))
case("jnp.cummax", "exact", lambda x: lax.cummax(x, x.ndim - 1))
case("jnp.median", "exact", lambda x: jnp.median(x, -1))
case("lax.sort_two", "exact", lambda x, y: lax.sort((jnp.round(x), y), num_keys=2), ("any", "any"))
case("lax.top_k", "exact", lambda x: lax.top_k(x, 3))
case("lax.dynamic_slice", "exact", lambda x, i: lax.dynamic_slice_in_dim(x, i, 2, -1), ("any", lambda s, d, r: np.int32(2)))
case("lax.dynamic_update_slice", "exact", lambda x, i: lax.dynamic_update_slice_in_dim(x, -x[..., :2], i, x.ndim - 1), ("any", lambda s, d, r: np.int32(9)))
case("lax.gather", "exact", lambda x, i: x[..., i], ("any", lambda s, d, r: np.array([[3, -1], [0, 2]], np.int32)))
case("lax.scatter_set", "exact", lambda x, i: x.at[..., i].set(7), ("any", lambda s, d, r: np.array([3, 0, 70], np.int32)))
case("lax.scatter_max", "exact", lambda x, i: x.at[i].max(x[:3]), ("any", lambda s, d, r: np.array([1, 0, 0], np.int32)), shapes=[(5,), (3, 4), (3, 2, 2)])
case("lax.scatter_add", "sum", lambda x, i: x.at[i].add(x[:3]), ("any", lambda s, d, r: np.array([1, 0, 0], np.int32)), shapes=[(5,), (3, 4), (3, 2, 2)])
case("lax.max_pool", "exact", lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (2,) * x.ndim, (1,) * x.ndim, "SAME"))
case("lax.cond", "exact", lambda x: lax.cond(x.ravel()[0] > 0, jnp.negative, lambda v: v + 1, x))
case("lax.switch", "exact", lambda i, x: lax.switch(i, [jnp.negative, jnp.abs, jnp.sign], x), (lambda s, d, r: np.int32(1), "any"))
case("nn.relu", "exact", nn.relu, dtypes=HALVES)
case("nn.relu6", "exact", nn.relu6, ("wide",), HALVES)
case("nn.hard_tanh", "exact", nn.hard_tanh, dtypes=HALVES)
case("nn.leaky_relu", "exact", nn.leaky_relu)
case("nn.one_hot", "exact", lambda x: nn.one_hot(x, 6), (lambda s, d, r: r.integers(-1, 7, s).astype(d),), INTS)

# Elementary functions, correct to a few units in the last place on either side.
table("jnp", jnp, "exp exp2 expm1 sin cos tan arctan sinh cosh tanh arcsinh cbrt sinc rad2deg deg2rad", "elementary")
table("jnp", jnp, "sqrt log log2 log10 log1p reciprocal", "elementary", ("pos",))
table("jnp", jnp, "arcsin arccos arctanh", "elementary", ("unit",))
case("jnp.arccosh", "elementary", jnp.arccosh, ("above1",))
case("lax.rsqrt", "elementary", lax.rsqrt, ("pos",))
case("jnp.power", "elementary", jnp.power, ("pos", "any"))
case("jnp.float_power", "elementary", jnp.float_power, ("pos", "any"))
case("jnp.integer_pow", "elementary", lambda x: x ** 5 + x ** -3, ("pos",))
table("jnp", jnp, "arctan2 hypot logaddexp logaddexp2", "elementary", ("any", "any"))
case("jnp.exp_wide", "elementary", jnp.exp, ("wide",))
case("jnp.sin_wide", "elementary", lambda x: jnp.sin(x * 50), ("wide",))
case("jnp.tanh_half", "elementary", jnp.tanh, dtypes=HALVES)
case("jnp.exp_half", "elementary", jnp.exp, dtypes=HALVES)
table("nn", nn, "sigmoid softplus silu elu selu celu log_sigmoid soft_sign hard_sigmoid hard_swish squareplus mish", "elementary", dtypes=HALVES)
case("nn.gelu", "elementary", nn.gelu, dtypes=HALVES)
case("nn.gelu_exact", "elementary", lambda x: nn.gelu(x, approximate=False))
case("jnp.angle", "elementary", jnp.angle)
case("jnp.abs_complex", "elementary", lambda x, y: jnp.abs(x + 1j * y), ("any", "any"))
case("jnp.exp_complex", "elementary", lambda x, y: (jnp.exp(x + 1j * y).real, jnp.exp(x + 1j * y).imag), ("any", "any"))

# Special functions.
table("special", special, "gammaln digamma gamma factorial expi exp1", "special", ("pos",))
table("special", special, "erf erfc i0 i0e i1 i1e ndtr log_ndtr expit", "special")
table("special", special, "erfinv", "special", ("unit",))
table("special", special, "logit entr ndtri", "special", ("prob",))
table("special", special, "xlogy xlog1py rel_entr kl_div betaln gammainc gammaincc", "special", ("pos", "pos"))
case("special.betainc", "special", special.betainc, ("pos", "pos", "prob"))
case("special.zeta", "special", special.zeta, ("above1", "pos"))
case("special.polygamma", "special", lambda x: special.polygamma(2, x), ("pos",))
case("special.multigammaln", "special", lambda x: special.multigammaln(x + 2, 3), ("pos",))
case("special.logsumexp", "sum", lambda x: special.logsumexp(x, -1))
case("jnp.i0", "special", jnp.i0)

# Sums and products of many terms, in whatever order.
table("jnp", jnp, "sum prod mean var std cumsum cumprod nansum nanmean", "sum")
case("jnp.sum_axis", "sum", lambda x: jnp.sum(x, -1))
case("jnp.var_axis", "sum", lambda x: jnp.var(x, 0, ddof=1))
case("jnp.average", "sum", lambda x, w: jnp.average(x, -1, w), ("any", "pos"))
case("jnp.cov", "sum", lambda x: jnp.cov(x.reshape(x.shape[0], -1)))
case("jnp.corrcoef", "sum", lambda x: jnp.corrcoef(x.reshape(-1, x.shape[-1])), shapes=[(3, 4), (4, 4), (2, 3, 4)])
case("jnp.diff", "exact", lambda x: jnp.diff(x, axis=-1))
case("jnp.gradient", "sum", lambda x: jnp.gradient(x, axis=-1))
case("jnp.trapezoid", "sum", lambda x: jnp.trapezoid(x, dx=0.25))
case("jnp.interp", "sum", lambda x: jnp.interp(x, jnp.arange(-2.0, 2.0, 0.5), jnp.arange(8.0) ** 2))
case("jnp.quantile", "sum", lambda x: jnp.quantile(x, 0.3, -1))
case("jnp.polyval", "sum", lambda x: jnp.polyval(jnp.array([1.0, -2.0, 3.0], x.dtype), x))
case("jnp.convolve", "sum", lambda x: jnp.convolve(x.ravel(), jnp.array([1.0, 2.0, -1.0], x.dtype)))
case("jnp.cross", "sum", jnp.cross, ("any", "any"), shapes=[(3,), (4, 3), (2, 2, 3)])
case("jnp.outer", "exact", jnp.outer, ("any", "any"))
case("jnp.kron", "exact", jnp.kron, ("any", "any"))
case("jnp.inner", "sum", jnp.inner, ("any", "any"))
case("jnp.vdot", "sum", jnp.vdot, ("any", "any"))
case("jnp.matmul", "sum", jnp.matmul, ("any", "any"), HALVES, SQUARES)
case("jnp.matmul_f64", "sum", jnp.matmul, ("any", "any"), FLOATS, SQUARES)
case("jnp.tensordot", "sum", lambda x, y: jnp.tensordot(x, y, axes=1), ("any", "any"), FLOATS, [(3, 3), (5, 5), (2, 3, 2)])
case("jnp.einsum", "sum", lambda x, y: jnp.einsum("...ij,...kj->...ik", x, y), ("any", "any"), FLOATS, SQUARES)
case("jnp.trace", "sum", lambda x: jnp.trace(x, axis1=-2, axis2=-1), shapes=SQUARES)
case("jnp.vander", "sum", lambda x: jnp.vander(x.ravel(), 4))
case("lax.conv", "sum", lambda x, w: lax.conv_general_dilated(x.reshape(1, 1, -1), w.reshape(1, 1, -1)[..., :3], (2,), [(1, 2)], rhs_dilation=(2,)), ("any", "any"))
case("lax.conv_transpose", "sum", lambda x, w: lax.conv_transpose(x.reshape(1, -1, 1), w.reshape(-1, 1, 1)[:3], (2,), "SAME"), ("any", "any"))
case("lax.avg_pool", "sum", lambda x: lax.reduce_window(x, 0.0, lax.add, (2,) * x.ndim, (2,) * x.ndim, "SAME") / 2 ** x.ndim)
case("lax.scan", "sum", lambda x: lax.scan(lambda c, v: (c * 0.5 + v, c), jnp.zeros_like(x[0]), x))
case("lax.fori_loop", "sum", lambda x: lax.fori_loop(0, 6, lambda i, v: v * 0.75 + i, x))
case("lax.while_loop", "sum", lambda x: lax.while_loop(lambda v: jnp.max(jnp.abs(v)) > 0.1, lambda v: v * 0.6, x))
case("lax.map", "elementary", lambda x: lax.map(jnp.sin, x))
case("lax.associative_scan", "sum", lambda x: lax.associative_scan(jnp.add, x))
case("lax.cumlogsumexp", "sum", lambda x: lax.cumlogsumexp(x, x.ndim - 1))
case("nn.softmax", "sum", nn.softmax, dtypes=HALVES)
case("nn.softmax_f64", "sum", nn.softmax)
case("nn.log_softmax", "sum", nn.log_softmax)
case("nn.logsumexp", "sum", lambda x: nn.logsumexp(x, 0))
case("nn.standardize", "sum", nn.standardize)
case("nn.glu", "elementary", nn.glu, shapes=[(6,), (3, 4), (2, 3, 4)])
case("nn.dot_product_attention", "sum", nn.dot_product_attention, ("any",) * 3, HALVES, [(1, 4, 1, 4), (2, 3, 2, 4), (1, 2, 4, 8)])

# Random bits are integers, and exact; what is made of them is not.
KEY = (lambda s, d, r: np.array(r.integers(0, 2 ** 32, 2), np.uint32),)


def shaped(draw):  # one function a shape: what it draws depends on the shape alone
    return lambda shape, dtype: (lambda key: draw(jax.random.wrap_key_data(key), shape, dtype))


for name, draw, family in (("bits", lambda k, s, d: jax.random.bits(k, s, "uint32"), "exact"),
                           ("uniform", jax.random.uniform, "exact"), ("normal", jax.random.normal, "special"),
                           ("permutation", lambda k, s, d: jax.random.permutation(k, s[-1] * 3), "exact")):
    CASES.append((f"random.{name}", family, shaped(draw), KEY, FLOATS, SHAPES))


# Linear algebra, over well-conditioned matrices.
def well(shape, dtype, rng):
    return (arg("any", shape, dtype, rng) + 4 * np.eye(shape[-1])).astype(dtype)


def spd(shape, dtype, rng):
    a = arg("any", shape, "float64", rng)
    return (a @ np.swapaxes(a, -1, -2) / 4 + 2 * np.eye(shape[-1])).astype(dtype)


case("linalg.norm", "sum", lambda x: linalg.norm(x, axis=-1))
case("linalg.norm_inf", "sum", lambda x: linalg.norm(x, jnp.inf, axis=-1))
for word in "det slogdet inv pinv cond matrix_rank".split():
    case(f"linalg.{word}", "linalg", getattr(linalg, word), (well,), shapes=SQUARES)
case("linalg.matrix_power", "sum", lambda x: linalg.matrix_power(x, 3), (well,), shapes=SQUARES)
case("linalg.multi_dot", "sum", lambda x, y: jnp.einsum("...ij,...jk->...ik", x, y), (well, well), shapes=SQUARES)
case("linalg.cholesky", "linalg", linalg.cholesky, (spd,), shapes=SQUARES)
case("linalg.qr", "linalg", linalg.qr, (well,), shapes=SQUARES)
case("linalg.svdvals", "linalg", linalg.svdvals, (well,), shapes=SQUARES)
case("linalg.svd", "linalg", lambda x: (lambda u, s, v: (s, (u * s[..., None, :]) @ v))(*linalg.svd(x)), (well,), shapes=SQUARES)
case("linalg.eigvalsh", "linalg", linalg.eigvalsh, (spd,), shapes=SQUARES)
case("linalg.eigh", "linalg", lambda x: (lambda w, v: (w, (v * w[..., None, :]) @ jnp.swapaxes(v, -1, -2)))(*linalg.eigh(x)), (spd,), shapes=SQUARES)
case("linalg.solve", "linalg", lambda a, b: linalg.solve(a, b[..., :2]), (well, "any"), shapes=SQUARES)
case("linalg.tensorinv", "linalg", lambda x: linalg.inv(x) @ x, (well,), shapes=SQUARES)
case("linalg.lu", "linalg", lambda x: jax.lax.linalg.lu(x)[0], (well,), shapes=SQUARES)
case("linalg.solve_triangular", "linalg", lambda a, b: jax.lax.linalg.triangular_solve(a, b, left_side=True, lower=True), (well, "any"), shapes=SQUARES)
case("linalg.lstsq", "linalg", lambda a, b: linalg.lstsq(a.reshape(-1, a.shape[-1]), b.reshape(-1, b.shape[-1])[:, :1])[0], (well, "any"), shapes=SQUARES)

SHORT = {"bool": "i1", "bfloat16": "bf16", "float16": "f16", "float32": "f32", "float64": "f64"}
SHORT |= {f"int{b}": f"i{b}" for b in (8, 16, 32, 64)} | {f"uint{b}": f"ui{b}" for b in (8, 16, 32, 64)}
SHORT |= {"complex64": "complex<f32>", "complex128": "complex<f64>"}


def line(word, a):
    a = np.asarray(a)
    dims = "x".join(map(str, a.shape)) or "-"
    return f"// {word} {SHORT[a.dtype.name]} {dims} {a.tobytes().hex() or '-'}\n"


def main(argv):
    if not argv:
        print(__doc__)
        return 2
    wanted = set(argv[1:])
    names = [c[0] for c in CASES]
    assert len(names) >= 150
    total = 0
    with open(argv[0], "w", encoding="utf-8") as file:
        file.write(f"// jax {jax.__version__} numpy {np.__version__} seed crc32(case)\n")
        for name, family, fn, kinds, dtypes, shapes in CASES:
            if wanted and name not in wanted:
                continue
            for shape in shapes:
                for dtype in dtypes:
                    head = f"{name} {family} {'x'.join(map(str, shape))} {SHORT[dtype]}"
                    rng = np.random.default_rng(zlib.crc32(head.encode()))
                    dt = jnp.dtype(dtype)
                    args = [arg(k, shape, dt, rng) for k in kinds]
                    f = fn(shape, dt) if name.startswith("random.") else fn
                    try:
                        lowered = jax.jit(f, keep_unused=True).lower(*args)
                        results = jax.tree.leaves(lowered.compile()(*args))
                    except Exception as problem:
                        print(f"{head}: {type(problem).__name__}: {str(problem).splitlines()[0][:150]}")
                        continue
                    file.write(f"// case {head}\n" + "".join(line("in", a) for a in args)
                               + "".join(line("out", r) for r in results) + lowered.as_text().rstrip("\n") + "\n// -----\n")
                    total += 1
    print(f"{len(set(names))} functions, {total} cases")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
