#!/usr/bin/env python3
"""Writes tests/jax/shapes.txt: functions exported by jax.export with symbolic shapes, as StableHLO text whose sizes are `?`, each with
arguments at two sets of sizes and with what JAX computes there.

    jax_shapes.py OUT [NAME ...]      then: xz -9e OUT

The format is that of jax_functions.py. The text has its locations taken out; nothing else is changed.
"""
import re, sys, zlib
import jax
import jax.numpy as jnp
import numpy as np
from jax import export, lax, nn
from jax_functions import SHORT, line

F, I = jnp.float32, jnp.int32
CASES = []


def case(name, family, specs, sizes, fn):
    CASES.append((name, family, specs, sizes, fn))


def attention(q, k, v):
    s = jnp.einsum("bhqd,bhkd->bhqk", q, k) / 4.0
    mask = jnp.arange(q.shape[2])[:, None] >= jnp.arange(k.shape[2])[None, :]
    return jnp.einsum("bhqk,bhkd->bhqd", nn.softmax(jnp.where(mask, s, -1e9), axis=-1), v)


def layer_norm(x, g, b):
    m = x.mean(-1, keepdims=True)
    v = ((x - m) ** 2).mean(-1, keepdims=True)
    return (x - m) * lax.rsqrt(v + 1e-5) * g + b


def power_iteration(a, v):
    return lax.fori_loop(0, 4, lambda _, u: (w := a @ u, w / jnp.max(jnp.abs(w)))[1], v)


def running(x):
    return lax.scan(lambda c, row: (0.5 * c + row, c * row), jnp.zeros(x.shape[1:], x.dtype), x)


case("shapes.mlp", "sum", [("b, n", F), ("n, 8", F), ("8", F), ("8, m", F)], [dict(b=3, n=5, m=2), dict(b=1, n=4, m=7)],
     lambda x, w, c, u: jnp.tanh(x @ w + c) @ u)
case("shapes.softmax", "sum", [("b, n", F)], [dict(b=2, n=5), dict(b=4, n=1)], lambda x: nn.softmax(x))
case("shapes.conv", "sum", [("b, 3, h, w", F), ("4, 3, 3, 3", F)], [dict(b=1, h=5, w=6), dict(b=2, h=8, w=7)],
     lambda x, k: lax.conv_general_dilated(x, k, (2, 2), "SAME"))
