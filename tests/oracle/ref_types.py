"""Writes tests/ref/ops/types.json and tests/base/minifloats.json: element types under a byte, and complex matrices.

Floats of a byte or less by ml_dtypes, complex linear algebra by numpy and scipy, bitcasts by moving bits about.

    python tests/oracle/ref_types.py tests
"""
import hashlib, json, sys
import ml_dtypes
import numpy as np
import scipy.linalg

np.seterr(all="ignore")
rng = np.random.default_rng(20241202)
FLOATS = {"f8E5M2": "float8_e5m2", "f8E4M3": "float8_e4m3", "f8E3M4": "float8_e3m4", "f8E4M3FN": "float8_e4m3fn",
          "f8E4M3B11FNUZ": "float8_e4m3b11fnuz", "f8E4M3FNUZ": "float8_e4m3fnuz", "f8E5M2FNUZ": "float8_e5m2fnuz",
          "f8E8M0FNU": "float8_e8m0fnu", "f6E2M3FN": "float6_e2m3fn", "f6E3M2FN": "float6_e3m2fn", "f4E2M1FN": "float4_e2m1fn"}
BITS = {"i1": 1, "i2": 2, "i4": 4, "ui2": 2, "ui4": 4, **{k: int(k[1]) for k in FLOATS}}
NP = {"f32": np.float32, "f64": np.float64, "i8": np.int8, "ui8": np.uint8, "i16": np.int16, "ui16": np.uint16, "i32": np.int32,
      "i64": np.int64, "bf16": ml_dtypes.bfloat16, "f16": np.float16, "complex<f32>": np.complex64, "complex<f64>": np.complex128}
cases = []


def tensor(kind, a):
    a = np.asarray(a)
    if kind in NP:
        a = a.astype(NP[kind])
    return {"type": kind, "dims": list(a.shape), "data": a.tobytes().hex()}


def case(op, ins, outs, **more):
    cases.append({"op": op, "in": ins, "out": outs, **more})


# ---- The table of minifloats ----
formats = []
for name, py in FLOATS.items():
    d = np.dtype(getattr(ml_dtypes, py))
    codes = np.arange(2 ** BITS[name], dtype=np.uint8)
    values = codes.view(d).astype(np.float32)
    finite = np.unique(values[np.isfinite(values)].astype(np.float64))
    middle = (finite[1:] + finite[:-1]) / 2
    # Every number, every tie and its neighbours in f32 (numpy goes through it), what lies past the ends, and the rest.
    x = np.concatenate([finite, middle, np.nextafter(middle.astype(np.float32), np.float32(np.inf)).astype(np.float64),
                        np.nextafter(middle.astype(np.float32), np.float32(-np.inf)).astype(np.float64),
                        [0.0, -0.0, np.inf, -np.inf, np.nan, -np.nan, 1e38, -1e38],
                        finite[-1] * np.array([1.01, 1.03, 1.0625, 1.125, 1.25, 1.49, 1.5, 2]), finite[0] * np.array([1.01, 1.0625, 1.25, 1.5, 2])])
    if name == "f8E8M0FNU":  # ml_dtypes rounds f32's own subnormals up, whatever they are
        x = x[~((np.abs(x) > 2.0 ** -127) & (np.abs(x) < 2.0 ** -126))]
    out = x.astype(np.float32).astype(d).view(np.uint8)
    digests = {}
    for kind, source in (("f16", np.float16), ("bf16", ml_dtypes.bfloat16)):
        every = np.arange(65536, dtype=np.uint16).view(source)
        wide = every.astype(np.float64)
        skip = (name == "f8E8M0FNU") & (np.abs(wide) > 2.0 ** -127) & (np.abs(wide) < 2.0 ** -126)
        result = every.astype(d).view(np.uint8)
        result[skip] = 0
        digests[kind] = hashlib.sha256(result.tobytes()).hexdigest()
    formats.append({"name": name, "values": values.tobytes().hex(), "from": x.tobytes().hex(), "codes": out.tobytes().hex(), "sha256": digests})
with open(sys.argv[1] + "/base/minifloats.json", "w") as f:
    json.dump({"made by": f"tests/oracle/ref_types.py, ml_dtypes {ml_dtypes.__version__}, numpy {np.__version__}", "formats": formats}, f, separators=(",", ":"))

