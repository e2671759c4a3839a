"""Writes tests/ref/ops/fft.json: discrete Fourier transforms.

Short ones by mpmath from the definition, in 300 bits; long ones by numpy (pocketfft) at f64, whose error is of the same
size as ours, so that `tol`, of the largest entry, covers both. At f32 numpy's f64 results rounded once.

    python tests/oracle/ref_fft.py tests/ref/ops
"""
import json, sys
import mpmath as mp
import numpy as np

mp.mp.prec = 300
rng = np.random.default_rng(20241201)
KIND = {np.dtype(np.float32): "f32", np.dtype(np.float64): "f64", np.dtype(np.complex64): "complex<f32>", np.dtype(np.complex128): "complex<f64>"}
cases = []


def tensor(a):
    a = np.ascontiguousarray(a)
    return {"type": KIND[a.dtype], "dims": list(a.shape), "data": a.tobytes().hex()}


def exact(x, inverse):  # along the last dim, by the definition
    n = x.shape[-1]
    w = [mp.expjpi(mp.mpf(2 if inverse else -2) * k / n) for k in range(n)]
    out = np.empty(x.shape, np.complex128)
    for at in np.ndindex(*x.shape[:-1]):
        row = [mp.mpc(complex(v)) for v in x[at]]
        for k in range(n):
            s = mp.fsum([row[j] * w[j * k % n] for j in range(n)])
            out[at + (k,)] = complex(s / n if inverse else s)
    return out


def case(x, kind, length, out, tol):
    cases.append({"op": "fft", "in": [tensor(x)], "out": [tensor(out)], "attrs": {"fft_type": kind, "fft_length": length}, "ulp": 2, "tol": tol})


def complex_numbers(shape, kind):
    return (rng.normal(size=shape) + 1j * rng.normal(size=shape)).astype(kind)


for n in (1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 16, 17, 29, 31, 37, 74, 97):
    for kind in (np.complex64, np.complex128):
        x = complex_numbers((1 if n > 30 else 2, n), kind)
        tol = 3e-7 if kind == np.complex64 else 1e-15
        case(x, "FFT", [n], exact(x, False).astype(kind), tol)
        case(x, "IFFT", [n], exact(x, True).astype(kind), tol)
for n in (1, 2, 5, 8, 17, 38):
    for kind, wide in ((np.float32, np.complex64), (np.float64, np.complex128)):
        x = rng.normal(size=(3, n)).astype(kind)
        tol = 3e-7 if kind == np.float32 else 1e-15
        case(x, "RFFT", [n], exact(x.astype(np.complex128), False)[:, : n // 2 + 1].astype(wide), tol)
        z = complex_numbers((3, n // 2 + 1), wide)
        full = np.empty((3, n), np.complex128)
        full[:, : n // 2 + 1] = z
        full[:, 0] = full[:, 0].real
        if n % 2 == 0:
            full[:, n // 2] = full[:, n // 2].real
        for k in range(n // 2 + 1, n):
            full[:, k] = np.conj(full[:, n - k])
        case(z, "IRFFT", [n], exact(full, True).real.astype(kind), tol)
for shape, dims in (((2, 3, 4), 2), ((3, 4, 5), 3), ((2, 6, 7, 3), 3)):
    axes = tuple(range(len(shape) - dims, len(shape)))
    length = list(shape[-dims:])
    x = complex_numbers(shape, np.complex128)
    case(x, "FFT", length, np.fft.fftn(x, axes=axes), 1e-15)
    case(x, "IFFT", length, np.fft.ifftn(x, axes=axes), 1e-15)
    r = rng.normal(size=shape)
    case(r, "RFFT", length, np.fft.rfftn(r, axes=axes), 1e-15)
    z = complex_numbers(shape[:-1] + (shape[-1] // 2 + 1,), np.complex128)
    case(z, "IRFFT", length, np.fft.irfftn(z, s=length, axes=axes), 1e-15)
for n in (509, 1024):
    x = complex_numbers((n,), np.complex128)
    case(x, "FFT", [n], np.fft.fft(x), 1e-15)
for shape, out, kind, length in (((2, 0), (2, 0), "FFT", [0]), ((0, 8), (0, 8), "IFFT", [8])):
    case(np.zeros(shape, np.complex64), kind, length, np.zeros(out, np.complex64), 0)
case(np.zeros((3, 0), np.float32), "RFFT", [0], np.zeros((3, 0), np.complex64), 0)
with open(sys.argv[1] + "/fft.json", "w") as f:
    json.dump({"made by": f"tests/oracle/ref_fft.py, numpy {np.__version__}, mpmath {mp.__version__}, seed 20241201", "cases": cases}, f, separators=(",", ":"))
print(len(cases), "cases")
