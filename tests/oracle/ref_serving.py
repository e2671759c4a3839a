"""Writes tests/ref/ops/serving.json: dequantize_kv, nvfp4_matmul, causal_conv1d, gated_delta_rule and moe_experts, token by
token in numpy's float64 from their formulas, rounded once; e4m3 codes by ml_dtypes.

    python tests/oracle/ref_serving.py tests/ref/ops
"""
import json, sys
import ml_dtypes
import numpy as np

SEED = 20261130
rng = np.random.default_rng(SEED)
NP = {"i8": np.int8, "i32": np.int32, "i64": np.int64, "ui8": np.uint8, "f32": np.float32, "bf16": ml_dtypes.bfloat16,
      "f8E4M3FN": ml_dtypes.float8_e4m3fn}
CASES = []


def tensor(dtype, values):
    a = np.asarray(values)
    return {"type": dtype, "dims": list(a.shape), "data": np.ravel(a).astype(NP[dtype]).tobytes().hex()}


def case(op, ins, outs, attrs=None, **more):
    CASES.append({"op": op, "in": ins, "out": outs, "attrs": attrs or {}, "f64": False, **more})


def draw(*shape, scale=1.0, dtype="f32"):
    return (rng.normal(size=shape) * scale).astype(NP[dtype])


def dequantize():
    for shape, scales, kind, out in (((3, 4, 2, 8), 2, "int8", "f32"), ((2, 8), 1, "int4", "bf16"), ((5, 3, 4), 3, "int8", "f32")):
        top = 127 if kind == "int8" else 7
        codes = rng.integers(-top, top + 1, size=shape).astype(np.int32)
        scale = (rng.uniform(0.01, 0.1, size=scales)).astype(np.float32)
        product = (codes.astype(np.float32) * scale[:, None]).astype(np.float32)  # one rounding to f32, then to the result
        case("dequantize_kv", [tensor("i32", codes), tensor("f32", scale)], [tensor(out, product)], {"kv_quant_dtype": kind})


E2M1 = np.array([0, .5, 1, 1.5, 2, 3, 4, 6, -0., -.5, -1, -1.5, -2, -3, -4, -6])