# ---- Ops of floats of a byte or less: in f32, rounded once ----
for name, py in FLOATS.items():
    d = np.dtype(getattr(ml_dtypes, py))
    codes = rng.integers(0, 2 ** BITS[name], (2, 36)).astype(np.uint8)
    x, y = (c.view(d).astype(np.float32) for c in codes)
    for op, z in (("add", x + y), ("multiply", x * y), ("divide", x / y), ("subtract", x - y)):
        case(op, [tensor(name, c) for c in codes], [tensor(name, z.astype(d).view(np.uint8))], f64=False)
    case("is_finite", [tensor(name, codes[0])], [tensor("i1", np.isfinite(x).astype(np.uint8))])
    for kind in ("f32", "bf16", "f16", "f64"):
        case("convert", [tensor(name, codes[0])], [tensor(kind, x)], f64=False)
        v = (rng.normal(size=40) * np.exp2(rng.integers(-12, 12, 40))).astype(NP[kind])
        v = v.astype(np.float32).astype(NP[kind])
        case("convert", [tensor(kind, v)], [tensor(name, v.astype(np.float32).astype(d).view(np.uint8))], f64=False)
    for kind in ("i32", "ui8", "i64"):
        v = rng.integers(0 if kind == "ui8" else -70, 70, 24)
        case("convert", [tensor(kind, v)], [tensor(name, v.astype(np.float32).astype(d).view(np.uint8))], f64=False)
    case("compare", [tensor(name, c) for c in codes], [tensor("i1", (x < y).astype(np.uint8))], attrs={"comparison_direction": "LT", "compare_type": "FLOAT"})

# ---- Integers of 2 and 4 bits: wrap ----
def wrap(v, kind):
    n = BITS[kind]
    v = np.asarray(v) & (2 ** n - 1)
    return np.where(v >= 2 ** (n - 1), v - 2 ** n, v).astype(np.int8).view(np.uint8) if kind[0] == "i" else v.astype(np.uint8)


for kind in ("i2", "i4", "ui2", "ui4"):
    n = BITS[kind]
    low = -(2 ** (n - 1)) if kind[0] == "i" else 0
    x, y = (v.ravel() for v in np.meshgrid(np.arange(low, low + 2 ** n), np.arange(low, low + 2 ** n)))
    both = [tensor(kind, wrap(v, kind)) for v in (x, y)]
    for op, z in (("add", x + y), ("subtract", x - y), ("multiply", x * y), ("maximum", np.maximum(x, y)), ("and", x & y), ("xor", x ^ y)):
        case(op, both, [tensor(kind, wrap(z, kind))])
    every = np.arange(low, low + 2 ** n)
    case("not", [tensor(kind, wrap(every, kind))], [tensor(kind, wrap(~every, kind))])
    case("popcnt", [tensor(kind, wrap(every, kind))], [tensor(kind, wrap([bin(v & (2 ** n - 1)).count("1") for v in every], kind))])
    case("count_leading_zeros", [tensor(kind, wrap(every, kind))], [tensor(kind, wrap([n - int(v & (2 ** n - 1)).bit_length() for v in every], kind))])
    case("convert", [tensor("f32", [-9.5, -1.5, -0.5, 0.5, 1.9, 3.5, 8, 99, np.nan])],
         [tensor(kind, wrap([min(max(int(v), low), low + 2 ** n - 1) for v in (-9.5, -1.5, -0.5, 0.5, 1.9, 3.5, 8, 99, 0)], kind))])
    case("convert", [tensor("i32", [-100, -9, -1, 0, 5, 17])], [tensor(kind, wrap([-100, -9, -1, 0, 5, 17], kind))])
    case("convert", [tensor(kind, wrap(every, kind))], [tensor("f32", every)])

# ---- bitcast_convert ----
def bits(raw, n):  # of elements held a byte each, or whole
    if n < 8:
        return [int(b) >> k & 1 for b in raw for k in range(n)]
    return [b >> k & 1 for b in raw for k in range(8)]


