"""Writes tests/ref/ops/kv8.json: kv_cache_write into pools of f8E4M3FN, i8 and f16, and paged_attention over them, by numpy and
ml_dtypes from the arithmetic that src/ir/decompose_pages.c states.

    python tests/oracle/ref_kv8.py tests/ref/ops
"""
import json, sys
import ml_dtypes
import numpy as np

SEED = 20261201
rng = np.random.default_rng(SEED)
E4M3 = ml_dtypes.float8_e4m3fn
NP = {"i8": np.int8, "i32": np.int32, "f32": np.float32, "f16": np.float16, "f8E4M3FN": E4M3}
F = np.float32
CASES = []


def tensor(dtype, values):
    a = np.asarray(values)
    return {"type": dtype, "dims": list(a.shape), "data": np.ravel(a).astype(NP[dtype]).tobytes().hex()}


def case(op, ins, outs, attrs=None, **more):
    CASES.append({"op": op, "in": ins, "out": outs, "attrs": attrs or {}, "f64": False, **more})


def half_away(x):
    return np.copysign(np.floor(np.abs(x.astype(np.float64)) + 0.5), x)  # f64 holds every f32 and a half exactly


def codes(x):  # [..., D] -> i8 [..., D + 4]
    scale = (np.abs(x).max(-1, keepdims=True) / F(127)).astype(F)
    scale = np.where(scale == 0, F(1), scale).astype(F)
    q = np.clip(half_away((x / scale).astype(F)), -127, 127).astype(np.int8)
    return np.concatenate([q, scale.view(np.int8).reshape(*x.shape[:-1], 4)], -1)


def numbers(pool):  # of either kind, f32
    if pool.dtype != np.int8: return pool.astype(F)
    return pool[..., :-4].astype(F) * np.ascontiguousarray(pool[..., -4:]).view(F)


def rows_of(kind, x):
    return codes(x) if kind == "i8" else x.astype(np.float16) if kind == "f16" else np.clip(x, -448, 448).astype(E4M3)


def write(pool, new, slots, offset, kind):
    out = pool.copy()
    flat = out.reshape(-1, *pool.shape[2:])
    for row, slot in zip(rows_of(kind, new), slots):
        at = slot + offset * pool.shape[1]
        if slot >= 0 and at < len(flat): flat[at] = row
    return out


def attention(q, k, v, tables, lengths, scale):
    out = np.zeros(q.shape)
    KvH, bs = k.shape[2], k.shape[1]
    for n in range(len(q)):
        tab, L = tables[n * len(tables) // len(q)], lengths[n]
        for h in range(q.shape[1]):
            at = [(tab[j // bs], j % bs, h * KvH // q.shape[1]) for j in range(L)]
            s = np.array([k[a].astype(np.float64) @ q[n, h].astype(np.float64) * scale for a in at])
            e = np.exp(s - s.max())
            out[n, h] = (e / e.sum()) @ np.array([v[a].astype(np.float64) for a in at])
    return out


for kind, dtype in (("fp8", "f8E4M3FN"), ("i8", "i8"), ("f16", "f16")):
    pool = rows_of(kind, rng.normal(size=(4, 3, 2, 6)).astype(F))
    new = rng.normal(size=(6, 2, 6)).astype(F) * np.array([1, 30, 1e-3, 200, 0, 1e-30], F)[:, None, None]
    new[0, 0] = [127, 2.5, 3.5, -0.5, -1.5, 126.5]  # a scale of one, and halves
    new[1, 1] = [1000, -1000, 448, 463.9, 464.1, -464]
    slots = [0, 5, -1, 11, 12, 7]
    for offset in (0, 2):
        case("kv_cache_write", [tensor(dtype, pool), tensor("f32", new), tensor("i32", slots)],
             [tensor(dtype, write(pool, new, slots, offset, kind))], {"block_offset": offset})
    q = rng.normal(size=(4, 4, 6)).astype(F)
    k, v = (rows_of(kind, rng.normal(size=(7, 5, 2, 6)).astype(F)) for _ in range(2))
    tables, lengths = np.array([[3, 1, 0], [2, 6, 5]]), [1, 15, 8, 11]
    case("paged_attention", [tensor("f32", q), tensor(dtype, k), tensor(dtype, v), tensor("i32", tables), tensor("i32", lengths)],
         [tensor("f32", attention(q, numbers(k), numbers(v), tables, lengths, 0.4))], {"scale": 0.4}, tol=2e-6)

head = {"oracle": "tests/oracle/ref_kv8.py", "seed": SEED, "numpy": np.__version__, "ml_dtypes": ml_dtypes.__version__}
with open(sys.argv[1] + "/kv8.json", "w") as out:
    out.write(json.dumps(head, separators=(",", ":"))[:-1] + ',"cases":[\n' + ",\n".join(json.dumps(c, separators=(",", ":")) for c in CASES) + "\n]}\n")