def nvfp4():
    for rows, n, k in ((3, 17, 128), (1, 16, 64), (2, 5, 192)):
        tiles, groups = -(-n // 16), k // 64
        nibbles = rng.integers(0, 16, size=(16 * tiles, k))
        scale_bits = rng.integers(0x20, 0x50, size=(16 * tiles, k // 16)).astype(np.uint8)
        codes = np.zeros((tiles, groups, 512), np.uint8)
        scales = np.zeros((tiles, groups, 64), np.uint8)
        for t in range(tiles):
            for g in range(groups):
                at = 0
                for r in range(8):
                    for j in range(4):
                        for s in range(4):
                            for h in range(2):
                                for q in range(2):
                                    row, i = 16 * t + 8 * q + r, 32 * g + 8 * s + 4 * h + j
                                    codes[t, g, at] = nibbles[row, 2 * i] | nibbles[row, 2 * i + 1] << 4
                                    at += 1
                for r in range(16):
                    for s in range(4):
                        scales[t, g, 4 * r + s] = scale_bits[16 * t + r, 4 * g + s]
        scale2 = rng.uniform(0.001, 0.01, size=n).astype(np.float32)
        x = draw(rows, k)
        w = E2M1[nibbles] * np.repeat(scale_bits.view(ml_dtypes.float8_e4m3fn).astype(np.float64), 16, axis=1)
        y = x.astype(ml_dtypes.bfloat16).astype(np.float64) @ w[:n].T * scale2
        case("nvfp4_matmul", [tensor("f32", x), tensor("ui8", codes), tensor("ui8", scales), tensor("f32", scale2)],
             [tensor("f32", y)], tol=1e-6)


# Rows of tokens: padding first, then one slot; positions from 0 or from somewhere.
LAYOUTS = [([[-1, -1, 4, 4, 4], [2, 2, 2, 2, 2]], [[0, 0, 7, 8, 9], [0, 1, 2, 3, 4]]),
           ([[0], [3]], [[1], [0]]),
           ([[-1, -1, -1], [1, 1, 1], [-1, -1, 5]], [[0, 0, 0], [1, 2, 3], [0, 0, 0]])]


def slots(layout, own, S):
    token, position = (np.array(a, np.int32) for a in layout)
    ins = [tensor("i32", token), tensor("i32", position)]
    write = None
    if own:
        write = np.full(token.shape, -1, np.int32)
        free = [s for s in range(S)]
        for b in range(token.shape[0]):
            for t in range(token.shape[1]):
                if token[b, t] >= 0 and (b + t) % 2 == 0 and free:
                    write[b, t] = free.pop()
        ins.append(tensor("i32", write))
    return token, position, write, ins


def conv():
    for layout in LAYOUTS:
        for K in (1, 2, 4):
            for own in (False, True):
                S, C = 7, 3
                token, position, write, ins = slots(layout, own, S)
                B, T = token.shape
                x, w, state = draw(B, T, C), draw(K, C), draw(S, K - 1, C)
                y, after = np.zeros((B, T, C)), state.astype(np.float64)
                for b in range(B):
                    past = None
                    for t in range(T):
                        s = token[b, t]
                        if s < 0:
                            continue
                        if past is None:
                            past = [row for row in state[s].astype(np.float64)]
                        if position[b, t] == 0:
                            past = [np.zeros(C)] * (K - 1)
                        begun = min(int(position[b, t]), K - 1)  # inputs before the sequence count for nothing
                        past = [np.zeros(C)] * (K - 1 - begun) + past[K - 1 - begun:]
                        window = past + [x[b, t].astype(np.float64)]
                        y[b, t] = sum(w[i].astype(np.float64) * window[i] for i in range(K))
                        past = window[1:]
                        if own and write[b, t] >= 0 and K > 1:
                            after[write[b, t]] = past
                    if past is not None and not own and K > 1:
                        after[token[b].max()] = past
                case("causal_conv1d", [tensor("f32", x), tensor("f32", w), tensor("f32", state)] + ins,
                     [tensor("f32", y), tensor("f32", after)], tol=3e-7)


def delta():
    for layout in LAYOUTS:
        for Hk, Hv in ((1, 1), (2, 4)):
            for own in (False, True):
                S, Dk, Dv = 7, 4, 3
                token, position, write, ins = slots(layout, own, S)
                B, T = token.shape
                q, k, v = draw(B, T, Hk, Dk, scale=.5), draw(B, T, Hk, Dk, scale=.5), draw(B, T, Hv, Dv)
                g, beta, state = -np.abs(draw(B, T, Hv)), np.abs(draw(B, T, Hv, scale=.3)), draw(S, Hv, Dk, Dv)
                o, after = np.zeros((B, T, Hv, Dv)), state.astype(np.float64)
                for b in range(B):
                    m = None
                    for t in range(T):
                        s = token[b, t]
                        if s < 0:
                            continue
                        if m is None:
                            m = state[s].astype(np.float64)
                        if position[b, t] == 0:
                            m = np.zeros_like(m)
                        m = m.copy()
                        for h in range(Hv):
                            kh, qh = (a[b, t, h // (Hv // Hk)].astype(np.float64) for a in (k, q))
                            m[h] *= np.exp(np.float64(g[b, t, h]))
                            m[h] += np.outer(kh, np.float64(beta[b, t, h]) * (v[b, t, h] - kh @ m[h]))
                            o[b, t, h] = qh @ m[h]
                        if own and write[b, t] >= 0:
                            after[write[b, t]] = m
                    if m is not None and not own:
                        after[token[b].max()] = m
                case("gated_delta_rule", [tensor("f32", a) for a in (q, k, v, g, beta, state)] + ins,
                     [tensor("f32", o), tensor("f32", after)], tol=1e-6)


def experts():
    for R, H, inner, E, top_k, kind in ((3, 8, 4, 5, 2, "f32"), (40, 6, 3, 4, 3, "f32"), (2, 8, 4, 6, 6, "i8"), (3, 8, 4, 5, 2, "f8E4M3FN"),
                                        (33, 4, 2, 3, 2, "i8"), (4, 8, 4, 5, 2, "bf16")):
        x, logits = draw(R, H), draw(R, E)
        logits[0, : min(E, 3)] = 1.5  # ties: the lower expert first
        scaled = kind in ("i8", "f8E4M3FN")
        gu, down = (rng.integers(-127, 128, size=s).astype(np.int8) if kind == "i8" else draw(*s, dtype=kind) for s in ((E, 2 * inner, H), (E, H, inner)))
        gus, ds = (rng.uniform(.001, .02, size=s).astype(np.float32) for s in ((E, 2 * inner), (E, H)))
        wide = lambda a: a.astype(np.float64)
        p = np.exp(wide(logits) - wide(logits).max(1, keepdims=True))
        p /= p.sum(1, keepdims=True)
        if kind == "bf16":
            p = wide(p.astype(np.float32).astype(ml_dtypes.bfloat16))
        y = np.zeros((R, H))
        for r in range(R):
            chosen = sorted(range(E), key=lambda e: (-p[r, e], e))[:top_k]
            total = sum(p[r, e] for e in chosen)
            for e in chosen:
                z = wide(gu[e]) @ wide(x[r]) * (wide(gus[e]) if scaled else 1)
                a = z[:inner] / (1 + np.exp(-z[:inner])) * z[inner:]
                if kind == "bf16":
                    a = wide(a.astype(np.float32).astype(ml_dtypes.bfloat16))
                y[r] += p[r, e] / total * (wide(down[e]) @ a * (wide(ds[e]) if scaled else 1))
        ins = [tensor("f32", x), tensor("f32", logits), tensor(kind, gu)] + ([tensor("f32", gus)] if scaled else []) + [tensor(kind, down)] + ([tensor("f32", ds)] if scaled else [])
        case("moe_experts", ins, [tensor("f32", y)], {"top_k": top_k}, tol=8e-3 if kind == "bf16" else 1e-6)


dequantize(), nvfp4(), conv(), delta(), experts()
with open(sys.argv[1] + "/serving.json", "w") as f:
    head = {"oracle": "tests/oracle/ref_serving.py", "seed": SEED, "numpy": np.__version__, "ml_dtypes": ml_dtypes.__version__, "cases": CASES}
    f.write(json.dumps(head, separators=(",", ":")).replace('{"op"', '\n{"op"') + "\n")