def elements(stream, kind, n):
    if n >= 8:
        return bytes(sum(stream[i + k] << k for k in range(8)) for i in range(0, len(stream), 8))
    return wrap([sum(stream[i + k] << k for k in range(n)) for i in range(0, len(stream), n)], kind if kind[0] in "iu" and kind != "i1" else "ui" + str(n)).tobytes() \
        if n > 1 else bytes(stream)


def raw_tensor(kind, dims, data):
    return {"type": kind, "dims": dims, "data": bytes(data).hex()}


BITS["ui1"] = 1
for a, b, da, db in (("i4", "ui8", [3, 2], [3]), ("ui8", "i4", [3], [3, 2]), ("i2", "i8", [2, 4], [2]), ("i16", "ui2", [2], [2, 8]), ("i1", "i64", [2, 64], [2]),
                     ("i64", "i1", [2], [2, 64]), ("i1", "i4", [3, 4], [3]), ("i4", "i1", [3], [3, 4]), ("i4", "ui4", [6], [6]), ("ui4", "i4", [6], [6]),
                     ("f4E2M1FN", "ui4", [6], [6]), ("f4E2M1FN", "f8E5M2", [4, 2], [4]), ("f8E4M3FN", "i8", [9], [9]), ("i2", "i4", [5, 2], [5])):
    na, nb = (BITS.get(k) or np.dtype(NP[k]).itemsize * 8 for k in (a, b))
    count = int(np.prod(da))
    if na < 8:
        data = rng.integers(0, 2 ** na, count)
        stream = [int(v) >> k & 1 for v in data for k in range(na)]
        data = elements(stream, a, na)
    else:
        data = rng.integers(0, 256, count * na // 8).astype(np.uint8).tobytes()
        stream = bits(data, na)
    case("bitcast_convert", [raw_tensor(a, da, data)], [raw_tensor(b, db, elements(stream, b, nb))], f64=False)
z = (rng.normal(size=(3, 2)) + 1j * rng.normal(size=(3, 2))).astype(np.complex64)
case("bitcast_convert", [tensor("complex<f32>", z)], [raw_tensor("complex<f64>", [3], z.tobytes())], f64=False)

# ---- reduce_precision ----
for e, m in ((4, 1), (5, 2), (2, 3), (3, 1)):
    codes = np.arange(256, dtype=np.uint8)
    x = codes.view(ml_dtypes.float8_e4m3).astype(np.float64)
    def reduced(v):
        if not np.isfinite(v) or v == 0:
            return np.copysign(np.inf, v) if np.isnan(v) and m == 0 else v
        k = int(np.floor(np.log2(abs(v))))
        q = np.rint(abs(v) * 2.0 ** (m - k)) * 2.0 ** (k - m)
        if e < 4:
            if q >= 2.0 ** (2 ** (e - 1)): q = np.inf
            if q < 2.0 ** (2 - 2 ** (e - 1)): q = 0.0
        return np.copysign(q, v)
    out = np.array([reduced(v) for v in x]).astype(ml_dtypes.float8_e4m3).view(np.uint8)
    case("reduce_precision", [tensor("f8E4M3", codes)], [tensor("f8E4M3", out)], attrs={"exponent_bits": e, "mantissa_bits": m}, f64=False)

# ---- Complex matrices ----
def complex_matrix(*dims):
    return rng.normal(size=dims) + 1j * rng.normal(size=dims)


for kind, tol in (("complex<f32>", 3e-7), ("complex<f64>", 4e-15)):
    for n in (1, 4, 7):
        g = complex_matrix(2, n, n)
        a = (g @ np.conj(np.swapaxes(g, 1, 2)) + n * np.eye(n)).astype(NP[kind])
        l = np.linalg.cholesky(a.astype(np.complex128))
        junk = a + np.triu(np.full((n, n), 9 + 9j), 1)
        case("cholesky", [tensor(kind, junk)], [tensor(kind, l)], attrs={"lower": True}, ulp=4, tol=tol)
        junk = a + np.tril(np.full((n, n), 9 - 9j), -1)
        case("cholesky", [tensor(kind, junk)], [tensor(kind, np.conj(np.swapaxes(l, 1, 2)))], attrs={"lower": False}, ulp=4, tol=tol)
    t = (complex_matrix(5, 5) + 4 * np.eye(5)).astype(NP[kind])
    for lower in (True, False):
        for unit in (True, False):
            for trans, letter in (("NO_TRANSPOSE", 0), ("TRANSPOSE", 1), ("ADJOINT", 2)):
                w = t.astype(np.complex128)
                b = complex_matrix(5, 3).astype(NP[kind])
                x = scipy.linalg.solve_triangular(w, b.astype(np.complex128), trans=letter, lower=lower, unit_diagonal=unit)
                attrs = {"left_side": True, "lower": lower, "transpose_a": trans, "unit_diagonal": unit}
                case("triangular_solve", [tensor(kind, t), tensor(kind, b)], [tensor(kind, x)], attrs=attrs, ulp=4, tol=tol)
                op = [w, w.T, np.conj(w.T)][letter]
                low = lower == (letter == 0)
                op = np.tril(op) if low else np.triu(op)
                if unit: np.fill_diagonal(op, 1)
                r = complex_matrix(3, 5).astype(NP[kind])
                case("triangular_solve", [tensor(kind, t), tensor(kind, r)], [tensor(kind, r.astype(np.complex128) @ np.linalg.inv(op))],
                     attrs={**attrs, "left_side": False}, ulp=4, tol=4 * tol)
    x, y = complex_matrix(3, 70).astype(NP[kind]), complex_matrix(70, 18).astype(NP[kind])
    case("dot_general", [tensor(kind, x), tensor(kind, y)], [tensor(kind, x.astype(np.complex128) @ y.astype(np.complex128))], ulp=4, tol=4 * tol,
         attrs={"lhs_contracting_dimensions": [1], "rhs_contracting_dimensions": [0], "lhs_batching_dimensions": [], "rhs_batching_dimensions": []})
    v = complex_matrix(4, 33).astype(NP[kind])
    case("reduce", [tensor(kind, v), tensor(kind, np.array(1 + 2j))], [tensor(kind, v.astype(np.complex128).sum(1) + (1 + 2j))], attrs={"dimensions": [1]}, region="add", ulp=8, tol=4 * tol)
    v = complex_matrix(4, 5).astype(NP[kind])
    case("reduce", [tensor(kind, v), tensor(kind, np.array(1))], [tensor(kind, v.astype(np.complex128).prod(1))], attrs={"dimensions": [1]}, region="multiply", ulp=8, tol=4 * tol)
    img, ker = complex_matrix(2, 6, 3).astype(NP[kind]), complex_matrix(2, 3, 4).astype(NP[kind])
    out = np.stack([np.einsum("bkc,kcf->bf", img[:, i:i + 2].astype(np.complex128), ker.astype(np.complex128)) for i in range(5)], 1)
    case("convolution", [tensor(kind, img), tensor(kind, ker)], [tensor(kind, out)], ulp=8, tol=4 * tol,
         attrs={"input_batch_dimension": 0, "input_feature_dimension": 2, "input_spatial_dimensions": [1], "kernel_input_feature_dimension": 1,
                "kernel_output_feature_dimension": 2, "kernel_spatial_dimensions": [0], "output_batch_dimension": 0, "output_feature_dimension": 2,
                "output_spatial_dimensions": [1], "feature_group_count": 1, "batch_group_count": 1})
case("dot_general", [tensor("i4", wrap(rng.integers(-8, 8, (3, 9)), "i4")), tensor("i4", wrap(rng.integers(-8, 8, (9, 2)), "i4"))],
     [None], attrs={"lhs_contracting_dimensions": [1], "rhs_contracting_dimensions": [0], "lhs_batching_dimensions": [], "rhs_batching_dimensions": []})
a, b = (np.frombuffer(bytes.fromhex(t["data"]), np.int8).reshape(t["dims"]).astype(int) for t in cases[-1]["in"])
cases[-1]["out"] = [tensor("i4", wrap(a @ b, "i4"))]
with open(sys.argv[1] + "/ref/ops/types.json", "w") as f:
    json.dump({"made by": f"tests/oracle/ref_types.py, ml_dtypes {ml_dtypes.__version__}, numpy {np.__version__}, scipy {scipy.__version__}, seed 20241202",
               "cases": cases}, f, separators=(",", ":"))
print(len(cases), "cases")
