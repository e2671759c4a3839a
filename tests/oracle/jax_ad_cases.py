"""The functions of jax_ad.py beside jax_functions.py's: kinks and ties, infinities, empty axes, repeated indices, unused,
integer, boolean and complex arguments, control flow, convolution and pooling, transforms of Fourier, linear algebra,
layers and losses, scans and integrators, other dtypes."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, nn
from jax.scipy import special
from jax.numpy import linalg

from jax_ad import Case, drawn
from jax_functions import spd, well
from jax_programs import PROGRAMS

CASES = []
INF, NAN = np.inf, np.nan


def F(*shape, kind="any", dtype="float64"):
    return drawn(kind, shape, dtype)


def C(*shape):
    """Complex numbers, of which no part is 0: what JAX lowers sin to chooses by that."""
    return lambda rng: drawn("any", shape, "float64")(rng) + 1j * drawn("any", shape, "float64")(rng) + (1 + 1j) / 128


def I(*values, dtype=np.int32):
    """These integers; a number alone is a scalar."""
    return lambda rng: np.array(values[0] if len(values) == 1 and not isinstance(values[0], list) else list(values), dtype)


def R(hi, *shape):
    """Integers below hi."""
    return lambda rng: rng.integers(0, hi, shape).astype(np.int32)


def B(*shape):
    return lambda rng: rng.integers(0, 2, shape).astype(bool)


def V(*values, dtype=np.float64):
    """Exactly these numbers."""
    return lambda rng: np.array(values[0] if len(values) == 1 and not isinstance(values[0], list) else list(values), dtype)


def S(*shape):
    """Symmetric positive definite matrices."""
    return lambda rng: spd(shape, "float64", rng)


def W(*shape):
    """Well-conditioned matrices."""
    return lambda rng: well(shape, "float64", rng)


def case(name, family, fn, *args, **options):
    CASES.append(Case(name, family, fn, args, **options))


# Kinks and ties, and the values of a derivative where there is none.
case("kink.abs", "exact", jnp.abs, V(0.0, -0.0, 1.0, -2.0))
case("kink.sign", "exact", lambda x: jnp.sign(x) * x, V(0.0, 3.0, -1.0))
case("kink.maximum", "exact", jnp.maximum, V(1.0, 2.0, 0.0, -1.0), V(1.0, 0.0, -0.0, 3.0))
case("kink.minimum", "exact", jnp.minimum, V(1.0, 2.0, 0.0, -1.0), V(1.0, 0.0, -0.0, 3.0))
case("kink.max_ties", "exact", lambda x: jnp.max(x, -1), V([3.0, 3.0, 1.0], [0.0, 0.0, 0.0], [1.0, 2.0, 1.0]))
case("kink.min_ties", "exact", jnp.min, V([3.0, 1.0, 1.0], [1.0, 2.0, 5.0]))
case("kink.clamp", "exact", lambda x: lax.clamp(-1.0, x, 1.0), V(-2.0, -1.0, 0.0, 1.0, 2.0))
case("kink.clamp_bounds", "exact", lax.clamp, V(-1.0, 0.0, 0.5), V(-1.0, 3.0, 0.5), V(1.0, 2.0, 0.5))
case("kink.clip", "exact", lambda x: jnp.clip(x, 0.0, 6.0), V(-1.0, 0.0, 3.0, 6.0, 7.0))
case("kink.relu", "exact", lambda x: jnp.maximum(x, 0.0), V(-1.0, 0.0, 2.0))
case("kink.leaky_relu", "exact", lambda x: jnp.where(x >= 0, x, 0.125 * x), V(-1.0, 0.0, 2.0))
case("kink.elu", "elementary", nn.elu, V(-1.0, 0.0, 2.0))
case("kink.hard_tanh", "exact", lambda x: jnp.where(x > 1, 1.0, jnp.where(x < -1, -1.0, x)), V(-1.0, 1.0, 2.0, 0.5))
case("kink.huber", "exact", lambda x: jnp.where(jnp.abs(x) <= 1, 0.5 * x * x, jnp.abs(x) - 0.5).sum(), V(-1.0, 1.0, 2.0, 0.0))
case("kink.hinge", "exact", lambda x, y: jnp.mean(jnp.maximum(0.0, 1 - x * y)), V(1.0, -1.0, 0.5, 2.0), V(1.0, -1.0, 1.0, -1.0))
case("kink.sort_ties", "exact", lambda x: jnp.sort(x) * jnp.arange(5.0), V(2.0, 1.0, 2.0, 1.0, 0.0))
case("kink.sort_payload", "exact", lambda x, y: lax.sort((x, y), num_keys=1)[1], V(2.0, 1.0, 2.0, 1.0), F(4))
case("kink.sort_descending", "exact", lambda x: -jnp.sort(-x, 0), F(3, 2))
case("kink.lexsort", "exact", lambda x, y: x[jnp.lexsort((y, jnp.round(x)))], F(6), F(6))
case("kink.argsort_gather", "exact", lambda x, y: y[jnp.argsort(x)], V(2.0, 1.0, 2.0, 1.0), F(4))
case("kink.cummax_ties", "exact", lambda x: lax.cummax(x), V(1.0, 1.0, 3.0, 2.0, 3.0, 4.0))
case("kink.cummin_ties", "exact", lambda x: lax.cummin(x, reverse=True), V(1.0, 1.0, 3.0, 2.0, 3.0, 4.0))
case("kink.top_k_ties", "exact", lambda x: lax.top_k(x, 2)[0], V([1.0, 3.0, 3.0, 3.0], [2.0, 2.0, 1.0, 0.0]))
case("kink.median_ties", "exact", jnp.median, V(1.0, 2.0, 2.0, 3.0))
case("kink.argmax_value", "exact", lambda x: x[jnp.argmax(x)] * 2, V(1.0, 4.0, 4.0))
case("kink.max_pool_ties", "exact", lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (2,), (1,), "VALID"), V(1.0, 1.0, 0.0, 2.0, 2.0))
case("kink.floor_ceil", "exact", lambda x: x * jnp.floor(x) + jnp.ceil(x), V(1.0, 1.5, -2.0))
case("kink.round", "exact", lambda x: x - jnp.round(x), V(0.5, 1.25, -1.5))
case("kink.remainder", "exact", jnp.remainder, V(4.0, 5.5, -1.0), V(2.0, 2.0, 3.0))
case("kink.sqrt_zero", "elementary", jnp.sqrt, V(0.0, 4.0))
case("kink.log_zero", "elementary", jnp.log, V(0.0, 1.0))
case("kink.cbrt_small", "elementary", jnp.cbrt, V(1e-30, 8.0))
case("kink.pow_zero", "elementary", lambda x: x ** 2.0, V(0.0, 1.0, -1.0))
case("kink.pow_zero_exponent", "elementary", lambda x, p: x ** p, V(2.0, 1.0, 3.0), V(0.0, 1.0, 2.0))
case("kink.integer_pow", "exact", lambda x: x ** 3, V(0.0, -1.0, 2.0))
case("kink.integer_pow_traced", "elementary", lambda x, n: x ** n, V(1.5, -2.0, 0.5), I(3, 2, 0))
case("kink.norm", "elementary", lambda x: jnp.where(jnp.sum(x * x) > 0, jnp.sqrt(jnp.where(jnp.sum(x * x) > 0, jnp.sum(x * x), 1.0)), 0.0), V(0.0, 0.0, 0.0))
case("kink.safe_divide", "exact", lambda x, y: jnp.where(y != 0, x / jnp.where(y != 0, y, 1.0), 0.0), F(3), V(0.0, 2.0, -1.0))
case("kink.sinc", "elementary", lambda x: jnp.where(x == 0, 1.0, jnp.sin(x) / jnp.where(x == 0, 1.0, x)), V(0.0, 1.0, -2.0))
case("kink.atan2", "elementary", jnp.arctan2, V(0.0, 1.0, -1.0), V(1.0, 0.0, -1.0))
case("kink.prod_zeros", "exact", lambda x: jnp.prod(x, -1), V([2.0, 0.0, 3.0], [0.0, 0.0, 5.0], [1.0, 2.0, 4.0]))
case("kink.cumprod_zeros", "exact", jnp.cumprod, V(2.0, 0.0, 3.0, 0.0, 5.0), but="vjp_jvp vjp_vjp")
case("kink.logaddexp_equal", "elementary", lambda x, y: jnp.maximum(x, y) + jnp.log1p(jnp.exp(-jnp.abs(x - y))), V(1.0, 2.0), V(1.0, 0.5))
case("kink.hypot", "elementary", lambda x, y: jnp.sqrt(x * x + y * y), V(3.0, 1.0), V(4.0, 0.0))

# Infinities, overflow and what a mask leaves out.
case("inf.exp_overflow", "elementary", jnp.exp, V(800.0, -800.0, 1.0))
case("inf.reciprocal", "exact", lambda x: 1 / x, V(0.0, 2.0))
case("inf.tanh", "elementary", jnp.tanh, V(INF, -INF, 0.5))
case("inf.sigmoid", "elementary", lax.logistic, V(INF, -INF, 40.0, -40.0))
case("inf.erf", "special", lax.erf, V(INF, -INF, 0.5))
case("inf.atan", "elementary", jnp.arctan, V(INF, -INF, 0.5))
case("inf.logsumexp_masked", "sum", lambda x: special.logsumexp(x, -1), V([-INF, 1.0, 2.0], [0.0, -INF, -INF]))
case("inf.softmax_masked", "sum", lambda x: nn.softmax(jnp.where(jnp.array([True, False, True]), x, -jnp.inf)), F(2, 3))
case("inf.max_all", "exact", lambda x: jnp.max(x, initial=-jnp.inf), V(-INF, -INF))
case("inf.isfinite_select", "elementary", lambda x: jnp.where(jnp.isfinite(x), x * x, 0.0), V(INF, 1.0, -INF))
case("inf.log1p", "elementary", jnp.log1p, V(-1.0, 0.0, 1.0))
case("inf.entropy", "elementary", lambda p: -jnp.sum(jnp.where(p > 0, p * jnp.log(jnp.where(p > 0, p, 1.0)), 0.0)), V(0.0, 0.5, 0.5))
case("inf.nan_to_num", "exact", jnp.nan_to_num, V(NAN, INF, 1.0))
case("inf.nansum", "exact", jnp.nansum, V(NAN, 2.0, 1.0))

# Empty axes.
case("empty.sum", "exact", lambda x: jnp.sum(x, 1) + 1.0, F(2, 0))
case("empty.prod", "exact", lambda x: jnp.prod(x, 1), F(2, 0))
case("empty.argument", "exact", lambda x, y: y * jnp.sum(x), F(0), F(2))
case("empty.matmul", "exact", jnp.matmul, F(2, 0), F(0, 3))
case("empty.result", "exact", lambda x: x[:0] * 2, F(3))
case("empty.concatenate", "exact", lambda x, y: jnp.concatenate([x, y]), F(0, 2), F(2, 2))
case("empty.cumsum", "exact", jnp.cumsum, F(0))
case("empty.sort", "exact", jnp.sort, F(0, 2))
case("empty.softmax", "exact", lambda x: nn.softmax(x, -1), F(0, 3))
case("empty.max_initial", "exact", lambda x: jnp.max(x, 1, initial=0.0), F(2, 0))
case("empty.scan", "exact", lambda c, x: lax.scan(lambda c, v: (c * v, c), c, x)[0], F(2), F(0, 2))
case("empty.gather", "exact", lambda x, i: x[i], F(3), lambda rng: np.zeros(0, np.int32))
case("empty.pad", "exact", lambda x: jnp.pad(x, 2, constant_values=1.0), F(0))

# Indices: repeated, negative, out of bounds, in every mode.
case("index.repeated", "exact", lambda x, i: x[i], F(4), I(0, 0, 3, 0))
case("index.negative", "exact", lambda x, i: x[i], F(4, 2), I(-1, -4, 2))
case("index.two", "exact", lambda x, i, j: x[i, :, j], F(3, 2, 4), I(0, 2, 2), I(1, 3, 3))
case("index.point", "exact", lambda x, i, j: x[i, j], F(3, 4), I(1), I(-2))
for mode in ("clip", "fill", "wrap"):
    case(f"index.take_{mode}", "exact", lambda x, i, mode=mode: jnp.take(x, i, 0, mode=mode, fill_value=7.0), F(3, 2), I(-1, 0, 2, 5))
case("index.get_fill", "exact", lambda x, i: x.at[i].get(mode="fill", fill_value=0.0), F(3), I(5, 1, -7))
case("index.promise", "exact", lambda x, i: x.at[i].get(mode="promise_in_bounds"), F(3), I(2, 1, 1))
case("index.along_axis", "exact", lambda x, i: jnp.take_along_axis(x, i, 1), F(2, 3), R(3, 2, 4))
case("index.embedding", "exact", lambda t, i: t[i], F(5, 2), R(5, 2, 3))
case("index.one_hot", "sum", lambda t, i: nn.one_hot(i, 5, dtype=t.dtype) @ t, F(5, 2), R(5, 3))
case("index.bool_mask", "exact", lambda x, m: jnp.where(m, x, -x), F(2, 3), B(2, 3))
case("index.slice_strided", "exact", lambda x: x[1::2, ::-1], F(5, 3))
case("index.dynamic_slice", "exact", lambda x, i, j: lax.dynamic_slice(x, (i, j), (2, 2)), F(3, 4), I(1), I(2))
case("index.dynamic_slice_clamped", "exact", lambda x, i: lax.dynamic_slice(x, (i,), (2,)), F(4), I(9))
case("index.dynamic_slice_low", "exact", lambda x, i: lax.dynamic_slice(x, (i,), (2,)), F(4), I(-9))
case("index.dynamic_update", "exact", lambda x, u, i: lax.dynamic_update_slice(x, u, (i, jnp.int32(0))), F(4, 2), F(2, 2), I(1))
case("index.dynamic_update_clamped", "exact", lambda x, u, i: lax.dynamic_update_slice(x, u, (i,)), F(4), F(3), I(3))
case("scatter.set", "exact", lambda x, u, i: x.at[i].set(u, unique_indices=True), F(5), F(3), I(3, 0, 1))
case("scatter.set_scalar", "exact", lambda x, u: x.at[1].set(u), F(3, 2), F())
case("scatter.set_drop", "exact", lambda x, u, i: x.at[i].set(u, mode="drop", unique_indices=True), F(4), F(3), I(1, 9, 3))
case("scatter.add_repeated", "sum", lambda x, u, i: x.at[i].add(u), F(4), F(5), I(0, 0, 2, 0, -1))
case("scatter.add_drop", "sum", lambda x, u, i: x.at[i].add(u, mode="drop"), F(3), F(3), I(1, 8, 1))
case("scatter.add_clip", "sum", lambda x, u, i: x.at[i].add(u, mode="clip"), F(3), F(3), I(1, 8, -9))
case("scatter.add_rows", "sum", lambda x, u, i: x.at[:, i].add(u), F(2, 4), F(2, 3), I(1, 1, 0))
case("scatter.add_points", "sum", lambda x, u, i, j: x.at[i, j].add(u), F(3, 3), F(4), I(0, 0, 2, 0), I(1, 1, 0, 1))
case("scatter.mul", "exact", lambda x, u, i: x.at[i].mul(u, unique_indices=True), F(4), F(2), I(2, 0))
case("scatter.max_unique", "exact", lambda x, u, i: x.at[i].max(u), F(4), F(2), I(2, 0))
case("scatter.min_repeated", "exact", lambda x, u, i: x.at[i].min(u), V(1.0, 0.5, 3.0), V(0.25, 0.75, 2.0, 0.5), I(0, 0, 2, 1))
case("scatter.subtract", "sum", lambda x, u, i: x.at[i].add(-u), F(4), F(2), I(2, 2))
case("scatter.window", "sum", lambda x, u: x.at[1:3, ::2].add(u), F(4, 4), F(2, 2))
case("segment.sum", "sum", lambda x, i: jax.ops.segment_sum(x, i, 3), F(5, 2), I(0, 2, 0, 2, 2))
case("segment.max", "exact", lambda x, i: jax.ops.segment_max(x, i, 3), V(1.0, 2.0, 1.5, 3.0, 0.5), I(0, 2, 0, 2, 1))
case("segment.mean", "sum", lambda x, i: jax.ops.segment_sum(x, i, 3) / jnp.maximum(jax.ops.segment_sum(jnp.ones_like(x), i, 3), 1.0), F(5), I(0, 2, 0, 2, 2))
case("segment.softmax", "sum", lambda x, i: (lambda e: e / jax.ops.segment_sum(e, i, 3)[i])(jnp.exp(x)), F(5), I(0, 2, 0, 2, 2))

# Arguments that are not used, or are no floats.
case("unused.one", "exact", lambda x, y: x * x, F(3), F(2))
case("unused.all", "exact", lambda x, y: jnp.float64(3.0), F(3), F(2))
case("unused.scalar", "elementary", lambda x, y: jnp.sum(jnp.sin(x)), F(3), F())
case("integer.scale", "exact", lambda x, n: x * n, F(3), I(2))
case("integer.wrt", "exact", lambda x, n: x * n, F(3), I(2, 3, 4), wrt=[0, 1], but="vjp_jvp vjp_vjp hessian")
case("integer.only", "exact", lambda n: n * n + 1, I(2, 3, 4))
case("integer.outputs", "exact", lambda x, n: (x * 2, n + 1, x > 0, jnp.argmax(x)), F(3), I(5))
case("integer.through", "exact", lambda x: x.astype(jnp.int32).astype(jnp.float64) * x, F(4, kind="wide"))
case("integer.loop_count", "exact", lambda x, n: lax.fori_loop(0, n, lambda i, v: v * 1.5, x), F(2), I(3),
     oracle=lambda x, n: x * 1.5 ** 3, only="value jvp vmap vjp vmap_jvp", batch=True)
case("boolean.argument", "exact", lambda x, b: jnp.where(b, x, 2 * x), F(3), B(3))
case("boolean.wrt", "exact", lambda x, b: jnp.where(b, x, 2 * x), F(3), B(3), wrt=[0, 1], but="vjp_jvp vjp_vjp")
case("boolean.reduce", "exact", lambda x: jnp.where(jnp.all(x > -1, 1), x[:, 0], x[:, 1]), F(3, 2))
case("wrt.order", "exact", lambda x, y, z: x * y + z, F(2), F(2), F(2), wrt=[2, 0])

# Complex arguments: the holomorphic derivative, and functions between the real and the complex.
for name in "exp sin cos tanh sinh cosh sqrt log".split():
    case(f"complex.{name}", "elementary", getattr(jnp, name), C(3))
case("complex.square", "exact", lambda z: z * z + 2 * z, C(3))
case("complex.divide", "elementary", lambda z, w: z / w, C(3), C(3))
case("complex.cube", "elementary", lambda z: z ** 3, C(3))
case("complex.matmul", "sum", jnp.matmul, C(2, 3), C(3, 2))
case("complex.real_imag", "exact", lambda z: z.real * z.imag, C(3))
case("complex.conj", "exact", lambda z: jnp.conj(z) * z, C(3))
case("complex.abs", "elementary", jnp.abs, C(3))
case("complex.make", "elementary", lambda x, y: jnp.exp(lax.complex(x, y)), F(3), F(3))
case("complex.angle", "elementary", lambda z: jnp.arctan2(z.imag, z.real), C(3))
case("complex.sum_prod", "sum", lambda z: (jnp.sum(z), jnp.prod(z)), C(4))
case("complex.solve", "linalg", linalg.solve, lambda rng: (lambda z: z + 4 * np.eye(3))(C(3, 3)(rng)), C(3, 2))
case("complex.cholesky", "linalg", lambda z: linalg.cholesky(z @ z.conj().T + 2 * jnp.eye(3)), C(3, 3))
case("complex.inv", "linalg", linalg.inv, lambda rng: C(3, 3)(rng) + 4 * np.eye(3))
case("complex.power_spectrum", "sum", lambda x: jnp.sum(jnp.abs(jnp.fft.fft(x)) ** 2 * jnp.arange(6.0)), F(6))

# Branches.
case("cond.scalar", "elementary", lambda p, x: lax.cond(p, jnp.sin, jnp.cos, x), B(), F(3))
case("cond.float", "elementary", lambda x, y: lax.cond(x > 0, lambda: x * y, lambda: jnp.exp(x) + y), F(), F(3))
case("cond.sqrt_guarded", "elementary", lambda x: lax.cond(x > 0, lambda v: jnp.sqrt(jnp.where(v > 0, v, 1.0)), lambda v: 0.0 * v, x), F())
case("cond.nested", "elementary", lambda x, y: lax.cond(x > 0, lambda a, b: lax.cond(b > 0, lambda a, b: a * b, lambda a, b: a / 2, a, b), lambda a, b: a - b * b, x, y), F(), F())
case("cond.none_of_it", "exact", lambda p, x, y: lax.cond(p, lambda: x, lambda: jnp.zeros_like(x)), B(), F(3), F(2))
case("switch.three", "elementary", lambda i, x: lax.switch(i, [jnp.sin, jnp.exp, lambda v: v * v], x), R(3), F(3))
case("switch.clamped", "elementary", lambda i, x: lax.switch(i, [jnp.sin, jnp.exp], x), I(7), F(3))
case("switch.two_results", "elementary", lambda i, x, y: lax.switch(i, [lambda a, b: (a, b), lambda a, b: (b * a, a), lambda a, b: (jnp.sin(a), 2 * b)], x, y), R(3), F(2), F(2))
case("cond.in_scan", "elementary", lambda x: lax.scan(lambda c, v: (lax.cond(v > 0, lambda a, b: a * b, lambda a, b: a + b, c, v), c), 1.0, x), F(5))
case("cond.while_inside", "elementary", lambda p, x: lax.cond(p, lambda v: lax.fori_loop(0, 3, lambda i, u: u * v, v), lambda v: v, x), B(), F(3))
case("select_n", "exact", lambda i, x, y, z: lax.select_n(i, x, y, z), R(3, 4), F(4), F(4), F(4), batch=True)


# Loops. Where the trip count depends on the data JAX has the forward derivative only; the same loop as a scan over the
# longest that may happen is then the oracle of the reverse.
def bounded(cond, body, most):
    """lax.while_loop as a scan of `most` steps; the frozen steps see the state where the loop ended."""
    def loop(init):
        def step(s, _):
            go = cond(s)
            safe = jax.tree.map(lambda v, w: jnp.where(go, v, w), s, init)
            return jax.tree.map(lambda v, w: jnp.where(go, v, w), body(safe), s), None
        return lax.scan(step, init, None, most)[0]
    return loop


def looped(name, family, cond, body, wrap, *args, most=40, **options):
    """wrap(loop, *args) with a loop of unknown length."""
    case(name, family, lambda *a: wrap(lambda s: lax.while_loop(cond, body, s), *a), *args,
         oracle=lambda *a: wrap(bounded(cond, body, most), *a), **options)


looped("while.newton", "elementary", lambda s: jnp.abs(s[0] * s[0] - s[1]) > 1e-6, lambda s: (0.5 * (s[0] + s[1] / s[0]), s[1]),
       lambda loop, x: loop((x * 0.5 + 0.5, x))[0], F(kind="above1"))
looped("while.halve", "exact", lambda s: jnp.max(jnp.abs(s)) > 0.1, lambda s: 0.5 * s, lambda loop, x: loop(x), F(3))
looped("while.counted", "elementary", lambda s: s[0] < s[2], lambda s: (s[0] + 1, jnp.sin(s[1]) * 1.5, s[2]),
       lambda loop, x, n: loop((0, x, n))[1], F(3), I(4), most=8)
looped("while.zero_trips", "exact", lambda s: s[0] < 0, lambda s: (s[0] + 1, s[1] * s[1]), lambda loop, x: loop((0, x))[1], F(3), most=2)
looped("while.collatz_like", "exact", lambda s: (s[0] > 1.0) & (s[1] < 30), lambda s: (jnp.where(s[0] > 3.0, s[0] / 2, s[0] * 0.75), s[1] + 1),
       lambda loop, x: loop((x * x + 1, 0))[0], F(kind="wide"))
looped("while.captured", "elementary", lambda s: s[0] < 5, lambda s: (s[0] + 1, jnp.tanh(s[2] @ s[1]), s[2]),
       lambda loop, w, x: loop((0, x, w))[1], F(3, 3), F(3), most=6)
looped("while.writes", "elementary", lambda s: s[0] < 4, lambda s: (s[0] + 1, s[1].at[s[0]].set(jnp.sin(s[1][s[0] - 1] + s[2])), s[2]),
       lambda loop, x, y: loop((1, x, y))[1], F(5), F(), most=5)
looped("while.norm", "elementary", lambda s: jnp.sum(s[0] ** 2) < 50.0, lambda s: (s[0] * 1.25 + s[1], s[1]),
       lambda loop, x, d: loop((x, d))[0], F(2), V(0.5, 0.25), most=30)
looped("while.gcd_like", "exact", lambda s: s[1] > 0.05, lambda s: (s[1], s[0] - s[1] * jnp.floor(s[0] / s[1])),
       lambda loop, x, y: loop((x, y))[0], F(kind="above1"), F(kind="prob"), most=24, only="value jvp grad vmap")
looped("while.power_iteration", "linalg", lambda s: s[0] < 12, lambda s: (s[0] + 1, (lambda v: v / jnp.sqrt(v @ v))(s[2] @ s[1]), s[2]),
       lambda loop, a: (lambda v: v @ a @ v)(loop((0, jnp.ones(3), a))[1]), S(3, 3), most=14)
looped("while.two_deep", "elementary", lambda s: s[0] < 3,
       lambda s: (s[0] + 1, lax.fori_loop(0, 2, lambda i, v: v * jnp.cos(v), s[1])), lambda loop, x: loop((0, x))[1], F(2), most=4)
case("fori.power", "exact", lambda x: lax.fori_loop(0, 4, lambda i, v: v * x, jnp.ones_like(x)), F(3))
case("fori.index", "elementary", lambda x: lax.fori_loop(0, 5, lambda i, s: s + jnp.sin(x[i]) * i, 0.0), F(5))
case("fori.write", "sum", lambda x: lax.fori_loop(1, 5, lambda i, v: v.at[i].add(0.5 * v[i - 1]), x), F(5))
case("fori.down", "elementary", lambda x: lax.fori_loop(0, 4, lambda i, v: jnp.cos(v) + x[3 - i], 0.0), F(4))
case("fori.matrix", "sum", lambda a, x: lax.fori_loop(0, 4, lambda i, v: a @ v, x), F(2, 2), F(2))
case("fori.long", "elementary", lambda x: lax.fori_loop(0, 200, lambda i, v: v + 0.01 * jnp.sin(v), x), F(2))
case("fori.logistic", "elementary", lambda r, x: lax.fori_loop(0, 10, lambda i, v: r * v * (1 - v), x), F(kind="above1"), F(kind="prob"))

# Scans.
case("scan.cumulative", "sum", lambda x: lax.scan(lambda c, v: (c + v * c, c * v), 1.0, x), F(5))
case("scan.reverse", "elementary", lambda c, x: lax.scan(lambda c, v: (jnp.tanh(c + v), c * v), c, x, reverse=True), F(2), F(4, 2))
case("scan.length", "elementary", lambda c: lax.scan(lambda c, _: (jnp.sin(c), c), c, None, 4), F(2))
case("scan.integers", "exact", lambda x, k: lax.scan(lambda c, v: ((c[0] * v[0], c[1] + v[1]), c[0] * c[1]), (1.0, 1), (x, k)), F(4), I(1, 2, 3, 4))
case("scan.nested", "elementary", lambda x: lax.scan(lambda c, r: lax.scan(lambda d, v: (jnp.sin(d * v), d), c, r), 0.5, x), F(3, 2))
case("scan.matrices", "sum", lambda m, v: lax.scan(lambda c, a: (a @ c, c.sum()), v, m), F(3, 2, 2), F(2))
case("scan.associative", "sum", lambda a, b: lax.associative_scan(lambda p, q: (p[0] * q[0], p[1] * q[0] + q[1]), (a, b)), F(6), F(6))
case("scan.rnn", "elementary", lambda w, u, b, x: lax.scan(lambda h, v: (lambda n: (n, n))(jnp.tanh(w @ h + u @ v + b)), jnp.zeros(2), x)[1], F(2, 2), F(2, 3), F(2), F(4, 3))
case("scan.lstm", "elementary", lambda w, x: jnp.sum(lax.scan(lambda s, v: (lambda z: (lambda c: ((lax.logistic(z[6:8]) * jnp.tanh(c), c), s[0]))(
    lax.logistic(z[:2]) * s[1] + lax.logistic(z[2:4]) * jnp.tanh(z[4:6])))(w @ jnp.concatenate([s[0], v])), (jnp.zeros(2), jnp.zeros(2)), x)[0][0]), F(8, 4), F(4, 2))
case("scan.gru", "elementary", lambda w, x: lax.scan(lambda h, v: (lambda z, r: (lambda n: ((1 - z) * n + z * h, n))(jnp.tanh(w[4:6] @ jnp.concatenate([r * h, v]))))(
    lax.logistic(w[:2] @ jnp.concatenate([h, v])), lax.logistic(w[2:4] @ jnp.concatenate([h, v]))), jnp.zeros(2), x)[0], F(6, 4), F(3, 2))
case("scan.hmm", "sum", lambda t, e, o: special.logsumexp(lax.scan(lambda a, k: (special.logsumexp(a[:, None] + t, 0) + e[:, k], None), e[:, 0], o)[0]), F(3, 3), F(3, 4), R(4, 5))
case("scan.viterbi", "exact", lambda t, e, o: jnp.max(lax.scan(lambda a, k: (jnp.max(a[:, None] + t, 0) + e[:, k], None), e[:, 0], o)[0]), F(3, 3), F(3, 4), R(4, 5))
case("scan.kalman", "linalg", lambda a, q, y: lax.scan(lambda s, v: (lambda m, p: (lambda k: ((m + k * (v - m[0]), p - jnp.outer(k, p[0])), (v - m[0]) ** 2 / (p[0, 0] + 0.5)))(
    p[:, 0] / (p[0, 0] + 0.5)))(a @ s[0], a @ s[1] @ a.T + q), (jnp.zeros(2), jnp.eye(2)), y)[1].sum(), F(2, 2), S(2, 2), F(4))


def soft_dtw(x, y):
    """The last cell of a table of soft minima, a row a step."""
    def row(above, a):
        def cell(left, t):
            v = t[2] - special.logsumexp(-jnp.stack([left, t[0], t[1]]))
            return v, v
        cells = lax.scan(cell, 10.0, (above[:-1], above[1:], (a - y) ** 2))[1]
        return jnp.concatenate([jnp.full(1, 10.0), cells]), None
    return lax.scan(row, jnp.concatenate([jnp.zeros(1), jnp.full(y.shape, 10.0)]), x)[0][-1]


case("scan.soft_dtw", "sum", soft_dtw, F(3), F(3))
case("scan.horner", "exact", lambda c, x: lax.scan(lambda a, k: (a * x + k, None), jnp.zeros_like(x), c)[0], F(4), F(3))
case("scan.ema", "sum", lambda x, d: lax.scan(lambda c, v: (d * c + (1 - d) * v,) * 2, x[0], x)[1], F(6), F(kind="prob"))
case("map.rows", "elementary", lambda x, w: lax.map(lambda r: jnp.tanh(r @ w), x), F(3, 2), F(2))


# Integrators.
def rk4(f, y, dt):
    a = f(y)
    b = f(y + dt / 2 * a)
    c = f(y + dt / 2 * b)
    return y + dt / 6 * (a + 2 * b + 2 * c + f(y + dt * c))


def lotka(p):
    return lambda y: jnp.stack([y[0] * (p[0] - p[1] * y[1]), y[1] * (p[2] * y[0] - p[3])])


case("ode.rk4_predator", "elementary", lambda p, y: lax.fori_loop(0, 12, lambda i, y: rk4(lotka(p), y, 0.1), y), F(4, kind="prob"), F(2, kind="pos"))
case("ode.euler_decay", "exact", lambda k, y: lax.fori_loop(0, 16, lambda i, y: y - k * y * 0.0625, y), F(), F(2))
case("ode.leapfrog", "elementary", lambda q, p: lax.fori_loop(0, 10, lambda i, s: (lambda h: (lambda x: (x, h - 0.05 * jnp.sin(x)))(s[0] + 0.1 * h))(s[1] - 0.05 * jnp.sin(s[0])), (q, p)), F(2), F(2))
case("ode.kepler", "elementary", lambda q, p: lax.fori_loop(0, 20, lambda i, s: (lambda x: (x, s[1] - 0.05 * x / jnp.sum(x * x) ** 1.5))(s[0] + 0.05 * s[1]), (q, p)), V(1.0, 0.25), V(0.125, 1.0))
case("ode.lorenz", "elementary", lambda p, y: lax.scan(lambda y, _: (rk4(lambda y: jnp.stack([p[0] * (y[1] - y[0]), y[0] * (p[1] - y[2]) - y[1], y[0] * y[1] - p[2] * y[2]]), y, 0.02), y), y, None, 6), V(10.0, 28.0, 2.5), F(3))
case("ode.pendulum_energy", "elementary", lambda t, l: (lambda s: 0.5 * (l * s[1]) ** 2 - 9.75 * l * jnp.cos(s[0]))(lax.fori_loop(0, 15, lambda i, s: s + 0.03 * jnp.stack([s[1], -9.75 / l * jnp.sin(s[0])]), jnp.stack([t, 0.0 * t]))), F(), F(kind="above1"))
case("ode.heat", "sum", lambda u, k: lax.fori_loop(0, 8, lambda i, u: u + k * (jnp.roll(u, 1) - 2 * u + jnp.roll(u, -1)), u), F(6), F(kind="prob"))
case("ode.heat_2d", "sum", lambda u: lax.fori_loop(0, 4, lambda i, u: u.at[1:-1, 1:-1].add(0.125 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])), u), F(4, 4))
case("ode.wave", "sum", lambda u: lax.scan(lambda s, _: ((s[1], 2 * s[1] - s[0] + 0.25 * (jnp.roll(s[1], 1) - 2 * s[1] + jnp.roll(s[1], -1))), s[1][0]), (u, u), None, 5)[1], F(5))
case("ode.neural", "elementary", lambda w, v, y: lax.fori_loop(0, 5, lambda i, y: rk4(lambda y: v @ jnp.tanh(w @ y), y, 0.2), y).sum(), F(3, 2), F(2, 3), F(2))
case("ode.implicit", "elementary", lambda k, y: lax.fori_loop(0, 5, lambda i, y: lax.fori_loop(0, 4, lambda j, z: z - (z - y + 0.1 * k * z ** 3) / (1 + 0.3 * k * z * z), y), y), F(kind="pos"), F(2, kind="pos"))
looped("ode.adaptive", "elementary", lambda s: (s[0] < 1.0) & (s[3] < 60),
       lambda s: (lambda h, y: (lambda full, half: (lambda e: jax.tree.map(lambda a, b: jnp.where(e < 1e-3, a, b), (s[0] + h, half, jnp.minimum(h * 1.5, 0.25), s[3] + 1), (s[0], y, h * 0.5, s[3] + 1)))(
           jnp.abs(full - half)))(y - h * jnp.sin(y) * 2, (lambda m: m - h / 2 * jnp.sin(m) * 2)(y - h / 2 * jnp.sin(y) * 2)))(s[2], s[1]),
       lambda loop, y: loop((0.0, y, 0.125, 0))[1], F(kind="pos"), most=60)
looped("ode.event", "elementary", lambda s: s[1] > 0.0, lambda s: (s[0] + 0.05 * s[2], s[1] + 0.05 * s[3], s[2], s[3] - 0.05 * 9.75),
       lambda loop, v: loop((0.0 * v[0], 0.01 + 0.0 * v[0], v[0], v[1]))[0], F(2, kind="above1"), most=40)

# Convolution.
for name, shape, kernel, spec, options in (
        ("plain", (1, 2, 5), (3, 2, 3), ("NCH", "OIH", "NCH"), dict(window_strides=(1,), padding="VALID")),
        ("same_strided", (1, 2, 6), (2, 2, 3), ("NCH", "OIH", "NCH"), dict(window_strides=(2,), padding="SAME")),
        ("rhs_dilated", (1, 1, 7), (2, 1, 3), ("NCH", "OIH", "NCH"), dict(window_strides=(1,), padding=[(2, 1)], rhs_dilation=(2,))),
        ("lhs_dilated", (1, 2, 4), (1, 2, 3), ("NCH", "OIH", "NCH"), dict(window_strides=(1,), padding=[(1, 2)], lhs_dilation=(2,))),
        ("both_dilated_strided", (1, 1, 5), (1, 1, 3), ("NCH", "OIH", "NCH"), dict(window_strides=(2,), padding=[(3, 2)], lhs_dilation=(2,), rhs_dilation=(2,))),
        ("feature_groups", (1, 4, 4), (4, 2, 2), ("NCH", "OIH", "NCH"), dict(window_strides=(1,), padding="VALID", feature_group_count=2)),
        ("depthwise", (2, 5, 3), (2, 1, 3), ("NHC", "HIO", "NHC"), dict(window_strides=(1,), padding="SAME", feature_group_count=3)),
        ("batch_groups", (4, 2, 4), (4, 2, 2), ("NCH", "OIH", "NCH"), dict(window_strides=(1,), padding="VALID", batch_group_count=2)),
        ("negative_padding", (1, 1, 6), (1, 1, 2), ("NCH", "OIH", "NCH"), dict(window_strides=(1,), padding=[(-1, -2)])),
        ("two_d", (1, 2, 4, 4), (2, 2, 3, 2), ("NCHW", "OIHW", "NCHW"), dict(window_strides=(2, 1), padding=[(1, 0), (0, 1)])),
        ("two_d_nhwc", (1, 4, 3, 2), (2, 2, 2, 3), ("NHWC", "HWIO", "NHWC"), dict(window_strides=(1, 2), padding="SAME", rhs_dilation=(2, 1))),
        ("three_d", (1, 1, 3, 3, 2), (1, 1, 2, 2, 2), ("NCDHW", "OIDHW", "NCDHW"), dict(window_strides=(1, 1, 1), padding="VALID"))):
    case(f"conv.{name}", "sum", lambda x, w, spec=spec, options=options: lax.conv_general_dilated(x, w, dimension_numbers=spec, **options), F(*shape), F(*kernel))
case("conv.transposed", "sum", lambda x, w: lax.conv_transpose(x, w, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")), F(1, 2, 3, 2), F(2, 3, 2, 1))
case("conv.local", "sum", lambda x: lax.conv_general_dilated_patches(x, (2,), (1,), "VALID", dimension_numbers=("NCH", "OIH", "NCH")), F(1, 2, 4))

# Pooling and windows.
case("pool.max", "exact", lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"), F(1, 4, 4, 1))
case("pool.max_overlapping", "exact", lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (3,), (2,), [(1, 1)]), F(7))
case("pool.min", "exact", lambda x: lax.reduce_window(x, jnp.inf, lax.min, (2, 2), (1, 1), "SAME"), F(3, 3))
case("pool.sum_dilated", "sum", lambda x: lax.reduce_window(x, 0.0, lax.add, (2, 2), (1, 2), "VALID", window_dilation=(2, 1)), F(4, 4))
case("pool.sum_base_dilated", "sum", lambda x: lax.reduce_window(x, 0.0, lax.add, (3,), (1,), [(1, 1)], base_dilation=(2,)), F(4))
case("pool.average_same", "sum", lambda x: lax.reduce_window(x, 0.0, lax.add, (3,), (2,), "SAME") / lax.reduce_window(jnp.ones_like(x), 0.0, lax.add, (3,), (2,), "SAME"), F(6))
case("pool.lp", "elementary", lambda x: lax.reduce_window(x ** 4, 0.0, lax.add, (2,), (1,), "VALID") ** 0.25, F(5, kind="pos"))
case("pool.logsumexp", "sum", lambda x: jnp.log(lax.reduce_window(jnp.exp(x), 0.0, lax.add, (3,), (1,), "VALID")), F(6))
case("pool.global_average", "sum", lambda x: jnp.mean(x, (1, 2)), F(2, 3, 3, 2))

# Sums along an axis, sorting, reductions by a function.
for name in "cumsum cumprod cummax cummin cumlogsumexp".split():
    case(f"cumulative.{name}_reverse", "sum", lambda x, f=getattr(lax, name): f(x, 1, reverse=True), F(2, 3))
case("reduce.custom", "elementary", lambda x: lax.reduce(x, 0.0, lambda a, b: a + b + a * b, (1,)), F(2, 3), only="value vmap vmap_axes")
case("reduce.two", "exact", lambda x, y: lax.reduce((x, y), (-jnp.inf, 0.0), lambda a, b: tuple(jnp.where(a[0] >= b[0], u, v) for u, v in zip(a, b)), (1,)), F(2, 4), F(2, 4), only="value vmap vmap_axes")
case("reduce.max_axes", "exact", lambda x: jnp.max(x, (0, 2)), F(2, 3, 2))
case("reduce.prod_axes", "sum", lambda x: jnp.prod(x, (0, 2)), F(2, 3, 2))
case("reduce.weighted", "sum", lambda x, w: jnp.sum(x * w, 0) / jnp.sum(w, 0), F(3, 2), F(3, 2, kind="pos"))
case("reduce.var", "sum", lambda x: jnp.var(x, -1), F(2, 4))
case("reduce.quantiles", "sum", lambda x: jnp.quantile(x, jnp.array([0.25, 0.9])), F(5))
case("reduce.trimmed", "sum", lambda x: jnp.mean(jnp.sort(x)[1:-1]), F(6))
case("dot.batched", "sum", lambda x, y: lax.dot_general(x, y, (((2,), (1,)), ((0,), (0,)))), F(2, 2, 3), F(2, 3, 2))
case("dot.two_contracted", "sum", lambda x, y: jnp.tensordot(x, y, 2), F(2, 2, 3), F(2, 3, 2))
case("dot.three", "sum", lambda x, y, z: jnp.einsum("ij,jk,kl->il", x, y, z), F(2, 3), F(3, 2), F(2, 2))
case("dot.quadratic", "sum", lambda x, a: x @ a @ x, F(3), F(3, 3))
case("dot.chain", "elementary", lambda a, b, c: jnp.sum(jnp.tanh(a @ b) @ c), F(2, 3), F(3, 2), F(2, 2))
case("shape.moves", "exact", lambda x: jnp.flip(jnp.swapaxes(jnp.expand_dims(x, 1), 0, 2), 0).reshape(-1), F(2, 3))
case("shape.broadcast", "exact", lambda x, y: x[:, None] * y[None, :] + x[0], F(3), F(2))
case("shape.pad_interior", "exact", lambda x, v: lax.pad(x, v, ((1, -1, 2), (0, 2, 0))), F(3, 2), F())
case("shape.concatenate", "exact", lambda x, y: jnp.concatenate([x, y * 2, x], 1), F(2, 1), F(2, 2))
case("shape.meshgrid", "exact", lambda x, y: jnp.meshgrid(x, y), F(2), F(3))
case("shape.rot_tile", "exact", lambda x: jnp.tile(jnp.rot90(x), (2, 1)), F(2, 3))
case("shape.triangle", "exact", lambda x: jnp.tril(x) @ jnp.triu(x, 1), F(3, 3))
case("shape.diagonal", "exact", lambda x, d: jnp.diag(d) @ x + jnp.diag(jnp.diagonal(x)), F(3, 3), F(3))
case("shape.roll_traced", "exact", lambda x, n: jnp.roll(x, n), F(5), I(2))
case("shape.interp", "sum", lambda x, xp, fp: jnp.interp(x, jnp.cumsum(jnp.abs(xp) + 0.5), fp), F(4), F(5), F(5))

# Fourier.
case("fft.fft", "fft", jnp.fft.fft, C(4))
case("fft.ifft", "fft", jnp.fft.ifft, C(2, 5))
case("fft.rfft", "fft", jnp.fft.rfft, F(6))
case("fft.rfft_odd", "fft", jnp.fft.rfft, F(5))
case("fft.irfft", "fft", jnp.fft.irfft, C(4))
case("fft.irfft_odd", "fft", lambda z: jnp.fft.irfft(z, 5), C(3))
case("fft.fft2", "fft", jnp.fft.fft2, C(2, 3))
case("fft.rfft2", "fft", jnp.fft.rfft2, F(3, 4))
case("fft.filter", "fft", lambda x, h: jnp.fft.irfft(jnp.fft.rfft(x) * jnp.fft.rfft(h), 6), F(6), F(6))
case("fft.real_of_real", "fft", lambda x: jnp.fft.fft(x).real, F(4))

# Linear algebra.
case("linalg.cholesky_batched", "linalg", linalg.cholesky, S(2, 3, 3))
case("linalg.cholesky_logdet", "linalg", lambda a: 2 * jnp.sum(jnp.log(jnp.diagonal(linalg.cholesky(a)))), S(3, 3))
case("linalg.gaussian_nll", "linalg", lambda a, x: (lambda l, z: 0.5 * z @ z + jnp.sum(jnp.log(jnp.diagonal(l))))(linalg.cholesky(a), jax.scipy.linalg.solve_triangular(linalg.cholesky(a), x, lower=True)), S(3, 3), F(3))
case("linalg.qr_tall", "linalg", linalg.qr, F(4, 2))
case("linalg.qr_batched", "linalg", lambda a: linalg.qr(a)[1], W(2, 3, 3))
case("linalg.eigh_vectors", "linalg", lambda a: (lambda w, v: v * jnp.sign(v[:1]))(*linalg.eigh(a)), S(3, 3))
case("linalg.eigh_sum", "linalg", lambda a: jnp.sum(linalg.eigvalsh(a) * jnp.arange(3.0)), S(3, 3))
case("linalg.sqrtm", "linalg", lambda a: (lambda w, v: (v * jnp.sqrt(w)) @ v.T)(*linalg.eigh(a)), S(3, 3))
case("linalg.svd_wide", "linalg", lambda a: (lambda u, s, v: (s, (u * s) @ v))(*linalg.svd(a, full_matrices=False)), F(2, 4))
case("linalg.svd_tall", "linalg", lambda a: linalg.svd(a, full_matrices=False)[1], F(4, 2))
case("linalg.nuclear", "linalg", lambda a: jnp.sum(linalg.svdvals(a)), F(3, 2))
case("linalg.solve_batched", "linalg", linalg.solve, W(2, 3, 3), F(2, 3, 2))
case("linalg.solve_vector", "linalg", linalg.solve, W(3, 3), F(3))
case("linalg.logdet", "linalg", lambda a: linalg.slogdet(a)[1], W(2, 3, 3))
case("linalg.det_singular_free", "linalg", linalg.det, W(2, 2))
case("linalg.inv_batched", "linalg", linalg.inv, W(2, 2, 2))
case("linalg.lu_batched", "linalg", lambda a: lax.linalg.lu(a)[0], W(2, 3, 3))
case("linalg.lu_solve", "linalg", lambda a, b: jax.scipy.linalg.lu_solve(jax.scipy.linalg.lu_factor(a), b), W(3, 3), F(3))
case("linalg.cho_solve", "linalg", lambda a, b: jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor(a), b), S(3, 3), F(3, 2))
for left in (True, False):
    for lower in (True, False):
        for transposed, unit in ((False, False), (True, False), (False, True)):
            case(f"linalg.trsm_{'left' if left else 'right'}_{'lower' if lower else 'upper'}{'_transposed' if transposed else ''}{'_unit' if unit else ''}", "linalg",
                 lambda a, b, o=dict(left_side=left, lower=lower, transpose_a=transposed, unit_diagonal=unit): lax.linalg.triangular_solve(a, b, **o),
                 W(3, 3), F(3, 2) if left else F(2, 3))
case("linalg.trsm_batched", "linalg", lambda a, b: lax.linalg.triangular_solve(a, b, left_side=True, lower=True), W(2, 2, 2), F(2, 2, 3))
case("linalg.expm", "linalg", lambda a: jax.scipy.linalg.expm(a * 0.25), F(2, 2))
case("linalg.matrix_power_inverse", "linalg", lambda a: linalg.matrix_power(a, -2), W(3, 3))
case("linalg.pinv_tall", "linalg", linalg.pinv, F(3, 2))
case("linalg.least_squares", "linalg", lambda a, b: linalg.solve(a.T @ a + 0.1 * jnp.eye(2), a.T @ b), F(4, 2), F(4))
case("linalg.newton_step", "linalg", lambda x: x - linalg.solve(jnp.outer(x, x) + 3 * jnp.eye(3), x ** 3), F(3))
case("linalg.gp", "linalg", lambda x, y, l: (lambda k: 0.5 * y @ linalg.solve(k, y) + 0.5 * linalg.slogdet(k)[1])(jnp.exp(-0.5 * ((x[:, None] - x) / l) ** 2) + 0.25 * jnp.eye(4)), F(4), F(4), F(kind="above1"))
case("linalg.tridiagonal", "linalg", lambda d, e, b: linalg.solve(jnp.diag(d) + jnp.diag(e, 1) + jnp.diag(e, -1), b), F(4, kind="big"), F(3, kind="prob"), F(4))
case("linalg.householder_product", "linalg", lambda a: (lambda q: q @ q.T)(linalg.qr(a)[0]), F(3, 2))
case("linalg.rayleigh", "sum", lambda a, x: (x @ a @ x) / (x @ x), S(3, 3), F(3))
case("linalg.cross_norm", "elementary", lambda x, y: jnp.sqrt(jnp.sum(jnp.cross(x, y) ** 2) + 1.0), F(3), F(3))

# Special functions that jax_functions.py lacks or that want other arguments.
case("special.lgamma_negative", "special", special.gammaln, V(-0.5, -1.5, -2.25))
case("special.digamma_negative", "special", special.digamma, V(-0.5, -1.25, 6.0))
case("special.polygamma_orders", "special", lambda x: (special.polygamma(1, x), special.polygamma(3, x)), F(3, kind="pos"))
case("special.bessel_j", "special", lambda x: special.bessel_jn(x, v=2)[:2], F(3, kind="pos"), only="value vmap jvp vjp")
case("special.erf_inv_tails", "special", lax.erf_inv, V(0.999, -0.9, 1e-8))
case("special.gammainc_x", "special", lambda x: special.gammainc(2.5, x), F(3, kind="pos"))
case("special.gammaincc_x", "special", lambda x: special.gammaincc(1.25, x), F(3, kind="pos"))
case("special.betainc_x", "special", lambda x: special.betainc(1.5, 2.5, x), F(3, kind="prob"))
case("special.zeta_q", "special", lambda q: special.zeta(2.5, q), F(3, kind="pos"))
case("special.log_ndtr_tail", "special", special.log_ndtr, V(-12.0, -3.0, 0.5))
case("special.lbeta", "special", special.betaln, F(3, kind="pos"), F(3, kind="pos"))
case("special.student_t", "special", lambda x, n: special.gammaln((n + 1) / 2) - special.gammaln(n / 2) - 0.5 * jnp.log(n) - (n + 1) / 2 * jnp.log1p(x * x / n), F(3), F(3, kind="above1"))
case("special.dirichlet", "special", lambda a, x: special.gammaln(a.sum()) - special.gammaln(a).sum() + ((a - 1) * jnp.log(x)).sum(), F(3, kind="pos"), F(3, kind="prob"))
case("special.poisson", "special", lambda m, k: k * jnp.log(m) - m - special.gammaln(k + 1.0), F(3, kind="pos"), I(0, 2, 5))

# Layers, attention, losses.
case("nn.mlp", "elementary", lambda w, b, v, c, x: jnp.tanh(x @ w + b) @ v + c, F(3, 4), F(4), F(4, 2), F(2), F(2, 3))
case("nn.mlp_loss", "elementary", lambda w, b, v, x, y: jnp.mean((jnp.tanh(x @ w + b) @ v - y) ** 2), F(2, 3), F(3), F(3), F(4, 2), F(4))
case("nn.layer_norm", "sum", lambda x, g, b: (lambda m: (x - m) / jnp.sqrt(jnp.var(x, -1, keepdims=True) + 1e-5) * g + b)(jnp.mean(x, -1, keepdims=True)), F(2, 4), F(4), F(4))
case("nn.rms_norm", "sum", lambda x, g: x / jnp.sqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * g, F(2, 4), F(4))
case("nn.batch_norm", "sum", lambda x, g, b: (x - x.mean(0)) / jnp.sqrt(x.var(0) + 1e-5) * g + b, F(4, 2), F(2), F(2))
case("nn.batch_norm_inference", "sum", lambda x, m, v: (x - m) * lax.rsqrt(v + 1e-5), F(3, 2), F(2), F(2, kind="pos"))
case("nn.group_norm", "sum", lambda x: (lambda g: ((g - g.mean((1, 3), keepdims=True)) / jnp.sqrt(g.var((1, 3), keepdims=True) + 1e-5)).reshape(x.shape))(x.reshape(2, 2, 2, 2)), F(2, 2, 4))
case("nn.softmax_cross_entropy", "sum", lambda z, y: -jnp.mean(jnp.take_along_axis(nn.log_softmax(z), y[:, None], 1)), F(3, 4), R(4, 3))
case("nn.smoothed_cross_entropy", "sum", lambda z, y: -jnp.mean(jnp.sum(nn.log_softmax(z) * (0.9 * nn.one_hot(y, 4) + 0.025), 1)), F(3, 4), R(4, 3))
case("nn.bce_logits", "sum", lambda z, y: jnp.mean(jnp.maximum(z, 0) - z * y + jnp.log1p(jnp.exp(-jnp.abs(z)))), F(4), F(4, kind="prob"))
case("nn.focal", "sum", lambda z, y: -jnp.sum(y * (1 - nn.sigmoid(z)) ** 2 * nn.log_sigmoid(z)), F(4), F(4, kind="prob"))
case("nn.kl", "sum", lambda p, q: jnp.sum(nn.softmax(p) * (nn.log_softmax(p) - nn.log_softmax(q))), F(4), F(4))
case("nn.cosine", "sum", lambda x, y: jnp.sum(x * y) / jnp.sqrt(jnp.sum(x * x) * jnp.sum(y * y)), F(3), F(3))
case("nn.info_nce", "sum", lambda x, y: -jnp.mean(jnp.diagonal(nn.log_softmax(x @ y.T))), F(3, 2), F(3, 2))
case("nn.triplet", "sum", lambda a, p, n: jnp.mean(jnp.maximum(jnp.sum((a - p) ** 2, 1) - jnp.sum((a - n) ** 2, 1) + 0.5, 0.0)), F(2, 3), F(2, 3), F(2, 3))
case("nn.mae_mse", "sum", lambda x, y: (jnp.mean(jnp.abs(x - y)), jnp.mean((x - y) ** 2)), F(4), F(4))
case("nn.log_cosh", "elementary", lambda x: jnp.sum(jnp.logaddexp(x, -x) - jnp.log(2.0)), F(4))
case("nn.gelu_erf", "special", lambda x: nn.gelu(x, approximate=False), F(4))
case("nn.gelu_tanh", "elementary", lambda x: nn.gelu(x, approximate=True), F(4))
case("nn.swiglu", "elementary", lambda x, g, u, d: (nn.silu(x @ g) * (x @ u)) @ d, F(2, 2), F(2, 3), F(2, 3), F(3, 2))
case("nn.attention", "sum", lambda q, k, v: nn.softmax(q @ k.T / 2.0) @ v, F(3, 4), F(3, 4), F(3, 2))
case("nn.attention_causal", "sum", lambda q, k, v: nn.softmax(jnp.where(jnp.tril(jnp.ones((3, 3), bool)), q @ k.T / 2.0, -jnp.inf)) @ v, F(3, 4), F(3, 4), F(3, 2))
case("nn.attention_padded", "sum", lambda q, k, v, n: nn.softmax(jnp.where(jnp.arange(4) < n, q @ k.T, -1e9)) @ v, F(2, 2), F(4, 2), F(4, 2), I(2))
case("nn.attention_heads", "sum", lambda x, w, o: (lambda q, k, v: jnp.einsum("hij,jhd->ihd", nn.softmax(jnp.einsum("ihd,jhd->hij", q, k)), v).reshape(3, 4) @ o)(*(jnp.einsum("id,dhe->ihe", x, a) for a in w)), F(3, 4), F(3, 4, 2, 2), F(4, 4))
case("nn.attention_grouped", "sum", lambda q, k, v: nn.dot_product_attention(q, k, v), F(1, 2, 4, 2), F(1, 3, 2, 2), F(1, 3, 2, 2))
case("nn.rope", "elementary", lambda x, f: (lambda t: jnp.concatenate([x[:, :2] * jnp.cos(t) - x[:, 2:] * jnp.sin(t), x[:, 2:] * jnp.cos(t) + x[:, :2] * jnp.sin(t)], 1))(jnp.arange(3.0)[:, None] * f), F(3, 4), F(2))
case("nn.transformer_block", "sum", lambda x, w, a, b: (lambda n: (lambda h: h + nn.relu(n(h) @ a) @ b)(x + (lambda q: nn.softmax(q @ q.T) @ (n(x) @ w[1]))(n(x) @ w[0])))(lambda v: v / jnp.sqrt(jnp.mean(v * v, -1, keepdims=True) + 1e-6)), F(3, 2), F(2, 2, 2), F(2, 4), F(4, 2))
case("nn.moe", "sum", lambda x, g, w: (lambda p, i: jnp.einsum("tk,tkd->td", nn.softmax(p), jnp.einsum("td,tkde->tke", x, w[i])))(*lax.top_k(x @ g, 2)), F(2, 2), F(2, 3), F(3, 2, 2))
case("nn.convnet", "sum", lambda x, w, v: jnp.mean(lax.reduce_window(jnp.tanh(lax.conv_general_dilated(x, w, (1, 1), "SAME")), -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID").reshape(1, -1) @ v), F(1, 1, 4, 4), F(2, 1, 3, 3), F(8, 2))
case("nn.embedding_bag", "sum", lambda t, i, w: jnp.einsum("bk,bkd->bd", w, t[i]), F(5, 2), R(5, 2, 3), F(2, 3))
case("nn.sparsemax", "sum", lambda z: (lambda s: (lambda k: jnp.maximum(z - (jnp.cumsum(s)[k] - 1) / (k + 1), 0))(jnp.sum(1 + jnp.arange(1, 5) * s > jnp.cumsum(s)) - 1))(-jnp.sort(-z)), F(4))
case("nn.dropout", "exact", lambda k, x: jnp.where(jax.random.bernoulli(jax.random.wrap_key_data(k), 0.75, x.shape), x / 0.75, 0.0), lambda rng: rng.integers(0, 2 ** 32, 2).astype(np.uint32), F(2, 3))
case("nn.reparameterised", "elementary", lambda k, m, s: m + jnp.exp(s) * jax.random.normal(jax.random.wrap_key_data(k), m.shape, m.dtype), lambda rng: rng.integers(0, 2 ** 32, 2).astype(np.uint32), F(3), F(3))
case("nn.gumbel_softmax", "special", lambda k, z: nn.softmax(z + jax.random.gumbel(jax.random.wrap_key_data(k), z.shape, z.dtype)), lambda rng: rng.integers(0, 2 ** 32, 2).astype(np.uint32), F(4))
case("nn.sinkhorn", "sum", lambda c: jnp.sum(c * jnp.exp(lax.fori_loop(0, 4, lambda i, l: (lambda r: r - special.logsumexp(r, 0, keepdims=True))(l - special.logsumexp(l, 1, keepdims=True)), -c))), F(3, 3))
case("nn.graph_conv", "sum", lambda x, w, s, d: jax.ops.segment_sum((x @ w)[s], d, 4), F(4, 2), F(2, 3), R(4, 6), R(4, 6))
case("nn.adam_step", "elementary", lambda w, m, v, g: (lambda a, b: (w - 0.01 * a / (jnp.sqrt(b) + 1e-8), a, b))(0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g * g), F(3), F(3), F(3, kind="pos"), F(3))
case("nn.bilinear_sample", "sum", lambda img, p: (lambda y, x: (lambda i, j, a, b: img[i, j] * (1 - a) * (1 - b) + img[i, j + 1] * (1 - a) * b + img[i + 1, j] * a * (1 - b) + img[i + 1, j + 1] * a * b)(
    jnp.floor(y).astype(int), jnp.floor(x).astype(int), y - jnp.floor(y), x - jnp.floor(x)))(p[:, 0], p[:, 1]), F(4, 4), F(3, 2, kind="prob"))

# Other dtypes: rules that compute in them, and conversions between them.
for short, dtype in (("f32", "float32"), ("bf16", "bfloat16"), ("f16", "float16")):
    for name, fn, args in (("tanh", jnp.tanh, (F(3, dtype=dtype),)), ("matmul", jnp.matmul, (F(2, 3, dtype=dtype), F(3, 2, dtype=dtype))),
                           ("softmax", nn.softmax, (F(2, 3, dtype=dtype),)), ("mlp", lambda w, x: jnp.sum(jnp.tanh(x @ w)), (F(3, 2, dtype=dtype), F(2, 3, dtype=dtype))),
                           ("max", lambda x: jnp.max(x, 0), (F(3, 2, dtype=dtype),)), ("scan", lambda x: lax.scan(lambda c, v: (c * v + 1, c), jnp.ones((), x.dtype), x)[0], (F(4, dtype=dtype),))):
        case(f"{short}.{name}", "low", fn, *args)
case("convert.f32_inside", "exact", lambda x: (x.astype(jnp.float32) * 2).astype(jnp.float64) + x, F(3))
case("convert.mixed_loss", "low", lambda w, x: jnp.sum((w.astype(jnp.bfloat16) @ x).astype(jnp.float32) ** 2), F(2, 2, dtype="float32"), F(2, dtype="bfloat16"), only="value vmap jvp grad")
case("convert.bitcast", "exact", lambda x: lax.bitcast_convert_type(lax.bitcast_convert_type(x, jnp.int64), jnp.float64) + x, F(3))
case("convert.real_to_complex", "exact", lambda x: (x.astype(jnp.complex128) * (1 + 2j)).imag, F(3))


# Whole programs, also beside their arguments that are data.
for name, (fn, wrt, small, _) in PROGRAMS.items():
    def drawn_together(i, small=small):
        return lambda rng: small(rng)[i]
    case(f"program.{name}", "program", fn, *[drawn_together(i) for i in range(len(small(np.random.default_rng(0))))], wrt=list(wrt),
         but="vjp_vmap vmap_jvp" if name != "ba" else "")
