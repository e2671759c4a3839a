"""Writes tests/ref/ops/complex.json: the elementwise ops of complex numbers, found by mpmath in 2000 bits.

Inputs are ordinary numbers, numbers of every size, ones next to the unit circle and to the axes, and the special values
whose results C's Annex G fixes. `ulp` is per part; `tol`, of the largest entry, is given where parts cancel.

    python tests/oracle/ref_complex.py tests/ref/ops
"""
import json, sys
import mpmath as mp
import numpy as np

mp.mp.prec = 2000
rng = np.random.default_rng(20241130)
TYPES = {"f32": (np.float32, np.complex64), "f64": (np.float64, np.complex128)}
cases = []


def tensor(kind, data):
    data = np.ascontiguousarray(data)
    return {"type": kind, "dims": list(data.shape), "data": data.tobytes().hex()}


def numbers(part, n, most):
    """n complex numbers whose exponents lie within +-most."""
    z = rng.normal(size=(n, 2)) * np.exp2(rng.integers(-most, most + 1, size=(n, 2)))
    turn = rng.uniform(-np.pi, np.pi, n // 4)
    near = 1 + rng.normal(size=n // 4) * np.exp2(-rng.integers(1, 40, n // 4))
    z[: n // 4] = np.stack([near * np.cos(turn), near * np.sin(turn)], 1)
    z[n // 4: n // 2] = rng.normal(size=(n // 4, 2))
    return z.astype(part).view(TYPES["f64" if part == np.float64 else "f32"][1])[:, 0]


def rounded(values, part):
    out = np.empty((len(values), 2), part)
    for i, v in enumerate(values):
        v = mp.mpc(v)
        out[i] = [part(float(v.real)), part(float(v.imag))]
    return out.view(TYPES["f64" if part == np.float64 else "f32"][1])[:, 0]


UNARY = {
    "exponential": (mp.exp, 6, 3), "exponential_minus_one": (mp.expm1, 6, 3), "log": (mp.log, 100, 3),
    "log_plus_one": (lambda z: mp.log(1 + z), 60, 3), "sqrt": (mp.sqrt, 100, 3), "rsqrt": (lambda z: 1 / mp.sqrt(z), 100, 3),
    "cbrt": (lambda z: mp.exp(mp.log(z) / 3), 30, 4), "sine": (mp.sin, 5, 3), "cosine": (mp.cos, 5, 3), "tan": (mp.tan, 4, 5),
    "tanh": (mp.tanh, 4, 5), "logistic": (lambda z: 1 / (1 + mp.exp(-z)), 4, 4), "sign": (lambda z: z / abs(z), 100, 3),
    "negate": (lambda z: -z, 100, 0),
}
BINARY = {
    "add": (lambda z, w: z + w, 20, 1), "subtract": (lambda z, w: z - w, 20, 1), "multiply": (lambda z, w: z * w, 20, 2),
    "divide": (lambda z, w: z / w, 50, 3), "power": (lambda z, w: mp.exp(w * mp.log(z)), 1, 8),
    "atan2": (lambda y, x: -1j * mp.log((x + 1j * y) / mp.sqrt(x * x + y * y)), 1, 8),
}
for op, (f, most, ulp) in UNARY.items():
    for p, (part, kind) in TYPES.items():
        z = numbers(part, 48, most)
        cases.append({"op": op, "in": [tensor(f"complex<{p}>", z)], "out": [tensor(f"complex<{p}>", rounded([f(mp.mpc(complex(v))) for v in z], part))],
                      "ulp": ulp, "tol": 2.0 ** (-20 if p == "f32" else -48) if ulp > 0 else 0})
for op, (f, most, ulp) in BINARY.items():
    for p, (part, kind) in TYPES.items():
        z, w = numbers(part, 32, most), numbers(part, 32, most)
        cases.append({"op": op, "in": [tensor(f"complex<{p}>", v) for v in (z, w)],
                      "out": [tensor(f"complex<{p}>", rounded([f(mp.mpc(complex(a)), mp.mpc(complex(b))) for a, b in zip(z, w)], part))],
                      "ulp": ulp, "tol": 2.0 ** (-20 if p == "f32" else -46)})
for p, (part, kind) in TYPES.items():
    z = numbers(part, 32, 60)
    cases.append({"op": "abs", "in": [tensor(f"complex<{p}>", z)], "out": [tensor(p, np.array([part(float(abs(mp.mpc(complex(v))))) for v in z], part))], "ulp": 2})
    big = np.finfo(part).max
    cases.append({"op": "abs", "in": [tensor(f"complex<{p}>", np.array([big * part(0.6) + 1j * big * part(0.6), complex(np.inf, np.nan), complex(3, -4)], kind))],
                  "out": [tensor(p, np.array([part(float(mp.mpf(float(big * part(0.6))) * mp.sqrt(2))), np.inf, 5], part))], "ulp": 2, "f64": False})
    cases.append({"op": "complex", "in": [tensor(p, z.real.copy()), tensor(p, z.imag.copy())], "out": [tensor(f"complex<{p}>", z)]})
    cases.append({"op": "real", "in": [tensor(f"complex<{p}>", z)], "out": [tensor(p, z.real.copy())]})
    cases.append({"op": "imag", "in": [tensor(f"complex<{p}>", z)], "out": [tensor(p, z.imag.copy())]})
    cases.append({"op": "imag", "in": [tensor(p, z.real.copy())], "out": [tensor(p, np.zeros(32, part))]})
    # No overflow and no underflow on the way: quotients of the largest and the smallest numbers.
    tiny = np.finfo(part).tiny
    a = np.array([big + 1j * big, tiny + 1j * tiny, big + 1j * tiny], kind)
    b = np.array([big - 1j * big, tiny - 1j * tiny, big + 1j * tiny], kind)
    cases.append({"op": "divide", "in": [tensor(f"complex<{p}>", a), tensor(f"complex<{p}>", b)],
                  "out": [tensor(f"complex<{p}>", np.array([1j, 1j, 1], kind))], "ulp": 1, "f64": False})

inf, nan = np.inf, np.nan
SPECIAL = {  # C11, Annex G.6
    "exponential": [(inf, 0, inf, 0), (-inf, inf, 0, 0), (-inf, nan, 0, 0), (inf, inf, inf, nan), (nan, 0, nan, 0), (1, inf, nan, nan), (0, -0.0, 1, -0.0)],
    "log": [(-0.0, 0, -inf, np.pi), (0, 0, -inf, 0), (inf, inf, inf, np.pi / 4), (-inf, 1, inf, np.pi), (inf, nan, inf, nan), (-1, -0.0, 0, -np.pi)],
    "sqrt": [(0, -0.0, 0, -0.0), (nan, inf, inf, inf), (-inf, 1, 0, inf), (inf, -1, inf, -0.0), (nan, 1, nan, nan), (-4, 0, 0, 2), (-4, -0.0, 0, -2)],
    "tanh": [(inf, 1, 1, 0), (inf, inf, 1, 0), (-inf, 1, -1, 0), (1, inf, nan, nan), (nan, 0, nan, 0), (0, 0, 0, 0)],
    "sine": [(0, inf, 0, inf), (0, 0, 0, 0), (0, -inf, 0, -inf)], "sign": [(nan, 1, nan, nan), (0, -0.0, 0, 0), (-0.0, 0, 0, 0)],
}
for op, rows in SPECIAL.items():
    for p, (part, kind) in TYPES.items():
        r = np.array(rows, part)
        cases.append({"op": op, "in": [tensor(f"complex<{p}>", np.ascontiguousarray(r[:, :2]).view(kind)[:, 0])],
                      "out": [tensor(f"complex<{p}>", np.ascontiguousarray(r[:, 2:]).view(kind)[:, 0])], "ulp": 1, "f64": False})
# Lexicographic; NaN wins.
a = np.array([1 + 2j, 1 + 3j, complex(nan, 0), 2 - 1j, 0], np.complex64)
b = np.array([1 + 3j, 1 - 3j, 5, complex(0, nan), -1 + 9j], np.complex64)
for op, out in (("maximum", [1 + 3j, 1 + 3j, a[2], b[3], 0]), ("minimum", [1 + 2j, 1 - 3j, a[2], b[3], -1 + 9j])):
    cases.append({"op": op, "in": [tensor("complex<f32>", a), tensor("complex<f32>", b)], "out": [tensor("complex<f32>", np.array(out, np.complex64))]})
for d, f in {"EQ": lambda x, y: x == y, "NE": lambda x, y: x != y, "LT": lambda x, y: x < y, "LE": lambda x, y: x <= y,
             "GT": lambda x, y: x > y, "GE": lambda x, y: x >= y}.items():
    a, b = rng.integers(0, 2, (2, 24, 2)).astype(np.float64)
    out = np.array([f((u[0], u[1]), (v[0], v[1])) for u, v in zip(a, b)], np.uint8)
    cases.append({"op": "compare", "in": [tensor("complex<f64>", a.view(np.complex128)[:, 0]), tensor("complex<f64>", b.view(np.complex128)[:, 0])],
                  "out": [tensor("i1", out)], "attrs": {"comparison_direction": d, "compare_type": "FLOAT"}})
    if d in ("EQ", "NE"):
        x = np.array([complex(nan, 1), complex(1, nan), complex(0.0, -0.0)], np.complex64)
        y = np.array([complex(nan, 1), complex(1, nan), complex(-0.0, 0.0)], np.complex64)
        cases.append({"op": "compare", "in": [tensor("complex<f32>", x), tensor("complex<f32>", y)],
                      "out": [tensor("i1", np.array([0, 0, 1] if d == "EQ" else [1, 1, 0], np.uint8))], "attrs": {"comparison_direction": d, "compare_type": "FLOAT"}})
with open(sys.argv[1] + "/complex.json", "w") as f:
    json.dump({"made by": f"tests/oracle/ref_complex.py, numpy {np.__version__}, mpmath {mp.__version__}, seed 20241130", "cases": cases}, f, separators=(",", ":"))
print(len(cases), "cases")
