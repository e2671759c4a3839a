"""Writes tests/ref/host.json: what the host functions of src/ref must give.

    python tests/oracle/ref_host.py tests/ref/host.json

Keys, splits and draws from jax.random (both layouts), integrals from mpmath at 30 digits, sparse matrices from scipy.
"""
import json, sys
import numpy as np
import jax

jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
import mpmath
from importlib.metadata import version

mpmath.mp.dps = 30


def hexed(a):
    return np.ascontiguousarray(a).tobytes().hex()


keys = []
for part in (False, True):
    jax.config.update("jax_threefry_partitionable", part)
    for seed in (0, 42, (0x13198A2E << 32) | 0x03707344, (1 << 63) + 5):
        key = jnp.array([seed >> 32, seed & 0xFFFFFFFF], jnp.uint32)
        if seed < 1 << 63: assert (jax.random.PRNGKey(seed) == key).all()
        entry = {"seed": f"{seed:016x}", "partitionable": part,
                 "fold": [[n, hexed(np.asarray(jax.random.fold_in(key, n)))] for n in (0, 1, 7, 0x7FFFFFFF)],
                 "split": [[n, hexed(np.asarray(jax.random.split(key, n)))] for n in (1, 2, 3, 5)],
                 "words": [[n, hexed(np.asarray(jax.random.bits(key, (n,), jnp.uint32)))] for n in (1, 2, 5, 8)], "draws": []}
        for dtype in (np.float32, np.float64):
            n, k = 7, 3
            base = lambda m: np.asarray(jax.random.uniform(key, (m,), dtype)).astype(np.float64)
            u, w = base(n), base(2 * n)
            eps = float(np.finfo(dtype).eps)
            c = base(2 * n * k)
            chi = -2 * np.log(1 - c[: n * k]) * np.cos(2 * np.pi * c[n * k:]) ** 2
            draws = {"uniform": u, "normal": np.sqrt(-2 * np.log(1 - w[:n])) * np.cos(2 * np.pi * w[n:]),
                     "exponential": -np.log1p(-u), "cauchy": np.tan(np.pi * (u * (1 - eps) + eps - 0.5)),
                     "chi_square": chi.reshape(n, k).sum(1)}
            # JAX's own draws are computed in the type itself: near.
            near = lambda a, b: np.allclose(a, b, rtol=3e-5 if dtype == np.float32 else 1e-9)
            assert near(draws["exponential"], np.asarray(jax.random.exponential(key, (n,), dtype)))
            assert near(draws["cauchy"], np.asarray(jax.random.cauchy(key, (n,), dtype)))
            for kind, x in draws.items():
                entry["draws"].append({"kind": kind, "wide": dtype == np.float64, "out": hexed(x.astype(np.float64))})
        keys.append(entry)

m = mpmath
integrals = []
for name, a, b, f in (("polynomial", -1, 2, lambda x: x**3 - 2 * x + 1), ("sine", 0, m.pi, m.sin), ("sine_squared", 0, 2 * m.pi, lambda x: m.sin(x) ** 2),
                      ("gaussian", -3, 4, lambda x: m.exp(-x * x)), ("peak", 0, 1, lambda x: 1 / (m.mpf("0.001") + x * x)),
                      ("reciprocal", 5, 1, lambda x: 1 / x), ("oscillating", 0, 10, lambda x: m.cos(x * x))):
    points = [a + (b - a) * m.mpf(i) / 64 for i in range(65)]
    integrals.append({"name": name, "a": float(a), "b": float(b), "value": float(m.quad(f, points))})

# Sparse matrices: scipy in float64, rounded once.
import scipy.sparse
rng = np.random.default_rng(20260712)


def sparse(rows, cols, density):
    at = rng.random((rows, cols)) < density
    if rows > 2: at[1] = False
    return scipy.sparse.csr_matrix(np.where(at, rng.normal(size=(rows, cols)), 0).astype(np.float32))


def parts(a):
    a = a.tocsr()
    a.sort_indices()
    return {"rows": a.shape[0], "cols": a.shape[1], "ptr": hexed(a.indptr.astype(np.int32)), "col": hexed(a.indices.astype(np.int32)),
            "values": hexed(a.data.astype(np.float32))}


def pattern(value, where):  # explicit zeros stay
    r, c = np.nonzero(where)
    return scipy.sparse.csr_matrix((value[r, c], (r, c)), shape=where.shape)


csr = []
for rows, mid, cols, density in ((5, 7, 4, 0.4), (1, 3, 9, 0.5), (6, 6, 6, 0.2), (3, 2, 5, 0.0), (4, 40, 3, 0.6)):
    a, b, c = sparse(rows, mid, density), sparse(rows, mid, density), sparse(mid, cols, density)
    A, B, C = (m.toarray().astype(np.float64) for m in (a, b, c))
    ia, ib, ic = A != 0, B != 0, C != 0
    d, x, u = (rng.normal(size=s).astype(np.float32) for s in ((rows, mid), (mid, 3), (rows, 3)))
    n = 3 * mid
    r, q, v = rng.integers(0, rows, n), rng.integers(0, mid, n), rng.normal(size=n).astype(np.float32)
    coo = np.zeros((rows, mid))
    np.add.at(coo, (r, q), v.astype(np.float64))
    hit = np.zeros((rows, mid), bool)
    hit[r, q] = True
    entries = (np.repeat(np.arange(rows), np.diff(a.indptr)), a.indices)
    csr.append({"a": parts(a), "b": parts(b), "c": parts(c), "add": parts(pattern(A + B, ia | ib)), "sub": parts(pattern(A - B, ia | ib)),
                "mul": parts(pattern(A * B, ia & ib)), "d": hexed(d), "mul_dense": parts(pattern(A * d, ia)), "transpose": parts(a.T),
                "matmul": parts(pattern(A @ C, (ia.astype(int) @ ic.astype(int)) > 0)), "x": hexed(x),
                "matmul_dense": hexed((A @ x.astype(np.float64)).astype(np.float32)), "u": hexed(u),
                "values_adjoint": hexed((u[entries[0]].astype(np.float64) * x[entries[1]].astype(np.float64)).sum(1).astype(np.float32)),
                "coo": [hexed(r.astype(np.int32)), hexed(q.astype(np.int32)), hexed(v)], "of_coo": parts(pattern(coo, hit))})

text = json.dumps({"oracle": "tests/oracle/ref_host.py", "jax": version("jax"), "mpmath": version("mpmath"), "keys": keys,
                   "scipy": version("scipy"),
                   "integrals": integrals, "csr": csr}, separators=(",", ":"))
with open(sys.argv[1], "w") as out:
    out.write(text.replace('{"seed"', '\n{"seed"').replace('{"name"', '\n{"name"').replace('{"a"', '\n{"a"') + "\n")
