"""Writes tests/ref/ops/nn_*.json: what the named ops of networks must give, from JAX in float64 (and the same rounded to f32).

    python tests/oracle/ref_nn.py tests/ref/ops

Every case's inputs are drawn in the case's own type; the expected values are JAX's at float64 of those inputs, rounded
once. Where JAX has no such function the formula is written out here in numpy, beside the case.
"""
import json, sys
import numpy as np
import jax

jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
import scipy.special
from jax import lax
from importlib.metadata import version

SEED = 20260711
NP = {"i1": np.uint8, "i32": np.int32, "ui32": np.uint32, "ui8": np.uint8, "i64": np.int64, "f32": np.float32, "f64": np.float64}
FLOATS = ("f32", "f64")


def tensor(dtype, values):
    a = np.asarray(values)
    with np.errstate(all="ignore"):
        raw = np.ravel(a).astype(NP[dtype])
    return {"type": dtype, "dims": list(a.shape), "data": raw.tobytes().hex()}


class Group:
    """The cases of one file."""

    def __init__(self, name):
        self.name, self.cases, self.rng = name, [], np.random.default_rng(SEED)

    def case(self, op, ins, outs, attrs=None, **more):
        self.cases.append({"op": op, "in": ins, "out": outs, "attrs": attrs or {}, **more})

    def draw(self, dtype, *shape, scale=3.0):
        return (self.rng.normal(size=shape) * scale).astype(NP[dtype])

    def ints(self, low, high, *shape):  # low <= x <= high
        return self.rng.integers(low, high + 1, size=shape).astype(np.int32)

    def write(self, folder):
        # What several cases use is written once, and named by its number.
        uses, shared = {}, []
        lists = [side for c in self.cases for side in (c["in"], c["out"])]
        for side in lists:
            for t in side: uses[json.dumps(t)] = uses.get(json.dumps(t), 0) + 1
        for side in lists:
            for i, t in enumerate(side):
                if uses[json.dumps(t)] > 1 and len(t["data"]) > 64:
                    if t not in shared: shared.append(t)
                    side[i] = shared.index(t)
        text = json.dumps({"oracle": "tests/oracle/ref_nn.py", "seed": SEED, "jax": version("jax"), "jaxlib": version("jaxlib"),
                           "numpy": version("numpy"), "tensors": shared, "cases": self.cases}, separators=(",", ":"))
        with open(f"{folder}/{self.name}.json", "w") as f:
            f.write(text.replace('{"op"', '\n{"op"') + "\n")


wide = lambda x: jnp.asarray(np.asarray(x), jnp.float64)