case("shapes.conv_valid", "sum", [("b, h, w, 2", F), ("3, 2, 2, 3", F)], [dict(b=2, h=5, w=4), dict(b=1, h=9, w=6)],
     lambda x, k: lax.conv_general_dilated(x, k, (1, 2), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")))
case("shapes.concatenate", "exact", [("n", F), ("m", F)], [dict(n=3, m=2), dict(n=1, m=6)], lambda a, b: jnp.concatenate([a, b, a]))
case("shapes.flatten", "exact", [("b, n", F)], [dict(b=3, n=4), dict(b=5, n=1)], lambda x: x.reshape(-1) * 2)
case("shapes.unflatten", "exact", [("2*n, m", F)], [dict(n=3, m=2), dict(n=1, m=5)], lambda x: x.reshape(-1, 2, x.shape[1]).sum(1))
case("shapes.strided", "exact", [("n", F)], [dict(n=7), dict(n=12)], lambda x: x[1::2])
case("shapes.halves", "exact", [("n", F)], [dict(n=8), dict(n=5)], lambda x: x[: x.shape[0] // 2] - x[-(x.shape[0] // 2):])
case("shapes.cumsum", "sum", [("n, m", F)], [dict(n=6, m=2), dict(n=1, m=3)], lambda x: jnp.cumsum(x, axis=0))
case("shapes.pool", "exact", [("b, h, w", F)], [dict(b=2, h=4, w=6), dict(b=1, h=7, w=5)],
     lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 2), (1, 2, 2), "SAME"))
case("shapes.attention", "sum", [("b, 2, q, 16", F), ("b, 2, k, 16", F), ("b, 2, k, 16", F)], [dict(b=2, q=3, k=5), dict(b=1, q=6, k=6)], attention)
case("shapes.layer_norm", "sum", [("b, t, n", F), ("n", F), ("n", F)], [dict(b=2, t=3, n=8), dict(b=1, t=1, n=5)], layer_norm)
case("shapes.scan", "sum", [("t, n", F)], [dict(t=4, n=2), dict(t=7, n=3)], running)
case("shapes.loop", "sum", [("n, n", F), ("n", F)], [dict(n=3), dict(n=6)], power_iteration)
case("shapes.take", "exact", [("v, n", F), ("t", I)], [dict(v=5, n=3, t=4), dict(v=2, n=6, t=1)], lambda e, i: jnp.take(e, i % e.shape[0], axis=0))
case("shapes.pad", "exact", [("n, m", F)], [dict(n=3, m=4), dict(n=5, m=1)], lambda x: jnp.pad(x, ((1, x.shape[1]), (0, 2)), constant_values=-1))
case("shapes.sort", "exact", [("n, m", F)], [dict(n=5, m=2), dict(n=1, m=4)], lambda x: (jnp.sort(x, axis=0), jnp.argmax(x, axis=0)))
case("shapes.outer", "exact", [("n", F), ("m", F)], [dict(n=3, m=4), dict(n=1, m=2)], lambda a, b: jnp.tile(a[:, None] - b[None, :], (2, 1)).T)
case("shapes.mean", "sum", [("b, n", F)], [dict(b=3, n=4), dict(b=2, n=9)], lambda x: (x.mean(), x.sum() / (x.shape[0] * x.shape[1] + 1)))
case("shapes.gelu", "special", [("b, n", F)], [dict(b=2, n=3), dict(b=1, n=7)], lambda x: nn.gelu(x, approximate=False))
case("shapes.top_k", "exact", [("b, 5", F)], [dict(b=3), dict(b=1)], lambda x: lax.top_k(x, 2))
case("shapes.grad", "sum", [("b, n", F)], [dict(b=2, n=3), dict(b=4, n=2)], jax.grad(lambda x: jnp.sum(jnp.tanh(x @ x.T))))
case("shapes.grad_pool", "exact", [("b, 2*n", F)], [dict(b=2, n=3), dict(b=1, n=1)],
     jax.grad(lambda x: jnp.sum(lax.reduce_window(x, -jnp.inf, lax.max, (1, 2), (1, 2), "VALID") ** 2)))
case("shapes.dynamic_slice", "exact", [("b, n", F), ("b", I)], [dict(b=3, n=6), dict(b=1, n=2)],
     lambda x, i: jax.vmap(lambda a, j: lax.dynamic_slice(a, (j % 9,), (2,)))(x, i))
case("shapes.roll", "exact", [("b, n", F)], [dict(b=3, n=4), dict(b=5, n=2)], lambda x: jnp.roll(x, 1, axis=0))
case("shapes.scatter", "exact", [("n", F), ("k", I)], [dict(n=6, k=3), dict(n=2, k=5)], lambda x, i: x.at[i % x.shape[0]].set(1.0))
case("shapes.cond", "exact", [("n", F)], [dict(n=6), dict(n=3)], lambda x: lax.cond(x[0] > 0, lambda y: y * 2, lambda y: y - 1, x))
case("shapes.random", "exact", [("n", F)], [dict(n=6), dict(n=3)], lambda x: jnp.where(jax.random.bernoulli(jax.random.key(0), 0.5, x.shape), x, 0))


def without_locations(text):
    """`loc(…)` behind ops and arguments goes, and the aliases at the ends."""
    out, i = [], 0
    while i < len(text):
        if text.startswith(" loc(", i):
            depth, j, quoted = 0, i + 4, False
            while True:
                c = text[j]
                if c == '"' and text[j - 1] != "\\": quoted = not quoted
                if not quoted: depth += (c == "(") - (c == ")")
                j += 1
                if depth == 0: break
            i = j
        else:
            out.append(text[i])
            i += 1
    return "".join(l for l in "".join(out).splitlines(keepends=True) if not l.startswith("#loc"))


def argument(shape, dtype, rng):
    if dtype == I: return rng.integers(0, 1000, shape).astype(np.int32)
    return (rng.integers(-128, 129, shape) / 64).astype(np.float32)


def main(argv):
    if not argv:
        print(__doc__)
        return 2
    wanted, total = set(argv[1:]), 0
    with open(argv[0], "w", encoding="utf-8") as file:
        file.write(f"// jax {jax.__version__} numpy {np.__version__} seed crc32(case)\n")
        for name, family, specs, sizes, fn in CASES:
            if wanted and name not in wanted: continue
            scope = export.SymbolicScope(["n >= 2"] if name in ("shapes.halves", "shapes.dynamic_slice") else [])
            shapes = [jax.ShapeDtypeStruct(export.symbolic_shape(s, scope=scope), d) for s, d in specs]
            exported = export.export(jax.jit(fn))(*shapes)
            text = without_locations(exported.mlir_module()).rstrip("\n") + "\n"
            for size in sizes:
                of = lambda s: tuple(int(eval(d, {}, dict(size))) for d in s.split(","))
                head = f"{name} {family} {'_'.join(f'{k}{v}' for k, v in size.items())} f32"
                rng = np.random.default_rng(zlib.crc32(head.encode()))
                args = [argument(of(s), d, rng) for s, d in specs]
                results = jax.tree.leaves(jax.jit(fn)(*args))
                file.write(f"// case {head}\n" + "".join(line("in", a) for a in args) + "".join(line("out", r) for r in results) + text + "// -----\n")
                total += 1
    print(f"{len(CASES)} functions, {total} cases")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
