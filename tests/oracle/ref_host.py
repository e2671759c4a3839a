"""Writes tests/ref/host.json: what the host functions of src/ref must give.

    python tests/oracle/ref_host.py tests/ref/host.json

Keys, splits and draws from jax.random (both layouts), integrals from mpmath at 30 digits.
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

text = json.dumps({"oracle": "tests/oracle/ref_host.py", "jax": version("jax"), "mpmath": version("mpmath"), "keys": keys,
                   "integrals": integrals}, separators=(",", ":"))
with open(sys.argv[1], "w") as out:
    out.write(text.replace('{"seed"', '\n{"seed"').replace('{"name"', '\n{"name"') + "\n")
