"""Writes what the special and the elementary functions must give, from mpmath.

    python tests/oracle/ref_special.py BUILD/bin/tl_ref_special_test [--complex]

tests/ref/special.json    points and values, to which src/ref/special_test.c counts units of the last place. The values are
                          mpmath's at 60 digits, kept in twice the type's precision. Most points are drawn at random over
                          the domain; the rest are those of many more at which the functions, run by the test's --eval, are
                          farthest off.
tests/ref/ops/special.json    the values at the edges (poles, infinities, zeros, NaN), and of the ops on bits and places.
"""
import json, math, struct, subprocess, sys
from importlib.metadata import version
import mpmath as M
import numpy as np

M.mp.dps = 60
SEED = 20261130
NP = {"f64": np.float64, "f32": np.float32}
mpf = M.mpf


# ---- Domains: a function of (rng, n) to points [n, operands] ----

def uniform(lo, hi):
    return lambda rng, n: rng.uniform(lo, hi, size=(n, 1))


def log_uniform(lo, hi, signs=False):
    def draw(rng, n):
        x = np.exp(rng.uniform(math.log(lo), math.log(hi), size=(n, 1)))
        return x * rng.choice([-1.0, 1.0], size=(n, 1)) if signs else x
    return draw


def near(at, signs=(-1, 1)):  # relatively near a point, from 2^-40 to 2^-4
    return lambda rng, n: at + rng.choice(signs, size=(n, 1)) * abs(at) * np.exp2(rng.uniform(-40, -4, size=(n, 1)))