def reductions_and_losses():
    g = Group("nn_loss")
    for d in FLOATS:
        for shape, axis in (((7,), 0), ((3, 5), 1), ((3, 5, 4), 1), ((2, 37), 1), ((1, 1), 0)):
            x = g.draw(d, *shape)
            g.case("log_softmax", [tensor(d, x)], [tensor(d, jax.nn.log_softmax(wide(x), axis))], {"axis": axis}, ulp=8, tol=1e-7 if d == "f32" else 1e-15)
            g.case("logsumexp", [tensor(d, x)], [tensor(d, jax.scipy.special.logsumexp(wide(x), axis))], {"axis": axis}, ulp=8, tol=1e-7 if d == "f32" else 1e-15)
        # What a saturated row must keep: mpmath would say the same as log1p of the others' sum.
        lead = {"f32": [17.0, 30.0, 80.0], "f64": [37.0, 100.0, 700.0]}[d]
        for m in lead:
            x = np.array([m, 0.0, -1.0, -2.0], NP[d])
            z = x.astype(np.float64) - m
            s = np.exp(z[1:]).sum()
            want = z - np.log1p(s)
            want[0] = -np.log1p(s)
            assert want[0] < 0
            g.case("log_softmax", [tensor(d, x)], [tensor(d, want)], {"axis": 0}, ulp=4)
            g.case("cross_entropy", [tensor(d, x), tensor("i32", np.int32(0))], [tensor(d, np.log1p(s))], {}, ulp=4)
            g.case("logsumexp", [tensor(d, x)], [tensor(d, m + np.log1p(s))], {"axis": 0}, ulp=1)
        inf, nan = np.inf, np.nan
        x = np.array([[inf, 1, 2], [-inf, 1, 2], [-inf, -inf, -inf], [nan, 1, 2], [inf, -inf, 0], [2, 2, 2]], NP[d])
        with np.errstate(all="ignore"):
            g.case("logsumexp", [tensor(d, x)], [tensor(d, jax.scipy.special.logsumexp(wide(x), 1))], {"axis": 1}, ulp=2)
            g.case("log_softmax", [tensor(d, x)], [tensor(d, jax.nn.log_softmax(wide(x), 1))], {"axis": 1}, ulp=2)
        g.case("argmax", [tensor(d, x)], [tensor("i32", jnp.argmax(jnp.asarray(x), 1))], {"axis": 1})
        for dims, keep in ((None, False), (None, True), ((1,), False), ((0, 2), True), ((2, 0), False)):
            x = g.draw(d, 3, 5, 7)
            attrs = {"keep_dims": keep} | ({} if dims is None else {"dimensions": list(dims)})
            g.case("mean", [tensor(d, x)], [tensor(d, jnp.mean(wide(x), dims, keepdims=keep))], attrs, ulp=4, tol=1e-6 if d == "f32" else 1e-14)
        g.case("mean", [tensor(d, np.float64(2.5))], [tensor(d, np.float64(2.5))])
        tol = 3e-7 if d == "f32" else 1e-15
        x, t = g.draw(d, 4, 9), np.abs(g.draw(d, 4, 9))
        t[1, 3] = 0
        p = jax.nn.log_softmax(wide(x), -1)
        for mean in (False, True):
            want = -jnp.sum(wide(t) * p) / (jnp.sum(wide(t)) if mean else 1)
            g.case("cross_entropy", [tensor(d, x), tensor(d, t)], [tensor(d, want)], {"mean": mean}, ulp=4, tol=tol)
            for shape in ((6,), (2, 3)):
                y, ids = g.draw(d, *shape, 9), g.ints(-1, 9, *shape)  # -1 and 9 label nothing
                ids.flat[0] = 4
                one = jax.nn.one_hot(ids, 9, dtype=jnp.float64)
                want = -jnp.sum(one * jax.nn.log_softmax(wide(y), -1)) / (jnp.sum(one) if mean else 1)
                g.case("cross_entropy", [tensor(d, y), tensor("i32", ids)], [tensor(d, want)], {"mean": mean}, ulp=4, tol=tol)
        x[:, 2] = -np.inf  # an impossible class that is never the label
        t[:, 2] = 0
        keep = [0, 1, 3, 4, 5, 6, 7, 8]
        want = -jnp.sum(wide(t)[:, keep] * jax.nn.log_softmax(wide(x)[:, keep], -1))
        g.case("cross_entropy", [tensor(d, x), tensor(d, t)], [tensor(d, want)], {}, ulp=4, tol=tol)
        for heat in (1.0, 2.5, 0.25):
            s, t = g.draw(d, 2, 3, 6), g.draw(d, 2, 3, 6)
            want = -jnp.sum(jax.nn.softmax(wide(t) / heat, -1) * jax.nn.log_softmax(wide(s) / heat, -1), -1)
            g.case("soft_cross_entropy", [tensor(d, s), tensor(d, t)], [tensor(d, want)], {"temperature": heat}, ulp=8, tol=4 * tol)
    for d in ("i32", "ui8", "i64"):
        x = np.array([[3, 9, 9, 1], [0, 0, 0, 0], [1, 2, 3, 4]])
        if d != "ui8": x = np.concatenate([x, [[-5, -3, -3, -9]]])
        for axis in (0, 1):
            g.case("argmax", [tensor(d, x)], [tensor("i32", np.argmax(x, axis))], {"axis": axis})
    return g


