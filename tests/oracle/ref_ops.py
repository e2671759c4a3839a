"""Writes tests/ref/ops/core.json and tests/ref/formats.json: what src/ref must compute, found without it.

Integers by Python's own arithmetic, floats by numpy in float64 (rounded once) or in the type itself where IEEE 754 fixes
the result, gather and scatter by the specification's formulas element by element, stored weight blocks by gguf-py, the
packed layout from the picture in src/ir/formats.def. Examples marked "spec" are the StableHLO specification's own.

    python tests/oracle/ref_ops.py tests/ref
"""
import collections, itertools, json, math, struct, sys
import numpy as np
import gguf
from gguf import quants
from importlib.metadata import version

rng = np.random.default_rng(20240607)
INTS = {"i8": (8, True), "i16": (16, True), "i32": (32, True), "i64": (64, True),
        "ui8": (8, False), "ui16": (16, False), "ui32": (32, False), "ui64": (64, False)}
NP = {"i1": np.uint8, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "ui8": np.uint8,
      "ui16": np.uint16, "ui32": np.uint32, "ui64": np.uint64, "f16": np.float16, "f32": np.float32, "f64": np.float64}
cases = []


def bf16(x):  # float -> bits, to nearest even, from f64 in one step
    def one(v):
        v = float(v)
        if math.isnan(v): return 0x7FC0
        if math.isinf(v): return 0xFF80 if v < 0 else 0x7F80
        if v == 0: return 0x8000 if math.copysign(1, v) < 0 else 0
        sign, v = (0x8000, -v) if v < 0 else (0, v)
        e = max(math.frexp(v)[1] - 1, -126)
        n = round(math.ldexp(v, 7 - e))  # Python rounds halves to even
        if n == 256: n, e = 128, e + 1
        if e > 127: return sign | 0x7F80
        return sign | (n if n < 128 else ((e + 127) << 7) | (n - 128))
    return np.array([one(v) for v in np.ravel(x)], np.uint16).reshape(np.shape(x))


def of_bf16(bits):
    return (np.asarray(bits, np.uint32) << 16).astype(np.uint32).view(np.float32).astype(np.float64)


def tensor(dtype, values, dims=None):
    a = np.asarray(values)
    dims = list(a.shape) if dims is None else dims
    if dtype == "bf16":
        raw = np.ravel(a).astype(np.uint16) if a.dtype == np.uint16 else bf16(a)
    else:
        with np.errstate(all="ignore"):
            raw = np.ravel(a).astype(NP[dtype])
    return {"type": dtype, "dims": dims, "data": raw.tobytes().hex()}


def case(op, ins, outs, attrs=None, **more):
    cases.append({"op": op, "in": ins, "out": outs, "attrs": attrs or {}, **more})


def wrap(v, bits, signed):
    v &= (1 << bits) - 1
    return v - (1 << bits) if signed and v >> (bits - 1) else v


# --- integers ---
def trunc_div(x, y):
    q = abs(x) // abs(y)
    return -q if (x < 0) != (y < 0) else q


for dtype, (bits, signed) in INTS.items():
    lo, hi = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    picks = [lo, hi, 0, 1, 3, 7, bits - 1, bits] + ([-1, -2, -7] if signed else [lo + 2])
    pairs = list(itertools.product(picks, picks))
    xs, ys = [p[0] for p in pairs], [p[1] for p in pairs]
    ones = -1 if signed else (1 << bits) - 1

    def shift(x, y, kind):
        y &= (1 << bits) - 1  # the amount as an unsigned number
        u = x & ((1 << bits) - 1)
        if kind == "left": return u << y if y < bits else 0
        if kind == "logical": return u >> y if y < bits else 0
        return wrap(u, bits, True) >> min(y, bits)

    def power(x, y):
        if y >= 0: return pow(x, y, 1 << bits) if abs(y) > 64 else x ** y
        return 1 if x == 1 else (-1 if y % 2 else 1) if x == -1 else 0

    table = {
        "add": lambda x, y: x + y, "subtract": lambda x, y: x - y, "multiply": lambda x, y: x * y,
        "divide": lambda x, y: ones if y == 0 else trunc_div(x, y),
        "remainder": lambda x, y: x if y == 0 else x - y * trunc_div(x, y),
        "maximum": max, "minimum": min, "power": power,
        "and": lambda x, y: x & y, "or": lambda x, y: x | y, "xor": lambda x, y: x ^ y,
        "shift_left": lambda x, y: shift(x, y, "left"),
        "shift_right_logical": lambda x, y: shift(x, y, "logical"),
        "shift_right_arithmetic": lambda x, y: shift(x, y, "arithmetic"),
    }
    tx, ty = tensor(dtype, np.array(xs, NP[dtype])), tensor(dtype, np.array(ys, NP[dtype]))
    for op, f in table.items():
        case(op, [tx, ty], [tensor(dtype, np.array([wrap(f(x, y), bits, signed) for x, y in pairs], NP[dtype]))])
    unary = {"not": lambda x: ~x, "negate": lambda x: -x}
    if signed: unary |= {"abs": abs, "sign": lambda x: (x > 0) - (x < 0)}
    p = tensor(dtype, np.array(picks, NP[dtype]))
    for op, f in unary.items():
        case(op, [p], [tensor(dtype, np.array([wrap(f(x), bits, signed) for x in picks], NP[dtype]))])
    for d, f in {} if bits < 32 else {"EQ": lambda x, y: x == y, "NE": lambda x, y: x != y, "GE": lambda x, y: x >= y,
                 "GT": lambda x, y: x > y, "LE": lambda x, y: x <= y, "LT": lambda x, y: x < y}.items():
        case("compare", [tx, ty], [tensor("i1", [f(x, y) for x, y in pairs])],
             {"comparison_direction": d, "compare_type": "SIGNED" if signed else "UNSIGNED"})

bools = [(0, 0), (0, 1), (1, 0), (1, 1)]
bx, by = tensor("i1", [p[0] for p in bools]), tensor("i1", [p[1] for p in bools])
for op, f in {"add": lambda x, y: x | y, "multiply": lambda x, y: x & y, "and": lambda x, y: x & y,
              "or": lambda x, y: x | y, "xor": lambda x, y: x ^ y, "maximum": max, "minimum": min}.items():
    case(op, [bx, by], [tensor("i1", [f(x, y) for x, y in bools])])
case("not", [bx], [tensor("i1", [1 - p[0] for p in bools])])

# --- floats ---
special = [0.0, -0.0, 1.0, -2.5, math.inf, -math.inf, math.nan, 1e-41, 6e-8, 65504.0, -17.1, 3.0]


def ieee_max(x, y):
    if math.isnan(x) or math.isnan(y): return math.nan
    if x == 0 and y == 0: return x if math.copysign(1, x) > 0 else y
    return max(x, y)


def ieee_min(x, y):
    return -ieee_max(-x, -y)


def sign(x):
    return x if math.isnan(x) or x == 0 else math.copysign(1.0, x)


for dtype in ("f16", "f32", "f64", "bf16"):
    # numpy computes f16 in f32 and rounds, f32 and f64 directly; bf16 is computed in f32 and rounded here
    work = np.float32 if dtype == "bf16" else NP[dtype]
    with np.errstate(all="ignore"):
        base = np.concatenate([special, rng.normal(size=2)])
        base = of_bf16(bf16(base)).astype(np.float32) if dtype == "bf16" else base.astype(work)
        x, y = (np.array([p[i] for p in itertools.product(base, base)], work) for i in (0, 1))
        small = (lambda v: bf16(np.asarray(v, np.float64))) if dtype == "bf16" else (lambda v: np.asarray(v, work))
        tx, ty, tb = tensor(dtype, small(x)), tensor(dtype, small(y)), tensor(dtype, small(base))
        for op, f in {"add": np.add, "subtract": np.subtract, "multiply": np.multiply, "divide": np.divide,
                      "remainder": np.fmod}.items():
            case(op, [tx, ty], [tensor(dtype, small(f(x, y)))])
        for op, f in {"maximum": ieee_max, "minimum": ieee_min}.items():
            case(op, [tx, ty], [tensor(dtype, small([f(float(a), float(b)) for a, b in zip(x, y)]))])
        for op, f in {"negate": np.negative, "abs": np.abs, "floor": np.floor, "ceil": np.ceil, "sqrt": np.sqrt}.items():
            case(op, [tb], [tensor(dtype, small(f(base)))])
        case("sign", [tb], [tensor(dtype, small([sign(float(v)) for v in base]))])
        case("is_finite", [tb], [tensor("i1", np.isfinite(base))])
        for d, f in {"EQ": np.equal, "NE": np.not_equal, "GE": np.greater_equal, "GT": np.greater, "LE": np.less_equal,
                     "LT": np.less}.items():
            case("compare", [tx, ty], [tensor("i1", f(x, y))], {"comparison_direction": d, "compare_type": "FLOAT"})
        # totalOrder: magnitudes as integers, negative ones mirrored
        width = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}[dtype]
        patterns = [int.from_bytes(np.asarray(v).tobytes(), "little") for v in np.ravel(small(base))]
        patterns = patterns[:8] + [p ^ (1 << (width - 1)) for p in patterns[6:8]]
        patterns += [(1 << (width - 1)) - 1, (0x7C01 if dtype == "f16" else 0x7F81 if dtype == "bf16" else 0x7F800001 if dtype == "f32" else 0x7FF0000000000001)]
        raw = {16: np.uint16, 32: np.uint32, 64: np.uint64}[width]
        pp = list(itertools.product(patterns, patterns))
        key = lambda b: -(b & ((1 << (width - 1)) - 1)) - 1 if b >> (width - 1) else b
        t0, t1 = (dict(type=dtype, dims=[len(pp)], data=np.array([p[i] for p in pp], raw).tobytes().hex()) for i in (0, 1))
        for d, f in {"EQ": lambda a, b: a == b, "LT": lambda a, b: a < b, "GE": lambda a, b: a >= b}.items():
            case("compare", [t0, t1], [tensor("i1", [f(key(a), key(b)) for a, b in pp])],
                 {"comparison_direction": d, "compare_type": "TOTALORDER"}, f64=False)
        # elementary functions: from float64 (f64: numpy's own), with a tolerance in units of the last place
        wide = np.concatenate([special, np.linspace(-20, 20, 41), rng.normal(size=20), [88.0, -87.0, 104.0, 700.0]])
        wide = of_bf16(bf16(wide)) if dtype == "bf16" else wide.astype(work).astype(np.float64)
        ulp = {"f32": 3, "f64": 3, "f16": 1, "bf16": 1}[dtype]
        for op, f in {"exponential": np.exp, "log": np.log, "tanh": np.tanh, "logistic": lambda v: 1 / (1 + np.exp(-v)),
                      "exponential_minus_one": np.expm1, "log_plus_one": np.log1p, "sine": np.sin, "cosine": np.cos,
                      "rsqrt": lambda v: 1 / np.sqrt(v)}.items():
            inputs = wide[np.abs(wide) < 1e3] if op in ("sine", "cosine") else wide
            case(op, [tensor(dtype, inputs)], [tensor(dtype, f(inputs))], ulp=ulp)
        a, b = np.array([-2.0, -0.0, -36.0, 5.0, 3.0, 100.0, 2.0, 0.5]), np.array([2.0, 2.0, 1.1, 2.0, -1.0, 4.0, 0.5, -3.0])
        a, b = (of_bf16(bf16(a)), of_bf16(bf16(b))) if dtype == "bf16" else (a.astype(work).astype(float), b.astype(work).astype(float))
        case("power", [tensor(dtype, a), tensor(dtype, b)], [tensor(dtype, np.power(a, b))], ulp=ulp)