def mixed(*draws):
    def draw(rng, n):
        parts = [d(rng, n // len(draws) + 1) for d in draws]
        x = np.concatenate(parts)
        rng.shuffle(x)
        return x[:n]
    return draw


def pairs(first, second):
    return lambda rng, n: np.concatenate([first(rng, n), second(rng, n)], axis=1)


def integers(lo, hi):
    return lambda rng, n: rng.integers(lo, hi + 1, size=(n, 1)).astype(np.float64)


# ---- Functions, in mpmath ----

def lgamma(x):
    return M.log(abs(M.gamma(x))) if abs(x) < 1e4 else M.loggamma(x).real if x > 0 else M.log(abs(M.gamma(x)))


def hurwitz(s, q):  # q < 0 too, for integral s
    shift = mpf(0)
    while q < 0:
        shift += q ** -int(s)
        q += 1
    while q < 40:  # mpmath's own zeta loses digits where s and q are large
        shift += q**-s
        q += 1
    return shift + hurwitz_far(s, q)


def hurwitz_far(s, q):  # Euler and Maclaurin
    y = q ** (1 - s) / (s - 1) + q**-s / 2
    f = s / q
    for j in range(1, 60):
        y += q**-s * f * M.bernoulli(2 * j) / M.factorial(2 * j)
        f *= (s + 2 * j - 1) * (s + 2 * j) / (q * q)
    return y


def polygamma(n, x):
    n = int(n)
    return (-1) ** (n + 1) * M.factorial(n) * hurwitz(n + 1, x)


def erf_inv(y):
    if abs(y) < mpf("0.999"):
        return M.erfinv(y)
    target = M.log(1 - abs(y))
    x = M.sqrt(-target)
    for _ in range(200):
        g = M.erfc(x)
        step = (M.log(g) - target) / (2 * M.exp(-x * x) / M.sqrt(M.pi) / g)
        x += step
        if abs(step) < mpf(10) ** -50:
            return M.sign(y) * x
    raise ValueError(y)


def digamma(x):
    return M.digamma(x)


def gelu(x):
    return x * (1 + M.tanh(M.sqrt(2 / M.pi) * (x + mpf("0.044715") * x**3))) / 2


def well_conditioned(f, limit):
    """Points where f is not near a zero: |x f'/f| below the limit."""
    def keep(*x):
        h = mpf(2) ** -80 * abs(x[-1])
        y = f(*x)
        slope = (f(*x[:-1], x[-1] + h) - y) / h
        return y != 0 and abs(x[-1] * slope / y) < limit
    return keep


POSITIVE = mixed(log_uniform(1e-300, 1e300), log_uniform(1e-3, 1e3), uniform(0.01, 12))
ALL = log_uniform(1e-300, 1e300, True)
CORE = "core"
# op, part (the row of special_ulps.def), function, draw, keep
FUNCTIONS = [
    ("lgamma", 0, lgamma, mixed(POSITIVE, near(1.0), near(2.0)), None),
    ("lgamma", 1, lgamma, uniform(-20, 0), None),
    ("digamma", 0, digamma, mixed(POSITIVE, near(1.4616321449683622)), None),
    ("digamma", 1, digamma, uniform(-20, 0), None),
    ("trigamma", 0, lambda x: hurwitz(2, x), mixed(log_uniform(1e-150, 1e300), log_uniform(1e-3, 1e3), uniform(0.01, 12)), None),
    ("trigamma", 1, lambda x: hurwitz(2, x), uniform(-20, 0), None),
    ("polygamma", 0, polygamma, pairs(integers(0, 100), mixed(log_uniform(0.01, 1e3), uniform(0.1, 12))), None),
    ("polygamma", 1, polygamma, pairs(integers(1, 12), uniform(-10, 0)), well_conditioned(polygamma, 100)),
    ("zeta", 0, hurwitz, pairs(mixed(uniform(1.001, 4), uniform(1.1, 60)), mixed(log_uniform(0.01, 1e4), uniform(0.1, 12))), None),
    ("zeta", 1, hurwitz, pairs(integers(2, 12), uniform(-10, 0)), well_conditioned(hurwitz, 100)),
    ("erf", 0, M.erf, mixed(log_uniform(1e-300, 6, True), uniform(-4, 4)), None),
    ("erfc", 0, M.erfc, mixed(uniform(-6, 6), uniform(0.4, 26)), None),
    ("erf_inv", 0, erf_inv, mixed(uniform(-1, 1), log_uniform(1e-300, 1, True), near(1.0, (-1,)), near(-1.0, (1,)),
                                  lambda rng, n: 1 - np.exp2(-rng.uniform(40, 53, size=(n, 1)))), lambda x: abs(x) < 1),
    ("bessel_i1e", 0, lambda x: M.besseli(1, x) * M.exp(-abs(x)), mixed(uniform(-30, 30), log_uniform(1e-300, 1e4, True)), None),
    ("sinh", 0, M.sinh, mixed(uniform(-710, 710), log_uniform(1e-300, 700, True), uniform(-3, 3)), None),
    ("cosh", 0, M.cosh, mixed(uniform(-710, 710), log_uniform(1e-8, 700, True), uniform(-3, 3)), None),
    ("asin", 0, M.asin, mixed(uniform(-1, 1), log_uniform(1e-300, 1, True), near(1.0, (-1,))), None),
    ("acos", 0, M.acos, mixed(uniform(-1, 1), log_uniform(1e-10, 1, True), near(1.0, (-1,))), None),
    ("atan", 0, M.atan, mixed(uniform(-4, 4), ALL), None),
    ("asinh", 0, M.asinh, mixed(uniform(-4, 4), ALL, log_uniform(1e-3, 1e10, True)), None),
    ("acosh", 0, M.acosh, mixed(log_uniform(1, 1e300), uniform(1, 9), near(1.0, (1,))), None),
    ("atanh", 0, M.atanh, mixed(uniform(-1, 1), log_uniform(1e-300, 1, True), near(1.0, (-1,))), None),
    ("gelu", 0, gelu, uniform(-1, 8), None),
    ("silu", 0, lambda x: x / (1 + M.exp(-x)), uniform(-80, 80), None),
    ("exponential", 0, M.exp, mixed(uniform(-700, 709), uniform(-3, 3), uniform(-85, 88)), None),
    ("exponential_minus_one", 0, M.expm1, mixed(uniform(-40, 88), log_uniform(1e-300, 1, True), uniform(-3, 3)), None),
    ("log", 0, M.log, mixed(log_uniform(1e-300, 1e300), near(1.0), uniform(0.01, 9)), None),
    ("log_plus_one", 0, M.log1p, mixed(log_uniform(1e-300, 1e300), uniform(-1, 3), log_uniform(1e-30, 0.9, True)), None),
    ("tanh", 0, M.tanh, mixed(uniform(-10, 10), uniform(0.62, 0.75), log_uniform(1e-300, 1, True)), None),
    ("logistic", 0, lambda x: 1 / (1 + M.exp(-x)), mixed(uniform(-700, 40), uniform(-80, 20), uniform(-4, 4)), None),
    ("sine", 0, M.sin, mixed(uniform(-10, 10), log_uniform(1e-300, 1e6, True)), None),
    ("cosine", 0, M.cos, mixed(uniform(-10, 10), log_uniform(1e-6, 1e6, True)), None),
    ("tan", 0, M.tan, mixed(uniform(-10, 10), log_uniform(1e-300, 1e6, True)), None),
    ("cbrt", 0, lambda x: M.sign(x) * M.cbrt(abs(x)), ALL, None),
    ("atan2", 0, M.atan2, pairs(mixed(log_uniform(1e-30, 1e30, True), uniform(-4, 4)), mixed(log_uniform(1e-30, 1e30, True), uniform(-4, 4))), None),
    ("power", 0, M.power, pairs(mixed(log_uniform(1e-30, 1e30), uniform(0.5, 2)), mixed(uniform(-9, 9), uniform(-300, 300))), None),
    ("sqrt", 0, M.sqrt, log_uniform(1e-300, 1e300), None),
    ("rsqrt", 0, M.rsqrt if hasattr(M, "rsqrt") else lambda x: 1 / M.sqrt(x), log_uniform(1e-300, 1e300), None),
]
def anywhere(rng, n):  # of every size, near 1, and 1
    parts = np.stack([np.exp(rng.uniform(math.log(1e-150), math.log(1e150), size=n)), np.exp(rng.uniform(math.log(1e-3), math.log(1e3), size=n)),
                      rng.uniform(0, 4, size=n), 1 + np.exp2(rng.uniform(-40, -1, size=n)) * rng.choice([-1, 1], size=n), np.ones(n)])
    return parts[rng.integers(0, 5, size=n), np.arange(n)] * rng.choice([-1.0, 1.0], size=n)


def plane(rng, n):
    return np.stack([anywhere(rng, n), anywhere(rng, n)], 1)


def strip(rng, n):
    return np.stack([rng.uniform(-80, 80, size=n) * rng.choice([1, 1e-2, 1e-5], size=n), rng.uniform(-20, 20, size=n)], 1)


COMPLEX = [("asin", M.asin, plane), ("acos", M.acos, plane), ("asinh", M.asinh, plane), ("acosh", M.acosh, plane),
           ("atan", M.atan, plane), ("atanh", M.atanh, plane), ("sinh", M.sinh, strip), ("cosh", M.cosh, strip)]
# Kept points: at random, and of those farthest off.
COUNTS = {"f64": (50, 30), "f32": (40, 20), "f16": (20, 0), "bf16": (20, 0)}
CANDIDATES = {"f64": 1500, "f32": 800, "f16": 60, "bf16": 60}


def rounded(d, x):  # to the type's points, as f64
    if d == "f64":
        return x
    with np.errstate(all="ignore"):
        if d == "f32":
            return x.astype(np.float32).astype(np.float64)
        if d == "f16":
            return x.astype(np.float16).astype(np.float64)
        bits = x.astype(np.float32).view(np.uint32)  # bf16: truncated, which is as good a point
        return (bits & np.uint32(0xFFFF0000)).view(np.float32).astype(np.float64)


RANGE = {"f64": (1e-300, 1.7e308), "f32": (1.2e-38, 3.4e38), "f16": (6.2e-5, 6.5e4), "bf16": (1.2e-38, 3.3e38)}
BITS = {"f64": 53, "f32": 24, "f16": 11, "bf16": 8}


def evaluate(tool, op, d, x):
    raw = subprocess.run([tool, "--eval", op, d], input=np.ascontiguousarray(x.T).tobytes(), stdout=subprocess.PIPE, check=True).stdout
    return np.frombuffer(raw, np.float64)


def points(tool, rng, row, d):
    op, part, f, draw, keep = row
    floor = 1 if op in ("lgamma", "digamma") and part == 1 else 0  # as in special_ulps.def
    lo, hi = RANGE[d]
    n_random, n_hard = COUNTS[d]
    x = rounded(d, draw(rng, 40 * CANDIDATES[d]))  # most lie outside of a narrow type's range
    good, wants = [], []
    for i, p in enumerate(x):
        if len(good) == CANDIDATES[d]:
            break
        if not all(lo < abs(v) < hi or (v == 0 and op == "polygamma") for v in p) or p[-1] == 0:
            continue
        args = [mpf(float(v)) for v in p]
        try:
            if keep and not keep(*args):
                continue
            y = f(*args)
        except (ValueError, ZeroDivisionError):
            continue
        if isinstance(y, M.mpc) or not lo < abs(y) < hi:
            continue
        good.append(i)
        wants.append(y)
    x = x[good]
    got = evaluate(tool, op, d, x)
    off = []
    for y, g in zip(wants, got):
        ulp = mpf(2) ** (int(M.floor(M.log(max(abs(y), floor), 2))) - BITS[d] + 1)
        off.append(float(abs(mpf(float(g)) - y) / ulp) if math.isfinite(g) else 1e300)
    order = list(range(min(n_random, len(x))))
    order += [i for i in sorted(range(len(x)), key=lambda i: -off[i]) if i not in order][:n_hard]
    print(f"{op:22} part {part} {d:5} {len(x):5} points, {max(off):10.3f} ulp", [float(v) for v in x[off.index(max(off))]], file=sys.stderr)
    x, wants = x[order], [wants[i] for i in order]
    out = {"x": np.ascontiguousarray(x.T).astype(np.float64).tobytes().hex(), "y": "", "rest": ""}
    for y in wants:
        high = float(y)
        out["y"] += struct.pack("<d", high).hex()
        if d == "f64":
            out["rest"] += struct.pack("<f", float((y - mpf(high)) / (abs(y) * mpf(2) ** -52))).hex()
    if d != "f64":
        out["x"] = np.ascontiguousarray(x.T).astype(np.float32).tobytes().hex()
        del out["rest"]
    return out


def complex_points(tool, rng, op, f, draw, d):
    part = {"c128": "f64", "c64": "f32"}[d]
    lo, hi = RANGE[part]
    hi = min(hi, 1e300)
    x = rounded(part, draw(rng, 400 if d == "c128" else 200))
    x = x[np.all((np.abs(x) > lo) & (np.abs(x) < hi), axis=1)]
    M.mp.dps = 700  # what the parts are lost in
    wants = [f(M.mpc(float(a), float(b))) for a, b in x]
    M.mp.dps = 60
    good = [i for i, w in enumerate(wants) if all(lo < abs(v) < hi for v in (w.real, w.imag))]
    x, wants = x[good], [wants[i] for i in good]
    kind = {"c128": "complex<f64>", "c64": "complex<f32>"}[d]
    raw = subprocess.run([tool, "--eval", op, kind], input=np.ascontiguousarray(x).tobytes(), stdout=subprocess.PIPE, check=True).stdout
    got = np.frombuffer(raw, np.float64).reshape(-1, 2)
    off = []
    for w, g in zip(wants, got):
        off.append(max(float(abs(mpf(float(b)) - +a) / mpf(2) ** (int(M.floor(M.log(abs(a), 2))) - BITS[part] + 1)) if math.isfinite(b) else 1e300
                       for a, b in zip((w.real, w.imag), g)))
    order = list(range(30))
    order += [i for i in sorted(range(len(x)), key=lambda i: -off[i]) if i >= 30][:20]
    print(f"{op:22} part 0 {d:5} {len(x):5} points, {max(off):10.3f} ulp", [float(v) for v in x[off.index(max(off))]], file=sys.stderr)
    out = {"x": np.ascontiguousarray(x[order], np.float64 if d == "c128" else np.float32).tobytes().hex(), "y": "", "rest": ""}
    for i in order:
        for y in (+wants[i].real, +wants[i].imag):
            high = float(y)
            out["y"] += struct.pack("<d", high).hex()
            if d == "c128":
                out["rest"] += struct.pack("<f", float((y - mpf(high)) / (abs(y) * mpf(2) ** -52))).hex()
    if d != "c128":
        del out["rest"]
    return out


# ---- Edges ----

INF, NAN = math.inf, math.nan
EDGES = {
    "lgamma": [(0.0, INF), (-0.0, INF), (-1.0, INF), (-2.0, INF), (-1e10, INF), (INF, INF), (-INF, INF), (NAN, NAN), (1.0, 0.0), (2.0, 0.0)],
    "digamma": [(0.0, -INF), (-0.0, -INF), (-1.0, NAN), (-2.0, NAN), (INF, INF), (-INF, NAN), (NAN, NAN)],
    "trigamma": [(0.0, INF), (-0.0, INF), (-1.0, INF), (-7.0, INF), (INF, 0.0), (NAN, NAN)],
    "polygamma": [((1, 0.0), INF), ((2, 0.0), NAN), ((1, -3.0), INF), ((2, -3.0), NAN), ((3, -3.0), INF), ((0, -3.0), NAN), ((0, 0.0), -INF),
                  ((-1, 1.0), NAN), ((1.5, 1.0), NAN), ((2, NAN), NAN), ((NAN, 1.0), NAN), ((1, INF), 0.0), ((2, INF), -0.0)],
    "zeta": [((1, 0.5), INF), ((0.5, 2.0), NAN), ((2, 0.0), INF), ((3, 0.0), NAN), ((2, -4.0), INF), ((3, -4.0), NAN), ((2.5, -0.5), NAN),
             ((2.5, 0.0), NAN), ((NAN, 1.0), NAN), ((2, NAN), NAN), ((2, INF), 0.0), ((INF, 2.0), 0.0), ((INF, 1.0), 1.0), ((INF, 0.5), INF)],
    "erf": [(0.0, 0.0), (-0.0, -0.0), (INF, 1.0), (-INF, -1.0), (NAN, NAN), (9.0, 1.0)],
    "erfc": [(0.0, 1.0), (INF, 0.0), (-INF, 2.0), (NAN, NAN), (30.0, 0.0), (-9.0, 2.0)],
    "erf_inv": [(0.0, 0.0), (-0.0, -0.0), (1.0, INF), (-1.0, -INF), (1.5, NAN), (-INF, NAN), (INF, NAN), (NAN, NAN)],
    "bessel_i1e": [(0.0, 0.0), (-0.0, -0.0), (INF, 0.0), (-INF, -0.0), (NAN, NAN)],
    "sinh": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (NAN, NAN), (1e5, INF), (-1e5, -INF)],
    "cosh": [(0.0, 1.0), (-0.0, 1.0), (INF, INF), (-INF, INF), (NAN, NAN), (1e5, INF)],
    "asin": [(0.0, 0.0), (-0.0, -0.0), (1.5, NAN), (-INF, NAN), (NAN, NAN)],
    "acos": [(1.0, 0.0), (1.5, NAN), (-1.5, NAN), (INF, NAN), (NAN, NAN)],
    "atan": [(0.0, 0.0), (-0.0, -0.0), (NAN, NAN)],
    "asinh": [(0.0, 0.0), (-0.0, -0.0), (INF, INF), (-INF, -INF), (NAN, NAN)],
    "acosh": [(1.0, 0.0), (INF, INF), (0.5, NAN), (-2.0, NAN), (-INF, NAN), (NAN, NAN)],
    "atanh": [(0.0, 0.0), (-0.0, -0.0), (1.0, INF), (-1.0, -INF), (1.5, NAN), (INF, NAN), (NAN, NAN)],
    "gelu": [(0.0, 0.0), (INF, INF), (NAN, NAN)],
    "silu": [(0.0, 0.0), (INF, INF), (NAN, NAN)],
    "relu": [(0.0, 0.0), (-0.0, 0.0), (INF, INF), (-INF, 0.0), (NAN, NAN), (2.5, 2.5), (-2.5, 0.0)],
    "step": [(0.0, 0.0), (-0.0, 0.0), (INF, 1.0), (-INF, 0.0), (NAN, 0.0), (1e-30, 1.0), (-2.5, 0.0)],
}


def tensor(kind, a):
    return {"type": kind, "dims": list(a.shape), "data": np.ascontiguousarray(a).tobytes().hex()}


def edge_cases():
    cases = []
    for op, rows in EDGES.items():
        for d in ("f32", "f64"):
            xs = [x if isinstance(x, tuple) else (x,) for x, _ in rows]
            ins = [tensor(d, np.array(col, NP[d])) for col in zip(*xs)]
            cases.append({"op": op, "in": ins, "out": [tensor(d, np.array([y for _, y in rows], NP[d]))], "attrs": {}})
    rng = np.random.default_rng(SEED)
    for d in ("f32", "f64"):
        t = NP[d]
        special = np.array([0.0, -0.0, 1.0, -1.0, INF, -INF, NAN, 1e-45, -1e-45, 3e38, 0.5], t)
        x, y = [a.ravel() for a in np.meshgrid(special, special)]
        x, y = np.concatenate([x, rng.normal(size=40).astype(t)]), np.concatenate([y, rng.normal(size=40).astype(t)])
        with np.errstate(all="ignore"):
            z = np.nextafter(x, y)
        cases.append({"op": "next_after", "in": [tensor(d, x), tensor(d, y)], "out": [tensor(d, z)], "attrs": {}, "f64": False})
    for name, t in (("i8", np.int8), ("i32", np.int32), ("i64", np.int64), ("ui8", np.uint8), ("ui32", np.uint32), ("ui64", np.uint64)):
        info = np.iinfo(t)
        edge = [v for v in (0, 1, -1, 2, info.max, info.min, info.max - 1, info.min + 1, 3) if info.min <= v <= info.max]
        x, y = [a.ravel() for a in np.meshgrid(np.array(edge, t), np.array(edge, t))]
        x = np.concatenate([x, rng.integers(info.min, info.max, size=30, dtype=t, endpoint=True)])
        y = np.concatenate([y, rng.integers(info.min, info.max, size=30, dtype=t, endpoint=True)])
        z = np.array([(int(a) * int(b)) >> info.bits for a, b in zip(x, y)], t)
        cases.append({"op": "mulhi", "in": [tensor(name, x), tensor(name, y)], "out": [tensor(name, z)], "attrs": {}})
    for name, t in (("f32", np.float32), ("i32", np.int32), ("ui8", np.uint8)):
        for shape, k in (((3, 7), 3), ((9,), 9), ((2, 1, 4), 1), ((2, 5), 0)):
            x = rng.integers(0, 5, size=shape).astype(t)
            if t == np.float32 and shape == (9,):
                x = np.array([0.0, -0.0, NAN, INF, -INF, 1.0, NAN, 0.0, -0.0], t)
            order = np.argsort(-key(x), axis=-1, kind="stable")[..., :k]
            cases.append({"op": "top_k", "in": [tensor(name, x)], "out": [tensor(name, np.take_along_axis(x, order, -1)),
                          tensor("i32", order.astype(np.int32))], "attrs": {"k": k}})
    return cases


def key(x):  # the total order as integers
    if x.dtype != np.float32:
        return x.astype(np.int64)
    bits = x.view(np.int32).astype(np.int64)
    return np.where(bits < 0, -(bits & 0x7FFFFFFF) - 1, bits)


def main():
    tool = sys.argv[1]
    rng = np.random.default_rng(SEED)
    functions = []
    if "--complex" in sys.argv:  # the rest as it is
        functions = json.load(open("tests/ref/special.json"))["functions"]
    for row in FUNCTIONS if not functions else []:
        entry = {"op": row[0], "part": row[1]}
        for d in COUNTS:
            entry[d] = points(tool, rng, row, d)
        functions.append(entry)
    head = {"oracle": "tests/oracle/ref_special.py", "seed": SEED, "mpmath": version("mpmath"), "numpy": version("numpy")}
    rng = np.random.default_rng(SEED)
    planes = [{"op": op, **{d: complex_points(tool, rng, op, f, draw, d) for d in ("c128", "c64")}} for op, f, draw in COMPLEX]
    text = json.dumps({**head, "functions": functions, "complex": planes}, separators=(",", ":")).replace('{"op"', '\n{"op"')
    open("tests/ref/special.json", "w").write(text + "\n")
    text = json.dumps({**head, "cases": edge_cases()}, separators=(",", ":")).replace('{"op"', '\n{"op"')
    open("tests/ref/ops/special.json", "w").write(text + "\n")


main()
