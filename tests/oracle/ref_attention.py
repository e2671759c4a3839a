"""Writes tests/ref/ops/attention.json: paged_attention of a bf16 query, by numpy and ml_dtypes from the order of sums that
src/ref/attention.c states. A product of two bf16 is exact in f64, and so is its sum with an f32 of like size.

    python tests/oracle/ref_attention.py tests/ref/ops
"""
import json, sys
import ml_dtypes
import numpy as np

SEED = 20261202
rng = np.random.default_rng(SEED)
B, F = ml_dtypes.bfloat16, np.float32
NP = {"bf16": B, "i32": np.int32, "f32": F}
CASES = []


def tensor(dtype, values):
    a = np.asarray(values)
    return {"type": dtype, "dims": list(a.shape), "data": np.ravel(a).astype(NP[dtype]).tobytes().hex()}


def row(x):  # bf16, times 2^64, as f32
    x = np.asarray(x).astype(B).astype(F) * F(2.0**64)
    return np.where(np.abs(x) < 2.0**14, F(0), x)


def weights(w):
    w = np.asarray(w).astype(F)
    return np.where(np.abs(w) < 2.0**-126, F(0), w)


def run(x, w):  # x [n], w [n, ...], up to 32 of them
    chains = []
    for parity in (0, 1):
        acc = np.zeros(w.shape[1:], F)
        for a, b in zip(x[parity::2], w[parity::2]):
            acc = (acc.astype(np.float64) + np.float64(a) * b.astype(np.float64)).astype(F)
        chains.append(acc)
    return chains[0] + chains[1]


def attention(q, k, v, tables, lengths, scale, window, cap):
    out = np.zeros(q.shape, F)
    heads = q.shape[1] // k.shape[2]
    for n in range(len(q)):
        length = lengths[n]
        first = max(0, length - window) if window else 0
        at = [(tables[n][j // k.shape[1]], j % k.shape[1]) for j in range(length)]
        for h in range(q.shape[1]):
            s = np.full(length, -np.inf, F)
            for j in range(first, length):
                key = weights(k[at[j]][h // heads])
                dot = F(0)
                for d in range(0, len(key), 32):
                    dot = dot + run(row(q[n, h])[d:d + 32], key[d:d + 32])
                s[j] = dot * F(scale * 2.0**-64)
                if cap: s[j] = F(np.tanh(np.float64(s[j] / F(cap)))) * F(cap)
            e = np.exp((s - s.max()).astype(np.float64)).astype(F)
            w = row(e)
            values = np.array([weights(v[a][h // heads]) if j >= first else np.zeros(q.shape[2], F) for j, a in enumerate(at)])
            total = np.zeros(q.shape[2], F)
            for b in range(0, length, 64):
                block = run(w[b:b + 32], values[b:b + 32])
                if b + 32 < length: block = block + run(w[b + 32:b + 64], values[b + 32:b + 64])
                total = total + block
            out[n, h] = total / (F(e.astype(np.float64).sum()) * F(2.0**64))
    return out


for D, lengths, window, cap in ((8, [1, 33, 64, 80], 0, 0), (40, [20, 65, 47, 80], 30, 2)):
    q = (rng.normal(size=(4, 4, D)) * 2).astype(B)
    k, v = (rng.normal(size=(12, 16, 2, D)).astype(B) for _ in range(2))
    tables = np.array([rng.permutation(12)[:5] for _ in range(4)])
    scale = 0.4
    CASES.append({"op": "paged_attention", "in": [tensor("bf16", q), tensor("bf16", k), tensor("bf16", v), tensor("i32", tables), tensor("i32", lengths)],
                  "out": [tensor("f32", attention(q, k, v, tables, lengths, scale, window, cap))],
                  "attrs": {"scale": scale, "sliding_window": window, "soft_cap": cap}, "f64": False, "tol": 2e-6})

head = {"oracle": "tests/oracle/ref_attention.py", "seed": SEED, "numpy": np.__version__, "ml_dtypes": ml_dtypes.__version__}
with open(sys.argv[1] + "/attention.json", "w") as out:
    out.write(json.dumps(head, separators=(",", ":"))[:-1] + ',"cases":[\n' + ",\n".join(json.dumps(c, separators=(",", ":")) for c in CASES) + "\n]}\n")