# --- convert ---
values = [0, 1, 2, 100, 127, 128, 255, 256, 32767, 65535, 65536, (1 << 24) + 1, (1 << 31) - 1, 1 << 31, (1 << 53) + 1,
          (1 << 63) - 1, 1 << 63, (1 << 64) - 1, 257, 0x1000081, (1 << 40) + (1 << 32) + 1,
          (1 << 62) + (1 << 54) + 1]
values += [-v for v in values if v and v <= 1 << 63]
floats = special + [-0.5, 0.9999, 127.9, -128.9, 255.5, 256.5, 1e10, -1e10, 9.3e18, -9.3e18, 1.9e19, 1e30]


def round_to(dtype, v):  # a Python number to the nearest float, one rounding
    if dtype == "f64": return np.float64(v)
    if dtype == "bf16" or (isinstance(v, float) and (math.isnan(v) or math.isinf(v) or v == 0)):
        if dtype != "bf16": return NP[dtype](v)
    if isinstance(v, float) and (math.isnan(v) or math.isinf(v) or v == 0): return float(v)
    from fractions import Fraction
    p, emin, emax = {"f16": (11, -14, 15), "bf16": (8, -126, 127), "f32": (24, -126, 127)}[dtype]
    q = Fraction(v)
    s, q = (-1, -q) if q < 0 else (1, q)
    e = 0
    while q >= 2 ** (e + 1): e += 1
    while e > emin and q < Fraction(2) ** e: e -= 1
    unit = Fraction(2) ** (e - p + 1)
    n = round(q / unit)
    r = n * unit
    return s * (math.inf if r >= Fraction(2) ** (emax + 1) else float(r))


def to_int(dtype, v):
    bits, signed = INTS[dtype]
    lo, hi = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    if isinstance(v, int): return wrap(v, bits, signed)
    if math.isnan(v): return 0
    if math.isinf(v): return hi if v > 0 else lo
    return max(lo, min(hi, int(v)))


for src in [*INTS, "f16", "bf16", "f32", "f64", "i1"]:
    if src in INTS:
        ins = sorted({wrap(v, *INTS[src]) for v in values})
        tin = tensor(src, np.array(ins, NP[src]))
    elif src == "i1":
        ins, tin = [0, 1], tensor("i1", [0, 1])
    else:
        ins = [float(round_to(src, v)) for v in floats]
        tin = tensor(src, ins)
    for dst in [*INTS, "f16", "bf16", "f32", "f64", "i1"]:
        if dst in INTS: out = tensor(dst, np.array([to_int(dst, v) for v in ins], NP[dst]))
        elif dst == "i1": out = tensor("i1", [int(v != 0) for v in ins])
        else: out = tensor(dst, np.array([float(round_to(dst, v)) for v in ins]))
        case("convert", [tin], [out], f64=False)

# --- shapes ---
def arange(*dims, dtype=np.int32):
    return np.arange(int(np.prod(dims)), dtype=dtype).reshape(dims)


NAME = {np.dtype(np.int32): "i32", np.dtype(np.int64): "i64", np.dtype(np.float32): "f32", np.dtype(np.uint8): "ui8", np.dtype(np.float64): "f64"}
t = lambda a: tensor(NAME[np.asarray(a).dtype], a)
x = arange(2, 3, 4)
for perm in itertools.permutations(range(3)):
    case("transpose", [t(x)], [t(x.transpose(perm))], {"permutation": list(perm)})
case("transpose", [t(np.zeros((0, 3), np.int32))], [t(np.zeros((3, 0), np.int32))], {"permutation": [1, 0]})
case("broadcast_in_dim", [t(np.array([[1, 2, 3]], np.int32))], [t(np.broadcast_to(np.array([1, 2, 3], np.int32)[:, None], (2, 3, 2)))], {"broadcast_dimensions": [2, 1]}, source="spec")
case("broadcast_in_dim", [t(np.int32(7).reshape(()))], [t(np.full((2, 2), 7, np.int32))], {"broadcast_dimensions": []})
case("broadcast_in_dim", [t(x)], [t(np.broadcast_to(x[:, None], (2, 5, 3, 4)))], {"broadcast_dimensions": [0, 2, 3]})
case("reshape", [t(x)], [t(x.reshape(4, 6))])
case("concatenate", [t(x[:, :1]), t(x[:, 1:]), t(x[:, :0])], [t(x)], {"dimension": 1})
case("concatenate", [t(np.array([[1, 2], [3, 4], [5, 6]])), t(np.array([[7, 8]]))], [t(np.array([[1, 2], [3, 4], [5, 6], [7, 8]]))], {"dimension": 0}, source="spec")
case("slice", [t(x)], [t(x[0:2, 0:3:2, 1:4:3])], {"start_indices": [0, 0, 1], "limit_indices": [2, 3, 4], "strides": [1, 2, 3]})
case("slice", [t(x)], [t(x[1:1])], {"start_indices": [1, 0, 0], "limit_indices": [1, 3, 4], "strides": [1, 1, 1]})
case("reverse", [t(x)], [t(x[::-1, :, ::-1])], {"dimensions": [0, 2]})
case("reverse", [t(np.array([[1, 2], [3, 4], [5, 6]], np.int32))], [t(np.array([[2, 1], [4, 3], [6, 5]], np.int32))], {"dimensions": [1]}, source="spec")
s = lambda v: t(np.int64(v).reshape(()))
op4 = np.array([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 0], [0, 0, 0, 0]], np.int32)
case("dynamic_slice", [t(op4), s(-1), s(3)], [t(np.ones((2, 2), np.int32))], {"slice_sizes": [2, 2]}, source="spec")
case("dynamic_slice", [t(x), s(1), s(99), s(-5)], [t(x[1:2, 1:3, 0:4])], {"slice_sizes": [1, 2, 4]})
case("dynamic_update_slice", [t(np.array([[1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 1, 1], [1, 1, 1, 1]], np.int32)), t(np.ones((2, 2), np.int32)), s(-1), s(3)], [t(np.ones((4, 4), np.int32))], source="spec")
u = x.copy(); u[1:2, 1:3, 2:4] = -1
case("dynamic_update_slice", [t(x), t(np.full((1, 2, 2), -1, np.int32)), s(5), s(1), s(7)], [t(u)])
case("pad", [t(np.array([[1, 2, 3], [4, 5, 6]], np.int32)), t(np.int32(0).reshape(()))],
     [t(np.array([[0, 1, 0, 0, 2, 0, 0, 3, 0], [0] * 9, [0, 4, 0, 0, 5, 0, 0, 6, 0], [0] * 9, [0] * 9], np.int32))],
     {"edge_padding_low": [0, 1], "edge_padding_high": [2, 1], "interior_padding": [1, 2]}, source="spec")
for low, high, interior in [((1, -1), (1, -1), (0, 1)), ((-2, 3), (0, -4), (2, 0)), ((-1, -1), (-1, -1), (0, 0)), ((0, 0), (-3, 1), (0, 3)), ((-5, 0), (1, 0), (2, 1))]:
    a = rng.integers(0, 99, (3, 4)).astype(np.int32)
    shape = [max(n + l + h + max(n - 1, 0) * i, 0) for n, l, h, i in zip(a.shape, low, high, interior)]
    out = np.full(shape, -1, np.int32)
    for idx in np.ndindex(*a.shape):
        at = tuple(l + k * (i + 1) for l, k, i in zip(low, idx, interior))
        if all(0 <= p < n for p, n in zip(at, shape)): out[at] = a[idx]
    case("pad", [t(a), t(np.int32(-1).reshape(()))], [t(out)], {"edge_padding_low": list(low), "edge_padding_high": list(high), "interior_padding": list(interior)})
