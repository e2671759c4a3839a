"""How far StableHLO's own expected values are from the exact ones, where tests/suites/stablehlo.txt says `wrong`.

    python tests/oracle/stablehlo_exact.py FOLDER [TLALOC PLUGIN...]

FOLDER holds the unpacked suite's testdata. Prints the table of docs/numerics.md: how many elements (parts of complex
numbers count alone) the file's check refuses when it is given the exact result, rounded once, and how many of the answers
of each PLUGIN (native, ref, or a PJRT plugin's path), as `TLALOC run` prints them. The exact results are by mpmath, from
the definitions; of the transforms in extended precision with roots of unity by mpmath.
"""
import os, re, subprocess, sys, tempfile
import mpmath as mp
import numpy as np

mp.mp.dps = 40
WIDE = np.longdouble
TYPES = {"f32": "f4", "f64": "f8", "complex<f32>": "c8", "complex<f64>": "c16"}


def constants(text):
    for data, dims, kind in re.findall(r'constant dense<"0x([0-9A-F]+)"> : tensor<((?:\d+x)+)([a-z0-9<>]+)>', text):
        yield np.frombuffer(bytes.fromhex(data), TYPES[kind]).reshape([int(d) for d in dims.split("x") if d])


def roots(n):
    angle = [2 * mp.pi * k / n for k in range(n)]
    return np.array([WIDE(str(mp.cos(a))) for a in angle]), np.array([WIDE(str(mp.sin(a))) for a in angle])


def rfft(x):
    n = x.shape[-1]
    c, s = roots(n)
    at = np.outer(np.arange(n), np.arange(n // 2 + 1)) % n
    return np.stack([x.astype(WIDE) @ c[at], -(x.astype(WIDE) @ s[at])], -1)


def irfft(z, n=33):  # odd: each entry but the first stands for two
    c, s = roots(n)
    at = np.outer(np.arange(1, n // 2 + 1), np.arange(n)) % n
    a, b = z.real.astype(WIDE), z.imag.astype(WIDE)
    return (a[..., :1] + 2 * (a[..., 1:] @ c[at] - b[..., 1:] @ s[at])) / n


def power(x, y):
    out = np.empty(x.shape + (2,), WIDE)
    for i in np.ndindex(x.shape):
        z = mp.power(mp.mpc(complex(x[i])), mp.mpc(complex(y[i])))
        out[i] = WIDE(str(z.real)), WIDE(str(z.imag))
    return out


def solve(a, b):  # x a = b, a upper
    x = np.zeros(b.shape, WIDE)
    for t in range(len(a)):
        for i in range(a.shape[-1]):
            x[t, :, i] = (b[t, :, i].astype(WIDE) - x[t, :, :i] @ a[t, :i, i].astype(WIDE)) / WIDE(a[t, i, i])
    return x


FILES = {
    "fft_complex128_14_15_16_17": irfft,
    "fft_float64_14_15_16_17": rfft,
    "pow_complex64_20_30_complex64_20_30": power,
    "triangular_solve_float32_2_8_8_float32_2_10_8": solve,
}


def refused(text, found, wanted):
    if "expect_close" in text:  # at most 3 units in the last place
        kind = np.int32 if wanted.dtype == np.float32 else np.int64
        f, w = found.view(kind).astype(object), wanted.view(kind).astype(object)
        rank = lambda v: np.where(v < 0, -(v & np.iinfo(kind).max), v)
        return np.abs(rank(f) - rank(w)) > 3
    return np.abs(found.astype(float) - wanted.astype(float)) > 0.001


def run(tool, plugin, text):
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/m.mlir", "w") as file:
            file.write("\n".join(line for line in text.split("\n") if "@check." not in line))
        subprocess.run([tool, "run", f"{folder}/m.mlir", "--device", plugin, "-o", f"{folder}/o.npy"], check=True)
        return np.load(f"{folder}/o.npy")


def main(folder, tool=None, *plugins):
    print("| file | elements | exact |", *(os.path.basename(p) + " |" for p in plugins))
    print("|---|---|---|" + "---|" * len(plugins))
    for name, exact in FILES.items():
        with open(f"{folder}/{name}.mlir") as file:
            text = file.read()
        *inputs, wanted = constants(text)
        part = np.empty(0, wanted.dtype).real.dtype
        wanted = np.ascontiguousarray(wanted).view(part).ravel()
        answers = [exact(*inputs).ravel().astype(part)]
        answers += [np.ascontiguousarray(run(tool, p, text)).view(part).ravel() for p in plugins]
        cells = [str(int(refused(text, a, wanted).sum())) for a in answers]
        print(f"| `{name}` | {wanted.size} |", " | ".join(cells), "|")


if __name__ == "__main__":
    main(*sys.argv[1:])