def by_index():
    g = Group("nn_index")
    for d in ("f32", "f64", "i32"):
        f = (lambda *s: g.draw(d, *s)) if d != "i32" else (lambda *s: g.ints(-50, 50, *s))
        for shape, axis, n in (((6,), 0, 4), ((3, 5), 0, 2), ((3, 5), 1, 7), ((2, 4, 3), 1, 6), ((2, 1, 3), 1, 2)):
            x = f(*shape)
            at = list(shape)
            at[axis] = n
            idx = g.ints(-2, shape[axis] + 1, *at)  # out of range on both sides: clamped
            inside = np.clip(idx, 0, shape[axis] - 1)
            g.case("take_along", [tensor(d, x), tensor("i32", idx)], [tensor(d, np.take_along_axis(x, inside, axis))], {"axis": axis})
            up = f(*at)
            want = np.zeros(shape, np.float64)
            for place in np.ndindex(*at):
                to = list(place)
                to[axis] = inside[place]
                want[tuple(to)] += up[place]
            g.case("take_along_grad", [tensor("i32", idx), tensor(d, up), tensor(d, x)], [tensor(d, want)], {"axis": axis},
                   **({} if d == "i32" else {"ulp": 2, "tol": 3e-7 if d == "f32" else 1e-15}))
    for d in FLOATS:
        for shape, padding in (((), -1), ((4,), 2), ((2, 3), -1), ((2, 3), 0), ((3, 7), 4)):
            table, idx = g.draw(d, 5, 3), g.ints(-1, 5, *shape)
            if shape: idx.flat[0] = max(padding, 0)
            inside = np.clip(idx, 0, 4)
            rows = table[inside].copy()
            up = g.draw(d, *shape, 3)
            grad = np.zeros((5, 3))
            for place in np.ndindex(*shape):
                if padding >= 0 and idx[place] == padding:
                    rows[place] = 0
                else:
                    grad[inside[place]] += up[place]
            attrs = {"padding_index": padding}
            g.case("embedding", [tensor(d, table), tensor("i32", idx)], [tensor(d, rows)], attrs)
            g.case("embedding_grad", [tensor("i32", idx), tensor(d, up), tensor(d, table)], [tensor(d, grad)], attrs, ulp=2,
                   tol=3e-7 if d == "f32" else 1e-15)
    return g


def random_draws():
    """jax.random by bits: a uniform number has one right answer. Box and Muller's formula in float64 from JAX's uniform numbers."""
    g = Group("nn_random")
    for part in (False, True):
        jax.config.update("jax_threefry_partitionable", part)
        for k0, k1 in ((0, 0), (0, 42), (0x13198A2E, 0x03707344), (0xFFFFFFFF, 0x80000001)):
            for d, dt in (("f32", jnp.float32), ("f64", jnp.float64)):
                for shape in ((), (1,), (7,), (3, 4), (2, 3, 5)):
                    if (k0, k1) != (0, 42) and len(shape) == 3: continue
                    key = jnp.array([k0, k1], jnp.uint32)
                    u = np.asarray(jax.random.uniform(key, shape, dt))
                    n = int(np.prod(shape))
                    v = np.asarray(jax.random.uniform(key, (2 * n,), dt)).astype(np.float64)
                    z = (np.sqrt(-2 * np.log(1 - v[:n])) * np.cos(2 * np.pi * v[n:])).reshape(shape)
                    low = np.nextafter(np.asarray(-1, NP[d]), np.asarray(0, NP[d]))
                    w = np.asarray(jax.random.uniform(key, shape, dt, low, 1))
                    e = np.sqrt(2) * scipy.special.erfinv(w.astype(np.float64))
                    # JAX's own inverse is a polynomial in the type itself: near.
                    assert np.allclose(e, np.asarray(jax.random.normal(key, shape, dt)), rtol=3e-6 if d == "f32" else 1e-13)
                    words = [tensor("i32", np.array(k, np.uint32).view(np.int32)) for k in (k0, k1)]
                    literal = {"key0": k0, "key1": k1}
                    for ins, attrs in (([], literal), (words, {})):
                        if ins and shape != (7,): continue
                        attrs = attrs | {"partitionable": part}
                        g.case("rng_uniform", ins, [tensor(d, u)], attrs)
                        g.case("rng_normal", ins, [tensor(d, z)], attrs, ulp=1 if d == "f32" else 4, tol=3e-16)
                        g.case("rng_normal", ins, [tensor(d, e)], attrs | {"method": "erf_inv"}, ulp=2 if d == "f32" else 4, tol=3e-16)
    return g