for dtype in ("i32", "ui8", "f32", "f16", "bf16", "i64"):
    for dim in (0, 1):
        case("iota", [], [tensor(dtype, np.broadcast_to(np.arange(300)[:, None] if dim == 0 else np.arange(2), (300, 2)) if dtype != "ui8" else np.broadcast_to((np.arange(300) % 256)[:, None] if dim == 0 else np.arange(2), (300, 2)))], {"iota_dimension": dim})
raw = np.array([0x0123456789ABCDEF, 0xFEDCBA9876543210], np.uint64)
bits = lambda dtype, dims: {"type": dtype, "dims": dims, "data": raw.tobytes().hex()}
for a, b in [(bits("i64", [2]), bits("f64", [2])), (bits("f64", [2]), bits("f16", [2, 4])), (bits("ui16", [2, 4]), bits("i64", [2])), (bits("ui8", [2, 8]), bits("f64", [2])), (bits("f32", [2, 2]), bits("i32", [2, 2]))]:
    case("bitcast_convert", [a], [b], f64=False)
case("select", [tensor("i1", [1, 0, 1]), t(np.array([1, 2, 3], np.int32)), t(np.array([4, 5, 6], np.int32))], [t(np.array([1, 5, 3], np.int32))])
case("select", [tensor("i1", np.uint8(0)), t(np.array([1, 2, 3], np.int32)), t(np.array([4, 5, 6], np.int32))], [t(np.array([4, 5, 6], np.int32))])
case("clamp", [t(np.array([5, 10, 15], np.int32)), t(np.array([3, 13, 23], np.int32)), t(np.array([10, 15, 20], np.int32))], [t(np.array([5, 13, 20], np.int32))], source="spec")
case("clamp", [t(np.float32(-1).reshape(())), t(np.array([-3, -0.5, math.nan, 9], np.float32)), t(np.float32(2).reshape(()))], [t(np.array([-1, -0.5, math.nan, 2], np.float32))])


# --- gather and scatter, by the specification's formulas ---
def gather(operand, starts, offset_dims, collapsed, obatch, sbatch, start_map, ivd, sizes):
    batch_sizes = [d for i, d in enumerate(starts.shape) if i != ivd]
    window = [d for i, d in enumerate(sizes) if i not in collapsed and i not in obatch]
    rank = len(batch_sizes) + len(window)
    shape, b, w = [], iter(batch_sizes), iter(window)
    for d in range(rank): shape.append(next(w) if d in offset_dims else next(b))
    out = np.zeros(shape, operand.dtype)
    for idx in np.ndindex(*shape):
        batch = [idx[d] for d in range(rank) if d not in offset_dims]
        start = batch[:ivd] + [slice(None)] + batch[ivd:] if ivd < starts.ndim else batch
        index = np.ravel(starts[tuple(start)])
        full = [0] * operand.ndim
        for ds, do in enumerate(start_map): full[do] = max(0, min(int(index[ds]), operand.shape[do] - sizes[do]))
        for i, do in enumerate(obatch): full[do] += batch[sbatch[i] - (0 if sbatch[i] < ivd else 1)]
        off = iter([idx[d] for d in offset_dims])
        for d in range(operand.ndim):
            if d not in collapsed and d not in obatch: full[d] += next(off)
        out[idx] = operand[tuple(full)]
    return out


def scatter(operand, indices, updates, window_dims, inserted, ibatch, sbatch, to_operand, ivd, f):
    out = operand.copy()
    for idx in np.ndindex(*updates.shape):
        batch = [idx[d] for d in range(updates.ndim) if d not in window_dims]
        start = batch[:ivd] + [slice(None)] + batch[ivd:] if ivd < indices.ndim else batch
        index = np.ravel(indices[tuple(start)])
        full = [0] * operand.ndim
        for ds, do in enumerate(to_operand): full[do] = int(index[ds])
        for i, do in enumerate(ibatch): full[do] += batch[sbatch[i] - (0 if sbatch[i] < ivd else 1)]
        win = iter([idx[d] for d in window_dims])
        for d in range(operand.ndim):
            if d not in inserted and d not in ibatch: full[d] += next(win)
        if all(0 <= p < n for p, n in zip(full, operand.shape)):
            out[tuple(full)] = f(out[tuple(full)], updates[idx])
    return out


def gather_case(operand, starts, od, cs, ob, sb, sm, ivd, sizes, **more):
    case("gather", [t(operand), t(starts)], [t(gather(operand, starts, od, cs, ob, sb, sm, ivd, sizes))],
         {"offset_dims": od, "collapsed_slice_dims": cs, "operand_batching_dims": ob, "start_indices_batching_dims": sb,
          "start_index_map": sm, "index_vector_dim": ivd, "slice_sizes": sizes}, **more)


def scatter_case(operand, idx, upd, wd, ins, ib, sb, to, ivd, region, f, **more):
    case("scatter", [t(operand), t(idx), t(upd)], [t(scatter(operand, idx, upd, wd, ins, ib, sb, to, ivd, f))],
         {"update_window_dims": wd, "inserted_window_dims": ins, "input_batching_dims": ib, "scatter_indices_batching_dims": sb,
          "scatter_dims_to_operand_dims": to, "index_vector_dim": ivd}, region=region, **more)


big = (np.arange(48).reshape(2, 3, 4, 2) + 1).astype(np.int32)
places = np.array([[[[0, 0], [1, 0], [2, 1]], [[0, 1], [1, 1], [0, 9]]], [[[0, 0], [2, 1], [2, 2]], [[1, 2], [0, 1], [1, 0]]]])
spec_result = np.array([[[[[1, 2], [3, 4]], [[3, 4], [5, 6]], [[13, 14], [15, 16]]], [[[33, 34], [35, 36]], [[35, 36], [37, 38]], [[41, 42], [43, 44]]]],
                        [[[[1, 2], [3, 4]], [[13, 14], [15, 16]], [[21, 22], [23, 24]]], [[[43, 44], [45, 46]], [[33, 34], [35, 36]], [[27, 28], [29, 30]]]]], np.int32)
assert (gather(big, places, [3, 4], [1], [0], [1], [2, 1], 3, [1, 1, 2, 2]) == spec_result).all()
gather_case(big, places, [3, 4], [1], [0], [1], [2, 1], 3, [1, 1, 2, 2], source="spec")
spec_scattered = np.array([[[[3, 4], [6, 7], [6, 7], [7, 8]], [[9, 10], [11, 12], [15, 16], [17, 18]], [[17, 18], [19, 20], [22, 23], [24, 25]]],
                           [[[25, 26], [28, 29], [30, 31], [31, 32]], [[35, 36], [38, 39], [38, 39], [39, 40]], [[41, 42], [44, 45], [46, 47], [47, 48]]]])
add = lambda a, b: a + b
assert (scatter(big.astype(np.int64), places, np.ones((2, 2, 3, 2, 2), np.int64), [3, 4], [1], [0], [1], [2, 1], 3, add) == spec_scattered).all()
scatter_case(big.astype(np.int64), places, np.ones((2, 2, 3, 2, 2), np.int64), [3, 4], [1], [0], [1], [2, 1], 3, "add", add, source="spec")
rows = rng.integers(0, 99, (6, 3)).astype(np.int32)
gather_case(rows, np.array([0, 5, -3, 99], np.int32), [1], [0], [], [], [0], 1, [1, 3])
gather_case(rows, np.array([[1, 2], [4, 0]]), [0, 2], [], [], [], [0, 1], 1, [2, 2])
gather_case(arange(3, 4, 5), np.array([[1, 2], [0, 3], [9, -1]]).T, [1, 2], [1], [], [], [1, 2], 0, [2, 1, 3])
gather_case(arange(4, 5), rng.integers(-1, 6, (2, 4)), [], [1], [0], [1], [1], 2, [1, 1])
second = lambda a, b: b
scatter_case(rows, np.array([2, -1, 6, 2], np.int32), rng.integers(100, 200, (4, 3)).astype(np.int32), [1], [0], [], [], [0], 1, "second", second)
scatter_case(rows, np.array([[4, 1], [-1, 0], [5, 2]]), rng.integers(100, 200, (3, 2, 2)).astype(np.int32), [1, 2], [], [], [], [0, 1], 1, "maximum", max)
scatter_case(arange(4, 5), rng.integers(-1, 6, (2, 4)), rng.integers(100, 200, (2, 4)).astype(np.int32), [], [1], [0], [1], [1], 2, "multiply", lambda a, b: np.int32(a * b))
scatter_case(np.zeros(5, np.float32), np.array([1, 1, 3], np.int32), np.array([0.5, 0.25, 2], np.float32), [], [0], [], [], [0], 1, "add", add)
scatter_case(rows, np.array([2, 2], np.int32), rng.integers(1, 9, (2, 3)).astype(np.int32), [1], [0], [], [], [0], 1, "subtract twice", lambda a, b: a - b - b)

# --- reduce and dot_general ---
z = rng.integers(-100, 100, (3, 4, 5)).astype(np.int32)
wrap32 = lambda v: np.asarray(v).astype(np.int64).astype(np.int32)
for dims in [(0,), (1,), (2,), (0, 2), (2, 0), (0, 1, 2), ()]:
    axes = tuple(dims)
    for region, f, init in [("add", np.sum, 3), ("maximum", np.max, 10), ("minimum", np.min, -7), ("multiply", np.prod, 1)]:
        r = f(z.astype(np.int64), axis=axes) if axes else z.astype(np.int64)
        r = {"add": lambda: r + init, "maximum": lambda: np.maximum(r, init), "minimum": lambda: np.minimum(r, init), "multiply": lambda: r * init}[region]()
        case("reduce", [t(z), t(np.int32(init).reshape(()))], [t(wrap32(r))], {"dimensions": list(dims)}, region=region)
case("reduce", [t(np.array([[0, 1, 2, 3, 4, 5]])), s(0)], [t(np.array([15]))], {"dimensions": [1]}, region="add", source="spec")
case("reduce", [t(z), t(np.int32(1000).reshape(()))], [t(1000 - 2 * z.sum(1, dtype=np.int32))], {"dimensions": [1]}, region="subtract twice")
case("reduce", [tensor("i1", [[1, 0, 1], [1, 1, 1]]), tensor("i1", np.uint8(1))], [tensor("i1", [0, 1])], {"dimensions": [1]}, region="and")
case("reduce", [tensor("i1", [[0, 0, 0], [0, 1, 0]]), tensor("i1", np.uint8(0))], [tensor("i1", [0, 1])], {"dimensions": [1]}, region="or")
f = rng.normal(size=(3, 300)).astype(np.float32)
case("reduce", [t(f), t(np.float32(0.5).reshape(()))], [tensor("f32", f.astype(np.float64).sum(1) + 0.5)], {"dimensions": [1]}, region="add", tol=2e-6)
case("reduce", [t(f), t(np.float32(-math.inf).reshape(()))], [t(f.max(1))], {"dimensions": [1]}, region="maximum")
fn = f.copy(); fn[2, 7] = math.nan
case("reduce", [t(fn), t(np.float32(-math.inf).reshape(()))], [t(fn.max(1))], {"dimensions": [1]}, region="maximum")
case("reduce", [t(f.astype(np.float64)), t(np.float64(0).reshape(()))], [tensor("f64", [math.fsum(r) for r in f.astype(float)])], {"dimensions": [1]}, region="add", tol=1e-14)
hb = of_bf16(bf16(f))
case("reduce", [tensor("bf16", hb), tensor("bf16", np.float64(0).reshape(()))], [tensor("bf16", hb.sum(1))], {"dimensions": [1]}, region="add", ulp=1)


def dot_case(l, r, lb, rb, lc, rc, dtype=None, **more):
    letters = iter("abcdefghijklmnopqrstuvwxyz")
    ls, rs = [None] * l.ndim, [None] * r.ndim
    for i, j in list(zip(lb, rb)) + list(zip(lc, rc)): ls[i] = rs[j] = next(letters)
    for side in (ls, rs):
        for i, c in enumerate(side):
            if c is None: side[i] = next(letters)
    lf = [c for i, c in enumerate(ls) if i not in lb and i not in lc]
    rf = [c for i, c in enumerate(rs) if i not in rb and i not in rc]
    out = "".join([ls[i] for i in lb] + lf + rf)
    e = "".join(ls) + "," + "".join(rs) + "->" + out
    wide = np.float64 if l.dtype.kind == "f" else np.int64
    result = np.einsum(e, l.astype(wide), r.astype(wide))
    name = dtype or NAME[l.dtype]
    case("dot_general", [tensor(name, l), tensor(name, r)], [tensor(more.pop("result", name), result)],
         {"lhs_batching_dimensions": lb, "rhs_batching_dimensions": rb, "lhs_contracting_dimensions": lc, "rhs_contracting_dimensions": rc}, **more)


case("dot_general", [t(np.array([[[1, 2], [3, 4]], [[5, 6], [7, 8]]])), t(np.array([[[1, 0], [0, 1]], [[1, 0], [0, 1]]]))],
     [t(np.array([[[1, 2], [3, 4]], [[5, 6], [7, 8]]]))],
     {"lhs_batching_dimensions": [0], "rhs_batching_dimensions": [0], "lhs_contracting_dimensions": [2], "rhs_contracting_dimensions": [1]}, source="spec")
I = lambda *d: rng.integers(-50, 50, d).astype(np.int32)
dot_case(I(3, 4), I(4, 17), [], [], [1], [0])
dot_case(I(4, 3), I(17, 4), [], [], [0], [1])
dot_case(I(2, 3, 4, 5), I(5, 2, 6, 3), [1, 0], [3, 1], [3], [0])
dot_case(I(2, 3, 4), I(4, 5, 3), [], [], [1, 2], [2, 0])
dot_case(I(3), I(3), [], [], [0], [0])
dot_case(I(3), I(4), [], [], [], [])
dot_case(I(0, 3), I(3, 2), [], [], [1], [0])
dot_case(I(2, 0), I(0, 3), [], [], [1], [0])
case("dot_general", [tensor("i8", np.array([[100, 100, 100]])), tensor("i8", np.array([[100], [100], [101]]))], [tensor("i8", np.array([[wrap(30100, 8, True)]]))], {"lhs_contracting_dimensions": [1], "rhs_contracting_dimensions": [0]})
case("dot_general", [tensor("i8", np.array([[100, 100, 100]])), tensor("i8", np.array([[100], [100], [101]]))], [tensor("i32", np.array([[30100]]))], {"lhs_contracting_dimensions": [1], "rhs_contracting_dimensions": [0]})
N = lambda *d: rng.normal(size=d).astype(np.float32)
dot_case(N(3, 200), N(200, 18), [], [], [1], [0], tol=1e-6)
dot_case(N(2, 3, 70), N(2, 5, 70), [0], [0], [2], [2], tol=1e-6)
dot_case(N(3, 200).astype(np.float64), N(200, 2).astype(np.float64), [], [], [1], [0], tol=1e-14)
hb = lambda *d: of_bf16(bf16(rng.normal(size=d)))
dot_case(hb(3, 200), hb(200, 4), [], [], [1], [0], dtype="bf16", ulp=1)
dot_case(hb(3, 200), hb(200, 4), [], [], [1], [0], dtype="bf16", result="f32", tol=1e-6)

# --- named ops, in float64 ---
F = lambda a: tensor("f32", a)
W = lambda a: np.asarray(a, np.float64)
i32 = lambda a: t(np.asarray(a, np.int32))
table = N(5, 6)
case("embedding", [F(table), i32([[0, 4], [-7, 9]])], [F(table[[[0, 4], [0, 4]]])])
x, w = N(3, 2, 40), N(40)
rms = lambda x, w, eps: W(x) / np.sqrt((W(x) ** 2).mean(-1, keepdims=True) + eps) * W(w)
case("rms_norm", [F(x), F(w)], [F(rms(x, w, 1e-5))], {"eps": 1e-5}, tol=1e-6)
case("rms_norm", [tensor("f64", x), tensor("f64", w)], [tensor("f64", rms(x, w, 0.25))], {"eps": 0.25}, tol=1e-14)