def convolutions():
    """conv_general_dilated and its transposes by jax.vjp, reduce_window and its gradient element by element."""
    g = Group("nn_conv")
    cases = [((2, 3, 7, 6), 4, 3, (3, 2), {"window_strides": [2, 1], "padding": [[1, 0], [0, 2]]}),
             ((1, 2, 5, 5), 3, 2, (3, 3), {}),
             ((2, 4, 5, 4), 6, 2, (2, 2), {"feature_group_count": 2, "rhs_dilation": [2, 1], "window_strides": [1, 2]}),
             ((4, 3, 4, 4), 4, 3, (2, 3), {"batch_group_count": 2, "padding": [[0, 1], [1, 1]]}),
             ((1, 2, 4, 3), 2, 2, (3, 3), {"lhs_dilation": [2, 3], "padding": [[2, 1], [2, 2]], "window_reversal": [True, False]}),
             ((2, 2, 6, 6), 1, 2, (3, 2), {"window_strides": [2, 2], "padding": [[-1, 2], [1, -1]], "lhs_dilation": [1, 2], "rhs_dilation": [1, 2],
                                          "window_reversal": [False, True]}),
             ((2, 3, 4, 4), 3, 1, (1, 1), {"feature_group_count": 3})]
    for d in FLOATS:
        tol = 4e-7 if d == "f32" else 1e-15
        for shape, o, i, k, attrs in cases:
            for op, spec in (("conv2d", "OIHW"), ("conv_transpose2d", "IOHW")):
                x, w = g.draw(d, *shape), g.draw(d, *((o, i) + k if spec == "OIHW" else (i, o) + k))
                flip = attrs.get("window_reversal", [False, False])
                axes = [2 + n for n in range(2) if flip[n]]

                def f(x, w):
                    return lax.conv_general_dilated(
                        x, jnp.flip(w, axes), attrs.get("window_strides", [1, 1]), attrs.get("padding", [[0, 0], [0, 0]]), attrs.get("lhs_dilation"),
                        attrs.get("rhs_dilation"), ("NCHW", spec, "NCHW"), attrs.get("feature_group_count", 1), attrs.get("batch_group_count", 1))

                y, back = jax.vjp(f, wide(x), wide(w))
                up = g.draw(d, *y.shape)
                dx, dw = back(wide(up))
                flat = {k: sum(v, []) if k == "padding" else [int(e) for e in v] if isinstance(v, list) else v for k, v in attrs.items()}
                tx, tw, tu = tensor(d, x), tensor(d, w), tensor(d, up)
                g.case(op, [tx, tw], [tensor(d, y)], flat, ulp=2, tol=tol)
                g.case(op + "_data_adjoint", [tu, tw, tx], [tensor(d, dx)], flat, ulp=2, tol=tol)
                g.case(op + "_kernel_adjoint", [tx, tu, tw], [tensor(d, dw)], flat, ulp=2, tol=tol)
        for shape, window, strides, pad in (((2, 3, 6, 4), (2, 2), None, None), ((1, 2, 7, 5), (3, 2), (1, 2), ((1, 1), (1, 0))),
                                            ((2, 1, 5, 7), (2, 3), (2, 3), None), ((1, 1, 3, 3), (3, 3), (1, 1), ((2, 2), (2, 2))), ((1, 1, 2, 2), (3, 3), (1, 1), None)):
            s, p = strides or window, pad or ((0, 0), (0, 0))
            x = g.draw(d, *shape)
            x[..., 0, 0] = x[..., 0, 1] = 9  # a tie
            out = [max(0, (shape[2 + a] + sum(p[a]) - window[a]) // s[a] + 1) for a in range(2)]
            up = g.draw(d, *shape[:2], *out)
            big, avg = np.zeros(up.shape), np.zeros(up.shape)
            dbig, davg = np.zeros(shape), np.zeros(shape)
            for n, c, i, j in np.ndindex(*up.shape):
                rows = [r for r in range(i * s[0] - p[0][0], i * s[0] - p[0][0] + window[0]) if 0 <= r < shape[2]]
                cols = [r for r in range(j * s[1] - p[1][0], j * s[1] - p[1][0] + window[1]) if 0 <= r < shape[3]]
                seen = x[n, c][np.ix_(rows, cols)].astype(np.float64)
                big[n, c, i, j], avg[n, c, i, j] = seen.max(), seen.sum() / (window[0] * window[1])
                for r in rows:
                    for q in cols:
                        davg[n, c, r, q] += float(up[n, c, i, j]) / (window[0] * window[1])
                        if x[n, c, r, q] == big[n, c, i, j]: dbig[n, c, r, q] += float(up[n, c, i, j])
            attrs = {"window": list(window)} | ({} if strides is None else {"window_strides": list(strides)}) | ({} if pad is None else {"padding": sum(map(list, pad), [])})
            tx, tu = tensor(d, x), tensor(d, up)
            g.case("maxpool2d", [tx], [tensor(d, big)], attrs)
            g.case("avgpool2d", [tx], [tensor(d, avg)], attrs, ulp=2, tol=tol)
            g.case("maxpool2d_grad", [tu, tx, tensor(d, big)], [tensor(d, dbig)], attrs, ulp=1, tol=tol)
            g.case("avgpool2d_grad", [tu, tx], [tensor(d, davg)], attrs, ulp=4, tol=tol)
    return g


def templates_and_norms():
    g = Group("nn_norm")
    for d in FLOATS + ("i32",):
        f = (lambda *s: g.draw(d, *s)) if d != "i32" else (lambda *s: g.ints(-50, 50, *s))
        loose = {} if d == "i32" else {"ulp": 2, "tol": 3e-7 if d == "f32" else 1e-15}
        for big, small in (((4, 2, 3), (2, 1)), ((3, 4), ()), ((2, 3), (2, 3)), ((2, 3), (1, 3)), ((1, 1), (1,)), ((0, 3), (1, 3))):
            x, t = f(*big), f(*small)
            lead = len(big) - len(small)
            want = x.astype(np.float64).sum(tuple(range(lead)))
            for a, n in enumerate(small):
                if n == 1: want = want.sum(a, keepdims=True)
            g.case("sum_to", [tensor(d, x), tensor(d, t)], [tensor(d, want)], **loose)
            g.case("broadcast_like", [tensor(d, t), tensor("i32", np.zeros(big))], [tensor(d, np.broadcast_to(t, big))])
        x, t = f(2, 3), f(4, 7)
        for low in ((0, 0), (2, 1), (1, 4)):
            want = np.zeros((4, 7), x.dtype)
            where = (slice(low[0], low[0] + 2), slice(low[1], low[1] + 3))
            want[where] = x
            g.case("pad_to", [tensor(d, x), tensor(d, t)], [tensor(d, want)], {"low": list(low)})
            g.case("slice_at", [tensor(d, t), tensor(d, x)], [tensor(d, t[where])], {"low": list(low)})
        parts = [f(2, n, 3) for n in (1, 4, 2)]
        whole = np.concatenate(parts, 1)
        for k, part in enumerate(parts):
            before = [tensor(d, p) for p in parts[:k]]
            g.case("slice_like", [tensor(d, whole), tensor(d, part)] + before, [tensor(d, part)], {"axis": 1})
            want = np.zeros_like(whole)
            at = sum(p.shape[1] for p in parts[:k])
            want[:, at:at + part.shape[1]] = part
            g.case("pad_like", [tensor(d, part), tensor(d, whole)] + before, [tensor(d, want)], {"axis": 1})
        g.case("zeros_like", [tensor(d, x)], [tensor(d, np.zeros_like(x))])
        g.case("stop_gradient", [tensor(d, x)], [tensor(d, x)])
        g.case("check_shape_like", [tensor(d, x), tensor("i32", np.zeros(x.shape))], [tensor(d, x)])
    for d in FLOATS:
        tol = 1e-6 if d == "f32" else 4e-15
        for shape in ((4, 4), (2, 3, 5), (5, 2)):
            x = g.draw(d, *shape)
            for k in (-2, 0, 1):
                at = np.arange(shape[-1])[None] - np.arange(shape[-2])[:, None]
                g.case("triangle", [tensor(d, x)], [tensor(d, np.tril(x, k))], {"diagonal": k})
                g.case("triangle", [tensor(d, x)], [tensor(d, np.triu(x, k))], {"diagonal": k, "lower_scale": 0.0, "upper_scale": 1.0})
                y = x.astype(np.float64) * np.where(at < k, 1.0, np.where(at == k, 0.5, -2.0))
                g.case("triangle", [tensor(d, x)], [tensor(d, y)], {"diagonal": k, "diagonal_scale": 0.5, "upper_scale": -2.0})
        x = np.full((3, 3), np.nan, NP[d])
        x[2, 0], x[1, 0], x[2, 1] = 1, 2, 3
        g.case("triangle", [tensor(d, x)], [tensor(d, np.where(np.tri(3, k=-1), x, 0))], {"diagonal": -1})  # what is cut off may be NaN
        for shape, axis in (((6, 3), 1), ((2, 3, 4, 5), 1), ((3, 8), 0), ((4, 5), 1)):
            x = g.draw(d, *shape) + NP[d](100 if shape == (4, 5) else 0)  # a large mean must not cost the variance
            ga, be = g.draw(d, shape[axis]), g.draw(d, shape[axis])
            over = tuple(a for a in range(len(shape)) if a != axis)
            row = [shape[a] if a == axis else 1 for a in range(len(shape))]
            w = wide(x)
            m, v = jnp.mean(w, over, keepdims=True), jnp.var(w, over, keepdims=True)
            want = (w - m) / jnp.sqrt(v + 1e-5) * wide(ga).reshape(row) + wide(be).reshape(row)
            g.case("batch_norm", [tensor(d, x), tensor(d, ga), tensor(d, be)], [tensor(d, want)], {"axis": axis, "eps": 1e-5}, ulp=4, tol=30 * tol)
            w1, b1 = g.draw(d, shape[-1]), g.draw(d, shape[-1])
            m, v = jnp.mean(w, -1, keepdims=True), jnp.var(w, -1, keepdims=True)
            want = (w - m) / jnp.sqrt(v + 0.01) * wide(w1)
            g.case("layer_norm", [tensor(d, x), tensor(d, w1)], [tensor(d, want)], {"eps": 0.01}, ulp=4, tol=30 * tol)
            g.case("layer_norm", [tensor(d, x), tensor(d, w1), tensor(d, b1)], [tensor(d, want + wide(b1))], {"eps": 0.01}, ulp=4, tol=30 * tol)
        for lead, t, s, k, e, causal in (((), 5, 5, 4, 3, True), ((2, 3), 4, 7, 8, 8, False), ((2,), 6, 4, 3, 2, True), ((1,), 1, 1, 1, 1, False)):
            q, ke, v = g.draw(d, *lead, t, k), g.draw(d, *lead, s, k), g.draw(d, *lead, s, e)
            z = jnp.einsum("...td,...sd->...ts", wide(q), wide(ke)) * 0.5
            if causal: z = jnp.where(np.tri(t, s, dtype=bool), z, -jnp.inf)
            want = jnp.einsum("...ts,...se->...te", jax.nn.softmax(z, -1), wide(v))
            g.case("scaled_dot_product_attention", [tensor(d, q), tensor(d, ke), tensor(d, v)], [tensor(d, want)], {"scale": 0.5, "causal": causal}, ulp=8, tol=3 * tol)
    return g


def sparse_products():
    """scipy.sparse in float64; what it gives is rounded once, as ours is."""
    import scipy.sparse

    g = Group("nn_sparse")
    for d in FLOATS:
        for rows, cols, width, density in ((4, 6, 3, 0.4), (7, 5, 1, 0.2), (1, 9, 2, 0.7), (5, 3, 4, 1.0), (6, 6, 2, 0.0), (3, 300, 1, 0.3)):
            at = g.rng.random((rows, cols)) < density
            if rows > 2: at[1] = False  # a row without entries
            dense = np.where(at, g.rng.normal(size=(rows, cols)), 0).astype(NP[d])
            a = scipy.sparse.csr_matrix(dense)
            values, col, ptr = tensor(d, a.data), tensor("i32", a.indices), tensor("i32", a.indptr)
            w = a.astype(np.float64)
            x, u = g.draw(d, cols, width), g.draw(d, rows, width)
            loose = {"ulp": 1, "tol": 1e-15}
            g.case("sparse_matmul", [values, col, ptr, tensor(d, x)], [tensor(d, w @ x.astype(np.float64))], **loose)
            g.case("sparse_matmul", [values, col, ptr, tensor(d, u), tensor(d, x)], [tensor(d, w.T @ u.astype(np.float64))], {"transposed": True}, **loose)
            r = np.repeat(np.arange(rows), np.diff(a.indptr))
            g.case("sparse_matmul_values_adjoint", [tensor(d, u), tensor(d, x), col, ptr],
                   [tensor(d, (u[r].astype(np.float64) * x[a.indices].astype(np.float64)).sum(1))], **loose)
    return g


def networks():
    g = Group("nn_mlp")
    for d in FLOATS:
        for lead, n, f, e in (((3,), 4, 6, 4), ((2, 3), 5, 7, 2), ((), 8, 3, 8), ((1,), 1, 1, 1), ((2,), 33, 20, 33), ((2,), 3, 0, 2), ((0,), 3, 2, 3)):
            x, gate, up, down = g.draw(d, *lead, n), g.draw(d, n, f, scale=1.0), g.draw(d, n, f, scale=1.0), g.draw(d, f, e, scale=1.0)
            w = [wide(a) for a in (x, gate, up, down)]
            want = (jax.nn.silu(w[0] @ w[1]) * (w[0] @ w[2])) @ w[3]
            g.case("transformer_mlp", [tensor(d, a) for a in (x, gate, up, down)], [tensor(d, want)], ulp=4, tol=1e-6 if d == "f32" else 4e-15)
    return g


GROUPS = [reductions_and_losses, by_index, random_draws, convolutions, templates_and_norms, sparse_products, networks]

if __name__ == "__main__":
    for make in GROUPS:
        make().write(sys.argv[1])