def softmax(x, axis):
    e = np.exp(W(x) - W(x).max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


for axis in range(3): case("softmax", [F(x * 5)], [F(softmax(x * 5, axis))], {"axis": axis}, tol=1e-6)
g, u = N(3, 50) * 4, N(3, 50)
case("swiglu", [F(g), F(u)], [F(W(g) / (1 + np.exp(-W(g))) * W(u))], tol=1e-6)
T, H, D, P = 4, 3, 10, 7
x = N(T, H, D)
ang = rng.normal(size=(P, D // 2))
co, si = np.cos(ang).astype(np.float32), np.sin(ang).astype(np.float32)
pos = [0, 6, -2, 50]
c, sn = (W(a)[np.clip(pos, 0, P - 1)][:, None, :] for a in (co, si))
a, b = W(x)[..., : D // 2], W(x)[..., D // 2 :]
case("rope", [F(x), F(co), F(si), i32(pos)], [F(np.concatenate([a * c - b * sn, b * c + a * sn], -1))], tol=1e-6)


def cache_write(cache, new, slots, offset, rounding=lambda v: v):
    out = cache.copy()
    flat = out.reshape(-1, *cache.shape[2:])
    for row, slot in zip(new, slots):
        at = slot + offset * cache.shape[1]
        if slot >= 0 and at < len(flat): flat[at] = rounding(row)
    return out


cache, new = N(4, 3, 2, 5), N(6, 2, 5)
for offset in (0, 2, 4):
    case("kv_cache_write", [F(cache), F(new), i32([0, -1, 5, 11, 12, 5])], [F(cache_write(cache, new, [0, -1, 5, 11, 12, 5], offset))], {"block_offset": offset})
cb = of_bf16(bf16(cache))
case("kv_cache_write", [tensor("bf16", cb), F(new), i32([7, 0, 1, 2, 3, 4])], [tensor("bf16", cache_write(cb, new, [7, 0, 1, 2, 3, 4], 0))])


def attention(q, k, v, tables, lengths, rows, scale, ko, vo):
    N_, H_, D_ = q.shape
    blocks, bs, KvH, _ = k.shape
    out = np.zeros(q.shape)
    for n in range(N_):
        tab = tables[np.clip(rows[n], 0, len(tables) - 1)]
        L = max(0, min(lengths[n], len(tab) * bs))
        if L == 0: continue
        at = [(min(max(tab[j // bs] + o, 0), blocks - 1), j % bs) for o in (ko, vo) for j in range(L)]
        for h in range(H_):
            kk = np.array([W(k)[b, p, h // (H_ // KvH)] for b, p in at[:L]])
            vv = np.array([W(v)[b, p, h // (H_ // KvH)] for b, p in at[L:]])
            out[n, h] = softmax(kk @ W(q)[n, h] * scale, 0) @ vv
    return out


q, k, v = N(4, 6, 8), N(12, 5, 2, 8), N(12, 5, 2, 8)
tables = np.array([[3, 1, 0, 5], [2, 4, 9, 1]])
lengths = [1, 20, 0, 13]
for rows, ko, vo in [(None, 0, 0), ([1, 0, 0, 1], 0, 0), ([1, 1, 1, 0], 2, 1)]:
    real = rows or [0, 0, 1, 1]
    case("paged_attention", [F(q), F(k), F(v), i32(tables), i32(lengths)] + ([i32(rows)] if rows else []),
         [F(attention(q, k, v, tables, lengths, real, 0.35, ko, vo))], {"scale": 0.35, "key_offset": ko, "value_offset": vo}, tol=2e-6)
kb, vb = of_bf16(bf16(k)), of_bf16(bf16(v))
case("paged_attention", [F(q), tensor("bf16", kb), tensor("bf16", vb), i32(tables), i32([20, 19, 99, 3])], [F(attention(q, kb, vb, tables, [20, 19, 99, 3], [0, 0, 1, 1], 0.35, 0, 0))], {"scale": 0.35}, tol=2e-6)

# --- weight formats ---
formats = []
GROUP = 16
Q = gguf.GGMLQuantizationType


def fields(fmt, blk):  # of one stored block: codes, small scales, minima, d, m as the picture in formats.def wants them
    h = lambda i: struct.unpack("<H", blk[i : i + 2])[0]
    nib = lambda p, c: [x for i in range(0, len(p), c) for x in [b & 15 for b in p[i : i + c]] + [b >> 4 for b in p[i : i + c]]]
    if fmt == "q8_0": return list(blk[2:34]), [], [], h(0), None
    if fmt == "q4_0": return nib(blk[2:18], 16), [], [], h(0), None
    if fmt == "q4_1": return nib(blk[4:20], 16), [], [], h(0), h(2)
    if fmt in ("q5_0", "q5_1"):
        o = 2 if fmt == "q5_0" else 4
        high = struct.unpack("<I", blk[o : o + 4])[0]
        return [c | ((high >> i) & 1) << 4 for i, c in enumerate(nib(blk[o + 4 : o + 20], 16))], [], [], h(0), None if fmt == "q5_0" else h(2)
    if fmt in ("q4_k", "q5_k"):
        s = blk[4:16]
        sc = [s[j] & 63 if j < 4 else (s[j + 4] & 15) | (s[j - 4] >> 6) << 4 for j in range(8)]
        mn = [s[j + 4] & 63 if j < 4 else (s[j + 4] >> 4) | (s[j] >> 6) << 4 for j in range(8)]
        q = nib(blk[-128:], 32)
        if fmt == "q5_k": q = [c | ((blk[16 + i % 32] >> (i // 32)) & 1) << 4 for i, c in enumerate(q)]
        return q, sc, mn, h(0), h(2)
    low = [x for half in (blk[0:64], blk[64:128]) for x in [b & 15 for b in half] + [b >> 4 for b in half]]
    q = [c | ((blk[128 + i // 128 * 32 + i % 32] >> (i % 128 // 32 * 2)) & 3) << 4 for i, c in enumerate(low)]
    return q, list(blk[192:208]), [], h(208), None


def pack(fmt, rows, k, block):
    out = b""
    for g in range(0, len(rows), GROUP):
        data = [fields_of_row(fmt, rows[g + r], block) if g + r < len(rows) else None for r in range(GROUP)]
        q = np.zeros((GROUP, k), np.uint8)
        for r, d in enumerate(data):
            if d: q[r] = d[0]
        planes = []
        if fmt == "q8_0": planes.append(q.reshape(GROUP, k // 4, 4).transpose(1, 0, 2).tobytes())
        else:
            c = q.reshape(GROUP, k // 8, 8)
            planes.append(((c[:, :, :4] & 15) | (c[:, :, 4:] & 15) << 4).transpose(1, 0, 2).tobytes())
        if fmt in ("q5_0", "q5_1", "q5_k"):
            bits = (q >> 4 & 1).astype(np.uint32).reshape(GROUP, k // 32, 32)
            planes.append((bits << np.arange(32, dtype=np.uint32)).sum(2, dtype=np.uint32).T.astype("<u4").tobytes())
        if fmt == "q6_k":
            bits = (q >> 4 & 3).astype(np.uint32).reshape(GROUP, k // 16, 16)
            planes.append((bits << (2 * np.arange(16, dtype=np.uint32))).sum(2, dtype=np.uint32).T.astype("<u4").tobytes())
        column = lambda i, n, kind: np.array([[d[i][j] if d else 0 for d in data] for j in range(n)], kind).tobytes()
        if data[0][1]: planes.append(column(1, len(data[0][1]), np.uint8))
        if data[0][2]: planes.append(column(2, len(data[0][2]), np.uint8))
        planes.append(column(3, len(data[0][3]), "<u2"))
        if data[0][4]: planes.append(column(4, len(data[0][4]), "<u2"))
        out += b"".join(planes)
    return out


def fields_of_row(fmt, row, block):
    q, sc, mn, d, m = [], [], [], [], []
    for i in range(0, len(row), block):
        a, b, c, e, f_ = fields(fmt, row[i : i + block])
        q += a; sc += b; mn += c; d.append(e)
        if f_ is not None: m.append(f_)
    return q, sc, mn, d, m


for fmt, kind, k, R in [("q8_0", Q.Q8_0, 64, 19), ("q4_0", Q.Q4_0, 96, 17), ("q4_1", Q.Q4_1, 64, 18), ("q5_0", Q.Q5_0, 64, 3),
                        ("q5_1", Q.Q5_1, 32, 18), ("q4_k", Q.Q4_K, 512, 3), ("q5_k", Q.Q5_K, 256, 17), ("q6_k", Q.Q6_K, 512, 2)]:
    elements, size = gguf.GGML_QUANT_SIZES[kind]
    blocks = rng.integers(0, 256, (R, k // elements, size)).astype(np.uint8)
    halves = rng.normal(size=(2, R, k // elements)).astype("<f2").view(np.uint8).reshape(2, R, k // elements, 2)
    if fmt == "q6_k": blocks[..., 208:210] = halves[0]
    else: blocks[..., 0:2] = halves[0]
    if fmt in ("q4_1", "q5_1", "q4_k", "q5_k"): blocks[..., 2:4] = halves[1]
    stored = blocks.reshape(R, -1)
    dense = quants.dequantize(stored, kind).astype(np.float32)
    assert dense.shape == (R, k)
    x = N(2, k)
    formats.append({"format": fmt, "rows": R, "k": k, "stored": tensor("ui8", stored),
                    "packed": pack(fmt, [bytes(r) for r in stored], k, size).hex(), "dense": dense.tobytes().hex(),
                    "x": x.tobytes().hex(), "y": (W(x) @ W(dense).T).tobytes().hex()})
for fmt, k, R in [("f32", 7, 17), ("f16", 7, 17), ("bf16", 8, 16), ("bf16", 5, 3)]:
    vals = rng.normal(size=(R, k))
    vals = of_bf16(bf16(vals)) if fmt == "bf16" else vals.astype(NP[fmt]).astype(np.float64)
    padded = np.zeros(((R + 15) // 16 * 16, k + (k % 2 if fmt != "f32" else 0)))
    padded[:R, :k] = vals
    g = padded.shape[0] // 16
    lay = padded.reshape(g, 16, -1).transpose(0, 2, 1) if fmt == "f32" else padded.reshape(g, 16, -1, 2).transpose(0, 2, 1, 3)
    x = N(2, k)
    formats.append({"format": fmt, "rows": R, "k": k, "stored": tensor(fmt, vals), "packed": tensor(fmt, lay)["data"],
                    "dense": vals.astype(np.float32).tobytes().hex(), "x": x.tobytes().hex(), "y": (W(x) @ vals.T).tobytes().hex()})


def share(rows):
    """Puts what several cases use into a list of its own, by whose index they name it."""
    text = json.dumps
    count = collections.Counter(text(t) for r in rows for t in r["in"] + r["out"])
    shared = [t for t, n in count.items() if n > 1]
    index = {t: i for i, t in enumerate(shared)}
    named = lambda ts: [index.get(text(t), t) for t in ts]
    return shared, [{**r, "in": named(r["in"]), "out": named(r["out"])} for r in rows]


def write(path, **lists):
    head = json.dumps({"numpy": np.__version__, "gguf": version("gguf"), "python": sys.version.split()[0], "seed": 20240607})
    with open(path, "w") as out:
        out.write('{"versions": ' + head)
        for key, rows in lists.items():
            out.write(',\n "' + key + '": [\n' + ",\n".join(r if isinstance(r, str) else json.dumps(r) for r in rows) + "\n]")
        out.write("}\n")


# --- sort: stable, by the keys' own order (NaNs have none under LT and GT, and are left out) ---
def sort_case(xs, direction, key, dim, names=None, **more):
    order = np.argsort(-xs[key].astype(np.int64) if direction == "GT" and xs[key].dtype.kind != "f" else -xs[key] if direction == "GT" else xs[key], axis=dim, kind="stable")
    outs = [np.take_along_axis(x, order, dim) for x in xs]
    names = names or [NAME[x.dtype] for x in xs]
    case("sort", [tensor(n, x) for n, x in zip(names, xs)], [tensor(n, x) for n, x in zip(names, outs)],
         {"dimension": dim, "is_stable": True}, region=f"sort {direction} {key}", **more)


spec_sort = [np.array([[1, 2, 3], [3, 2, 1]]), np.array([[3, 2, 1], [1, 2, 3]])]
case("sort", [t(a) for a in spec_sort], [t(np.array([[3, 2, 3], [1, 2, 1]])), t(np.array([[1, 2, 1], [3, 2, 3]]))],
     {"dimension": 0, "is_stable": True}, region="sort GT 0", source="spec")
few = rng.integers(-4, 4, (3, 17, 5)).astype(np.int32)  # many equals, so that stability shows
for dim in (0, 1, 2, -1, -3):
    for direction in ("LT", "GT"): sort_case([few, arange(3, 17, 5)], direction, 0, dim)
sort_case([arange(40), rng.integers(0, 6, 40).astype(np.uint8), rng.normal(size=40)], "LT", 1, 0)
sort_case([rng.normal(size=33).astype(np.float32) + 0, arange(33)], "GT", 0, 0)
sort_case([rng.normal(size=(2, 9)).astype(np.float16)], "LT", 0, 1, ["f16"])
sort_case([of_bf16(bf16(rng.normal(size=(9, 2))))], "LT", 0, 0, ["bf16"])
sort_case([np.zeros((0, 3), np.float32)], "LT", 0, 0)
sort_case([np.zeros((1, 3), np.float32)], "LT", 0, 0)

# --- random bits: the paper's blocks, laid out as xla/hlo/builder/lib/prng.cc does it, by its own steps ---
def threefry(key, counter):
    k, x = [key & M32, key >> 32], [counter & M32, counter >> 32]
    k.append(k[0] ^ k[1] ^ 0x1BD11BDA)
    x = [(a + b) & M32 for a, b in zip(x, k)]
    for i in range(5):
        for r in ((13, 15, 26, 6), (17, 29, 16, 24))[i % 2]:
            x[0] = (x[0] + x[1]) & M32
            x[1] = (x[1] << r & M32 | x[1] >> (32 - r)) ^ x[0]
        x = [(x[0] + k[(i + 1) % 3]) & M32, (x[1] + k[(i + 2) % 3] + i + 1) & M32]
    return x


def philox(key, counter):
    k, x = [key & M32, key >> 32], [counter >> s & M32 for s in (0, 32, 64, 96)]
    for _ in range(10):
        a, b = x[0] * 0xD2511F53, x[2] * 0xCD9E8D57
        x, k = [(b >> 32) ^ x[1] ^ k[0], b & M32, (a >> 32) ^ x[3] ^ k[1], a & M32], [(k[0] + 0x9E3779B9) & M32, (k[1] + 0xBB67AE85) & M32]
    return x


M32, M64 = (1 << 32) - 1, (1 << 64) - 1


def rng_threefry(state, shape, bits):
    key, counter = state
    if bits == 64:
        n = math.prod(shape)
        words = [threefry(key, counter + i & M64) for i in range(n)]
        return np.array([w[0] | w[1] << 32 for w in words], np.uint64).reshape(shape), [key, counter + n & M64]
    dims = list(shape) or [1]
    split = next((i for i, d in enumerate(dims) if d % 2 == 0), int(np.argmax(dims)))
    half = dims[:split] + [-(-dims[split] // 2)] + dims[split + 1 :]
    n = math.prod(half)
    words = np.array([threefry(key, counter + i & M64) for i in range(n)], np.uint64).reshape(half + [2])
    both = np.moveaxis(words, -1, split + 1).reshape(dims[:split] + [half[split] * 2] + dims[split + 1 :])
    return both[tuple(slice(0, d) for d in dims)].reshape(shape), [key, counter + n & M64]


def rng_philox(state, shape, bits):
    key, counter = state[0], state[1] | (state[2] if len(state) == 3 else state[0]) << 64
    n = math.prod(shape)
    blocks = -(-n * (2 if bits == 64 else 1) // 4)
    words = [w for i in range(blocks) for w in philox(key, counter + i & (1 << 128) - 1)]
    if bits == 64: words = [a | b << 32 for a, b in zip(words[::2], words[1::2])]
    counter += blocks
    return np.array(words[:n], np.uint64).reshape(shape), [key, counter & M64, counter >> 64 & M64][: len(state)]


# Known answers of the Random123 distribution (kat_vectors), and the specification's example.
assert threefry(0, 0) == [0x6B200159, 0x99BA4EFE] and threefry(M64, M64) == [0x1CB996FC, 0xBB002BE7]
assert philox(0, 0) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
spec_bits = np.array([[9236835810183407956, 16087790271692313299], [18212823393184779219, 2658481902456610144]], np.uint64)
assert (rng_threefry([1, 2], (2, 2), 64)[0] == spec_bits).all() and rng_threefry([1, 2], (2, 2), 64)[1] == [1, 6]
for algorithm, f, states in (("THREE_FRY", rng_threefry, [[1, 2], [0xDEADBEEF01234567, M64 - 1]]), ("PHILOX", rng_philox, [[1, 2], [77, 5, 9], [M64, M64 - 1, 3]]), ("DEFAULT", rng_philox, [[4, 9]])):
    for state in states:
        for dtype, shapes in {"ui64": [(2, 2), (7,), ()], "ui32": [(2, 3), (3, 4, 5), (3, 5), (5, 7, 1), (), (0, 3)], "i8": [(3, 3)], "ui16": [(9, 2)], "i32": [(33,)]}.items():
            for shape in shapes:
                bits, after = f(state, shape, INTS[dtype][0])
                case("rng_bit_generator", [tensor("ui64", np.array(state, np.uint64))],
                     [tensor("ui64", np.array(after, np.uint64)), tensor(dtype, bits.astype(NP[dtype]))], {"rng_algorithm": algorithm}, f64=False)

# --- more elementwise ops ---
def away(x):  # halves away from zero
    r = np.trunc(x)
    return np.copysign(r + np.copysign(1.0, x) * (np.abs(x - r) >= 0.5), x)


for dtype in ("f16", "f32", "f64", "bf16"):
    narrow = lambda v: of_bf16(bf16(v)) if dtype == "bf16" else np.asarray(v, np.float64).astype(NP[dtype]).astype(np.float64)
    with np.errstate(all="ignore"):
        inputs = narrow(np.concatenate([special, np.linspace(-20, 20, 41), np.linspace(-3, 3, 25), [1e4, -123.456, 0.49999997, 27.0, -1e-3]]))
        ulp = {"f32": 3, "f64": 3, "f16": 1, "bf16": 1}[dtype]
        case("tan", [tensor(dtype, inputs)], [tensor(dtype, np.tan(inputs))], ulp=ulp)
        case("cbrt", [tensor(dtype, inputs)], [tensor(dtype, np.cbrt(inputs))], ulp=ulp)
        case("round_nearest_afz", [tensor(dtype, inputs)], [tensor(dtype, np.where(np.isfinite(inputs), away(inputs), inputs))])
        case("round_nearest_even", [tensor(dtype, inputs)], [tensor(dtype, np.rint(inputs))])
        a, b = (np.array(v) for v in zip(*itertools.product(narrow(special + [0.3, 1e-3]), repeat=2)))
        case("atan2", [tensor(dtype, a), tensor(dtype, b)], [tensor(dtype, np.arctan2(a, b))], ulp=ulp, **({"f64": False} if dtype in ("f16", "bf16") else {}))
d64 = lambda v: tensor("f64", np.array(v))
case("cbrt", [d64([0.0, 1.0, 8.0, 27.0])], [d64([0.0, 1.0, 2.0, 3.0])], ulp=1, source="spec")
case("atan2", [d64([0.0, 1.0, -1.0])] + [d64([0.0, 0.0, 0.0])], [d64([0.0, math.pi / 2, -math.pi / 2])], source="spec")
case("round_nearest_afz", [d64([-2.5, 0.4, 0.5, 0.6, 2.5])], [d64([-3.0, 0.0, 1.0, 1.0, 3.0])], source="spec")
case("round_nearest_even", [d64([-2.5, 0.4, 0.5, 0.6, 2.5])], [d64([-2.0, 0.0, 0.0, 1.0, 2.0])], source="spec")
for dtype, (bits, signed) in INTS.items():
    values = [0, 1, 2, 127, (1 << (bits - 1)) - 1, 1 << (bits - 2), 5] + ([-1, -2, -(1 << (bits - 1))] if signed else [(1 << bits) - 1, 1 << (bits - 1)])
    u = [v & ((1 << bits) - 1) for v in values]
    case("popcnt", [tensor(dtype, np.array(values, NP[dtype]))], [tensor(dtype, np.array([bin(v).count("1") for v in u], NP[dtype]))])
    case("count_leading_zeros", [tensor(dtype, np.array(values, NP[dtype]))], [tensor(dtype, np.array([bits - v.bit_length() for v in u], NP[dtype]))])
# --- windows: operands dilated and padded in full, then a slice a window ---
def dilate_and_pad(x, dilation, padding, fill):
    sizes = [0 if n == 0 else (n - 1) * d + 1 for n, d in zip(x.shape, dilation)]
    wide = np.full(sizes, fill, x.dtype)
    wide[tuple(slice(None, None, d) for d in dilation)] = x
    for axis, (low, high) in enumerate(padding):
        cut = slice(max(-low, 0), wide.shape[axis] - max(-high, 0))
        wide = wide[(slice(None),) * axis + (cut,)]
        widths = [(0, 0)] * axis + [(max(low, 0), max(high, 0))] + [(0, 0)] * (wide.ndim - axis - 1)
        wide = np.pad(wide, widths, constant_values=fill)
    return wide


def places(shape, window, strides, dilation):  # of each window: (index, slices)
    spans = [(w - 1) * d + 1 for w, d in zip(window, dilation)]
    counts = [0 if n == 0 or s > n else (n - s) // t + 1 for n, s, t in zip(shape, spans, strides)]
    return counts, [(at, tuple(slice(i * t, i * t + s, d) for i, t, s, d in zip(at, strides, spans, dilation)))
                    for at in itertools.product(*map(range, counts))]


def reduce_window_case(dtype, x, init, fold, region, window, strides=None, base=None, dilation=None, padding=None, **more):
    ones = [1] * x.ndim
    attrs = {"window_dimensions": window, "window_strides": strides, "base_dilations": base, "window_dilations": dilation,
             "padding": None if padding is None else [n for pair in padding for n in pair]}
    wide = dilate_and_pad(x, base or ones, padding or [(0, 0)] * x.ndim, init)
    counts, all_places = places(wide.shape, window, strides or ones, dilation or ones)
    out = np.zeros(counts, x.dtype)
    for at, where in all_places: out[at] = fold(wide[where], init)
    case("reduce_window", [tensor(dtype, x), tensor(dtype, np.array(init, x.dtype))], [tensor(dtype, out)],
         {k: v for k, v in attrs.items() if v is not None}, region=region, **more)


window_rng = np.random.default_rng(5)
summed = lambda v, init: v.sum(dtype=v.dtype) + init
case("reduce_window", [t(np.array([[1, 2], [3, 4], [5, 6]])), s(0)], [t(np.array([[0, 0], [3, 4]]))],
     {"window_dimensions": [2, 1], "window_strides": [4, 1], "base_dilations": [2, 1], "window_dilations": [3, 1], "padding": [2, 1, 0, 0]},
     region="add", source="spec")
wi = window_rng.integers(-100, 100, (5, 6)).astype(np.int32)
for kw in [dict(window=[2, 3]), dict(window=[2, 2], strides=[2, 1]), dict(window=[2, 2], padding=[(1, 1), (0, 2)]),
           dict(window=[3, 2], base=[2, 3], dilation=[1, 2], padding=[(-1, 2), (3, -2)], strides=[3, 2]),
           dict(window=[6, 1]), dict(window=[1, 1], padding=[(-3, -3), (0, 0)])]:
    reduce_window_case("i32", wi, np.int32(7), summed, "add", **kw)
    reduce_window_case("i32", wi, np.int32(-5), lambda v, init: max(v.max(), init), "maximum", **kw)
    reduce_window_case("i32", wi, np.int32(1000), lambda v, init: init - 2 * v.sum(dtype=np.int32), "subtract twice", **kw)
reduce_window_case("i8", wi.astype(np.int8), np.int8(3), summed, "add", window=[4, 4])
wf = window_rng.normal(size=(2, 9, 8, 3))
for dtype, unit in [("f64", 1e-14), ("f32", 1e-6)]:
    x = wf.astype(NP[dtype])
    reduce_window_case(dtype, x, x.dtype.type(0.5), lambda v, init: v.astype(np.float64).sum() + init, "add", [1, 5, 5, 2],
                       padding=[(0, 0), (2, 2), (2, 1), (0, 0)], tol=unit)
    reduce_window_case(dtype, x, x.dtype.type(-math.inf), lambda v, init: v.max(), "maximum", [1, 2, 2, 1], strides=[1, 2, 2, 1])
reduce_window_case("bf16", of_bf16(bf16(wf)), np.float64(0), lambda v, init: v.sum(), "add", [1, 3, 3, 1], ulp=1)
reduce_window_case("f32", np.zeros((0, 3), np.float32), np.float32(2), lambda v, init: v.sum() + init, "add", [2, 2], padding=[(1, 1), (0, 0)])


def convolution_case(dtype, x, w, x_dims, w_dims, out_dims, strides, padding, base, dilation, reverse=None,
                     feature_groups=1, batch_groups=1, out_dtype=None, **more):
    """dims: positions of (batch, feature, *spatial), of rhs (input feature, output feature, *spatial)."""
    xs, ws = x.transpose(x_dims), w.transpose(w_dims)  # now in that order
    n, groups = x.ndim - 2, feature_groups * batch_groups
    wide = dilate_and_pad(xs, [1, 1] + base, [(0, 0), (0, 0)] + padding, 0)
    window = [wide.shape[0], wide.shape[1]] + list(ws.shape[2:])
    counts, all_places = places(wide.shape[2:], window[2:], strides, dilation)
    per = ws.shape[1] // groups
    out = np.zeros([xs.shape[0] // batch_groups, ws.shape[1]] + counts, x.dtype)
    for g in range(groups):
        part = np.split(wide, batch_groups, 0)[g] if batch_groups > 1 else np.split(wide, feature_groups, 1)[g]
        kernel = ws[:, g * per:(g + 1) * per]
        for at, where in all_places:
            v = part[(slice(None), slice(None)) + where]
            for d, r in enumerate(reverse or []):
                if r: v = np.flip(v, 2 + d)
            axes = [1] + list(range(2, 2 + n))
            out[(slice(None), slice(g * per, (g + 1) * per)) + at] = np.tensordot(v, kernel, (axes, [0] + axes[1:]))
    out = out.transpose(np.argsort(out_dims))
    names = [("input_batch", "input_feature", "input_spatial"), ("kernel_input_feature", "kernel_output_feature", "kernel_spatial"),
             ("output_batch", "output_feature", "output_spatial")]
    attrs = {"window_strides": strides, "padding": [v for pair in padding for v in pair], "lhs_dilation": base, "rhs_dilation": dilation,
             "feature_group_count": feature_groups, "batch_group_count": batch_groups}
    for (a, b, c), dims in zip(names, (x_dims, w_dims, out_dims)):
        attrs.update({a + "_dimension": dims[0], b + "_dimension": dims[1], c + "_dimensions": list(dims[2:])})
    if reverse: attrs["window_reversal"] = [int(r) for r in reverse]
    case("convolution", [tensor(dtype, x), tensor(dtype, w)], [tensor(out_dtype or dtype, out)], attrs, **more)


conv_rng = np.random.default_rng(6)
NHWC, HWIO, NCHW, OIHW = (0, 3, 1, 2), (2, 3, 0, 1), (0, 1, 2, 3), (1, 0, 2, 3)
case("convolution", [t(np.array([1, 2, 5, 6, 3, 4, 7, 8, 10, 11, 14, 15, 12, 13, 16, 17]).reshape(1, 4, 4, 1)), t(np.ones((3, 3, 1, 1), np.int64))],
     [t(np.array([10, 26, 46, 62]).reshape(1, 2, 2, 1))],
     {"window_strides": [4, 4], "padding": [0, 0, 0, 0], "lhs_dilation": [2, 2], "rhs_dilation": [1, 1], "window_reversal": [0, 0],
      "input_batch_dimension": 0, "input_feature_dimension": 3, "input_spatial_dimensions": [1, 2], "kernel_input_feature_dimension": 2,
      "kernel_output_feature_dimension": 3, "kernel_spatial_dimensions": [0, 1], "output_batch_dimension": 0,
      "output_feature_dimension": 3, "output_spatial_dimensions": [1, 2]}, source="spec")
CONVOLUTIONS = [
    dict(x=(2, 5, 4, 6), w=(3, 2, 6, 8), dims=(NHWC, HWIO, NHWC), strides=[1, 1], padding=[(0, 0), (0, 0)], base=[1, 1], dilation=[1, 1]),
    dict(x=(1, 3, 9, 8), w=(20, 3, 3, 3), dims=(NCHW, OIHW, NCHW), strides=[2, 1], padding=[(1, 1), (1, 1)], base=[1, 1], dilation=[1, 1]),
    dict(x=(2, 5, 4, 6), w=(3, 2, 2, 9), dims=(NHWC, HWIO, (2, 1, 3, 0)), strides=[2, 1], padding=[(1, 1), (-1, 2)], base=[1, 2],
         dilation=[2, 1], reverse=[False, True], feature_groups=3),
    dict(x=(4, 5, 6), w=(3, 4, 5), dims=((0, 1, 2), (2, 1, 0), (1, 0, 2)), strides=[1], padding=[(2, 1)], base=[1],
         dilation=[1], batch_groups=2),
    dict(x=(4, 6), w=(6, 8), dims=((0, 1), (0, 1), (1, 0)), strides=[], padding=[], base=[], dilation=[]),
    dict(x=(1, 4, 4, 4, 2), w=(2, 2, 2, 2, 3), dims=((0, 4, 1, 2, 3), (3, 4, 0, 1, 2), (0, 4, 1, 2, 3)), strides=[1, 2, 1],
         padding=[(0, 1), (1, 0), (-1, 0)], base=[1, 1, 2], dilation=[1, 1, 1]),
    dict(x=(1, 7, 8), w=(3, 1, 8), dims=((0, 2, 1), (1, 2, 0), (0, 2, 1)), strides=[1], padding=[(2, 0)], base=[1], dilation=[1], feature_groups=8),
]
for k in CONVOLUTIONS:
    args = {a: b for a, b in k.items() if a not in ("x", "w", "dims")}
    xf, wf = conv_rng.normal(size=k["x"]), conv_rng.normal(size=k["w"])
    for dtype, tol in [("f64", 1e-14), ("f32", 2e-6)]:
        as_dtype = lambda v: v.astype(NP[dtype]).astype(np.float64)
        convolution_case(dtype, as_dtype(xf), as_dtype(wf), *k["dims"], **args, tol=tol)
    for dtype, unit in [("bf16", lambda v: of_bf16(bf16(v))), ("f16", lambda v: v.astype(np.float16).astype(np.float64))]:
        convolution_case(dtype, unit(xf), unit(wf), *k["dims"], **args, ulp=1, tol=1e-5)
    convolution_case("bf16", of_bf16(bf16(xf)), of_bf16(bf16(wf)), *k["dims"], **args, out_dtype="f32", tol=2e-6)
    for dtype in ["i32", "i8", "ui16"]:
        bits, signed = INTS[dtype]
        low, high = (-(1 << (bits - 1)), 1 << (bits - 1)) if signed else (0, 1 << bits)
        convolution_case(dtype, *[conv_rng.integers(low, high, k[v]).astype(NP[dtype]) for v in "xw"], *k["dims"], **args)


def select_and_scatter_case(dtype, x, source_rng, init, window, strides, padding, select, region, fold, **more):
    inside = dilate_and_pad(np.ones(x.shape, bool), [1] * x.ndim, padding, False)
    number = dilate_and_pad(np.arange(x.size).reshape(x.shape), [1] * x.ndim, padding, -1)
    counts, all_places = places(inside.shape, window, strides, [1] * x.ndim)
    source = source_rng(counts)
    out = np.full(x.shape, init, x.dtype)
    for at, where in all_places:
        best = None
        for n in number[where][inside[where]]:
            if best is None or not select(x.flat[best], x.flat[n]): best = n
        if best is not None: out.flat[best] = fold(out.flat[best], source[at])
    case("select_and_scatter", [tensor(dtype, x), tensor(dtype, source), tensor(dtype, np.array(init, x.dtype))], [tensor(dtype, out)],
         {"window_dimensions": window, "window_strides": strides, "padding": [v for pair in padding for v in pair]},
         select={"<": "LT", ">": "GT", ">=": "GE"}[more.pop("sign")], region=region, **more)


sas_rng = np.random.default_rng(7)
case("select_and_scatter", [t(np.array([[1, 5], [2, 5], [3, 6], [4, 4]])), t(np.array([[5, 6], [7, 8]])), s(0)],
     [t(np.array([[0, 0], [0, 0], [5, 14], [7, 0]]))],
     {"window_dimensions": [3, 1], "window_strides": [2, 1], "padding": [0, 1, 0, 0]}, select="GE", region="add", source="spec")
small = lambda shape: sas_rng.integers(-9, 9, shape).astype(np.int32)
for kw in [dict(window=[2, 3], strides=[1, 2], padding=[(0, 0), (1, 1)]), dict(window=[3, 3], strides=[2, 2], padding=[(1, 2), (-1, 1)]),
           dict(window=[1, 1], strides=[2, 2], padding=[(2, 0), (0, 2)])]:
    x = small((5, 6))
    select_and_scatter_case("i32", x, small, 3, **kw, select=lambda a, b: a >= b, sign=">=", region="add", fold=lambda a, b: a + b)
    select_and_scatter_case("i32", x, small, 3, **kw, select=lambda a, b: a < b, sign="<", region="subtract twice", fold=lambda a, b: a - 2 * b)
    floats = lambda shape: sas_rng.normal(size=shape).astype(np.float32)
    select_and_scatter_case("f32", floats((5, 6)), floats, 0, **kw, select=lambda a, b: a > b, sign=">", region="add", fold=lambda a, b: np.float32(a + b))

case("map", [t(np.array([[0, 1], [2, 3]])), t(np.array([[4, 5], [6, 7]]))], [t(np.array([[0, 5], [12, 21]]))], {"dimensions": [0, 1]},
     region="multiply", source="spec")
case("map", [t(wi), t(wi[::-1].copy())], [t(wi - 2 * wi[::-1])], {"dimensions": [0, 1]}, region="subtract twice")

# --- reduce_precision: through exact fractions; its subnormals are zeros ---
def reduced(v, e, m, width):
    if math.isnan(v): return v if m > 0 else math.copysign(math.inf, v)
    if math.isinf(v) or v == 0: return v
    exponent = math.frexp(v)[1] - 1
    if m < {"f16": 10, "bf16": 7, "f32": 23, "f64": 52}[width]: v = math.ldexp(round(math.ldexp(v, m - exponent)), exponent - m)  # halves to even
    reach = (1 << (e - 1)) - 1
    if e < {"f16": 5, "bf16": 8, "f32": 8, "f64": 11}[width]:
        exponent = math.frexp(v)[1] - 1
        if exponent > reach: return math.copysign(math.inf, v)
        if exponent < 1 - reach: return math.copysign(0.0, v)
    return v


values = [0.0, -0.0, 1.0, -2.5, math.inf, -math.inf, math.nan, 65519.0, 65520.0, 65504.0, 1.0009765625, 1.00048828125, 1.00146484375, 6e-5, 6.2e-5, -3e-5, 3.3, 255.9, 1e-3, 448.0, 480.0]
for dtype in ("f16", "f32", "f64", "bf16"):
    ins = [float(round_to(dtype, v)) for v in values]
    ins = [v for v in ins if v == 0 or dtype != "f16" or abs(v) >= 2**-14]  # of its subnormals the bits are rounded, not the value
    for e, m in ((5, 10), (8, 7), (4, 3), (5, 2), (8, 23), (11, 52), (2, 1), (3, 0), (1, 4), (40, 60)):
        case("reduce_precision", [tensor(dtype, ins)], [tensor(dtype, [reduced(v, e, m, dtype) for v in ins])], {"exponent_bits": e, "mantissa_bits": m}, f64=False)
case("reduce_precision", [d64([math.inf, math.nan, 5e-324, 0.0, 65519.0, 65520.0])], [d64([math.inf, math.nan, 0.0, 0.0, 65504.0, math.inf])], {"exponent_bits": 5, "mantissa_bits": 10}, source="spec")

# --- cholesky and triangular_solve: numpy's LAPACK in f64 ---
f32 = lambda v: tensor("f32", np.array(v, np.float32))
case("cholesky", [f32([[1, 2, 3], [2, 20, 26], [3, 26, 70]])], [f32([[1, 0, 0], [2, 4, 0], [3, 5, 6]])], {"lower": True}, source="spec")
case("triangular_solve", [f32([[1, 0, 0], [2, 4, 0], [3, 5, 6]]), f32([[2, 0, 0], [4, 8, 0], [6, 10, 12]])], [f32([[2, 0, 0], [0, 2, 0], [0, 0, 2]])],
     {"left_side": True, "lower": True, "unit_diagonal": False, "transpose_a": "NO_TRANSPOSE"}, source="spec")
for dtype, tol in (("f32", 1e-5), ("f64", 1e-13), ("bf16", 2e-2), ("f16", 2e-3)):
    q = rng.normal(size=(2, 6, 6))
    spd = q @ q.transpose(0, 2, 1) + 6 * np.eye(6)
    spd = of_bf16(bf16(spd)) if dtype == "bf16" else spd.astype(NP[dtype]).astype(np.float64)
    low = np.linalg.cholesky(spd)
    noise = np.triu(rng.normal(size=spd.shape), 1)  # what is not read
    case("cholesky", [tensor(dtype, np.tril(spd) + noise)], [tensor(dtype, low)], {"lower": True}, tol=tol)
    case("cholesky", [tensor(dtype, np.triu(spd) + noise.transpose(0, 2, 1))], [tensor(dtype, low.transpose(0, 2, 1))], {"lower": False}, tol=tol)
    a = rng.normal(size=(2, 5, 5)) * 0.3 + 2 * np.eye(5)
    rhs = rng.normal(size=(2, 5, 3))
    a, rhs = (of_bf16(bf16(v)) if dtype == "bf16" else v.astype(NP[dtype]).astype(np.float64) for v in (a, rhs))
    for left, lower, transpose, unit in itertools.product((True, False), (True, False), ("NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"), (True, False)):
        tri = np.tril(a) if lower else np.triu(a)
        if unit: tri = tri - np.einsum("bii->bi", tri)[..., None] * np.eye(5) + np.eye(5)
        if transpose != "NO_TRANSPOSE": tri = tri.transpose(0, 2, 1)
        b = rhs if left else rhs.transpose(0, 2, 1)
        x = np.linalg.solve(tri, b) if left else np.linalg.solve(tri.transpose(0, 2, 1), b.transpose(0, 2, 1)).transpose(0, 2, 1)
        case("triangular_solve", [tensor(dtype, a), tensor(dtype, b)], [tensor(dtype, x)],
             {"left_side": left, "lower": lower, "unit_diagonal": unit, "transpose_a": transpose}, tol=tol)

# --- batch normalisation: the usual formulas in f64 ---
def batch_norm_cases(dtype, x, scale, offset, mean, var, dy, eps, dim, **more):
    T = lambda v: tensor(dtype, v)
    axes, shape = tuple(d for d in range(x.ndim) if d != dim), [-1 if d == dim else 1 for d in range(x.ndim)]
    B = lambda v: np.asarray(v).reshape(shape)
    attrs = {"epsilon": eps, "feature_index": dim}
    norm = lambda m, v: (x - B(m)) / np.sqrt(B(v) + eps)
    case("batch_norm_inference", [T(x), T(scale), T(offset), T(mean), T(var)], [T(norm(mean, var) * B(scale) + B(offset))], attrs, **more)
    m, v = x.mean(axes), x.var(axes)
    case("batch_norm_training", [T(x), T(scale), T(offset)], [T(norm(m, v) * B(scale) + B(offset)), T(m), T(v)], attrs, **more)
    d_norm, inv = dy * B(scale), 1 / np.sqrt(B(var) + eps)  # with mean and variance of x itself this is the chain rule
    n = x.size // x.shape[dim]
    dx = inv * (d_norm - d_norm.sum(axes, keepdims=True) / n - norm(mean, var) * (d_norm * norm(mean, var)).sum(axes, keepdims=True) / n)
    case("batch_norm_grad", [T(x), T(scale), T(mean), T(var), T(dy)], [T(dx), T((dy * norm(mean, var)).sum(axes)), T(dy.sum(axes))], attrs, **more)


spec_x = np.array([[[1.0, 2.0], [3.0, 4.0]], [[3.0, 4.0], [1.0, 2.0]]])
batch_norm_cases("f64", spec_x, np.ones(2), np.ones(2), np.array([2.0, 3.0]), np.ones(2), np.full((2, 2, 2), 0.1), 0.0, 2, tol=1e-14, source="spec")
for dtype, tol in (("f32", 1e-5), ("f64", 1e-13), ("bf16", 1e-2), ("f16", 2e-3)):
    for dims, dim in (((3, 4, 5), 1), ((20, 3), 1), ((3, 70), 0), ((6, 2, 2), 2)):
        narrow = lambda v: of_bf16(bf16(v)) if dtype == "bf16" else np.asarray(v).astype(NP[dtype]).astype(np.float64)
        f = dims[dim]
        batch_norm_cases(dtype, *(narrow(v) for v in (rng.normal(size=dims) + 0.5, rng.normal(size=f), rng.normal(size=f), rng.normal(size=f), rng.uniform(0.5, 2, f), rng.normal(size=dims))),
                         0.125, dim, tol=tol)

shared, cases = share(cases)
write(sys.argv[1] + "/ops/core.json", tensors=shared, cases=cases)
write(sys.argv[1] + "/formats.json", formats=formats)
