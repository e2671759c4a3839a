"""Golden values of the weight formats whose scales lie behind a row's codes, and of the quantisers, by numpy and ml_dtypes.

Writes, from the picture in src/ir/formats.def:
  tests/ckpt/rows.txt           stored rows and their values, as tests/ckpt/quant.txt has them of GGUF's formats
  tests/ckpt/quantize.txt       "format k numbers stored-bytes": rows of numbers and what src/ckpt/quantize.h makes of them
  tests/ref/formats_rows.json   matrices, packed, as tests/ref/formats.json has them; `row` are the scales of rows, and
                                `dense` the numbers without them

    python tests/oracle/weight_formats.py            # write
    python tests/oracle/weight_formats.py --check    # compare the recordings with the installed packages
"""

import json
import pathlib
import sys

import ml_dtypes
import numpy as np

SEED = 20241130
TESTS = pathlib.Path(__file__).resolve().parent.parent
E4M3, E2M1 = ml_dtypes.float8_e4m3fn, ml_dtypes.float4_e2m1fn
F = np.float32
GROUP = 16
rng = np.random.default_rng(SEED)


def e4m3(codes):
    return np.asarray(codes, np.uint8).view(E4M3).astype(F)


def e2m1(codes):  # minus zero counts as zero
    return np.asarray(codes, np.uint8).view(E2M1).astype(F) + F(0)


def random_codes(fmt, rows, k):
    codes = rng.integers(0, 16 if fmt == "nvfp4" else 256, (rows, k)).astype(np.uint8)
    if fmt.startswith("fp8"):
        codes[(codes & 0x7F) == 0x7F] ^= 1  # no NaN
    return codes


def nibbles(codes):
    return codes[..., 0::2] | codes[..., 1::2] << 4


class Matrix:
    """codes [R, k], small scales ui8 [R, k/16] or none, f32 scales [R, n]."""

    def __init__(self, fmt, rows, k, codes=None):
        self.fmt, self.rows, self.k = fmt, rows, k
        self.codes = random_codes(fmt, rows, k) if codes is None else codes
        self.small = np.zeros((rows, 0), np.uint8)
        n = -(-k // 128) if fmt == "fp8_block" else 1
        self.scales = rng.lognormal(-4, 2, (rows, n)).astype(F)
        if fmt == "nvfp4":
            self.small = rng.integers(0, 0x7F, (rows, k // 16)).astype(np.uint8)

    def stored(self):
        codes = nibbles(self.codes) if self.fmt == "nvfp4" else self.codes
        return np.concatenate([codes, self.small, self.scales.view(np.uint8)], 1)

    def numbers(self):  # without the scales of rows
        if self.fmt == "int8": return self.codes.view(np.int8).astype(F)
        if self.fmt == "fp8": return e4m3(self.codes)
        if self.fmt == "fp8_block": return e4m3(self.codes) * np.repeat(self.scales, 128, 1)[:, :self.k]
        return e2m1(self.codes) * np.repeat(e4m3(self.small), 16, 1)

    def row_scales(self):
        return np.ones((self.rows, 1), F) if self.fmt == "fp8_block" else self.scales

    def values(self):
        return self.numbers() * self.row_scales()

    def packed(self):
        pad = lambda x: np.concatenate([x, np.zeros((-len(x) % GROUP, *x.shape[1:]), x.dtype)])
        codes, small, scales = pad(self.codes), pad(self.small), pad(self.scales)
        out = b""
        for g in range(0, len(codes), GROUP):
            rows = slice(g, g + GROUP)
            if self.fmt == "nvfp4":
                c = codes[rows].reshape(GROUP, self.k // 8, 8)
                c = c[:, :, :4] | c[:, :, 4:] << 4
            else:
                c = codes[rows].reshape(GROUP, self.k // 4, 4)
            out += c.transpose(1, 0, 2).tobytes() + small[rows].T.tobytes() + scales[rows].T.astype("<f4").tobytes()
        return out


def bits(x):
    return "".join(f"{v:08x}" for v in np.ascontiguousarray(x, F).reshape(-1).view(np.uint32))


def rows_text():
    for fmt in ("int8", "fp8", "fp8_block", "nvfp4"):
        for number in range(3):
            m = Matrix(fmt, 1, 160)
            if number == 0: m.codes[:] = 0xF if fmt == "nvfp4" else 0xFE if fmt != "int8" else 0x80
            if number == 2: m.scales[:] = F(1e-41)  # subnormal
            yield f"{fmt} {m.k} {m.stored().tobytes().hex()} {bits(m.values())}"


def scale_of(most, codes):
    s = F(most) / F(codes)
    return s if s > 0 else F(1)


def quantized(fmt, w):
    most = np.abs(w).max()
    if fmt == "int8":
        s = scale_of(most, 127)
        return np.clip(np.rint(w / s), -127, 127).astype(np.int8).tobytes() + s.tobytes()
    if fmt == "fp8":
        s = scale_of(most, 448)
        return (w / s).astype(E4M3).tobytes() + s.tobytes()
    if fmt == "q4_0":
        out = b""
        for b in w.reshape(-1, 32):
            best = None
            for d in (b[np.abs(b).argmax()] / F(-8), np.abs(b).max() / F(7)):
                d = np.asarray(d, F).astype(np.float16)
                q = np.clip(np.rint(b / F(d)), -8, 7) if d != 0 else np.zeros(32)
                error = sum(((b.astype(np.float64) - q * np.float64(d)) ** 2).tolist())  # one after another
                if best is None or error < best[0]: best = error, d, (q + 8).astype(np.uint8)
            _, d, q = best
            out += d.tobytes() + (q[:16] | q[16:] << 4).tobytes()
        return out
    s = scale_of(most, 6 * 448)
    small = (np.abs(w.reshape(-1, 16)).max(1) / F(6) / s).astype(E4M3)
    each = np.repeat(small.astype(F) * s, 16)
    x = np.divide(w, each, out=np.zeros_like(w), where=each > 0)
    return nibbles(x.astype(E2M1).view(np.uint8)).tobytes() + small.tobytes() + s.tobytes()


def quantize_text():
    k = 96
    grid = np.concatenate([np.arange(-24, 24) / 2, np.arange(48) / 4]).astype(F)  # ties of everything
    rows = [rng.normal(0, 0.02, k), rng.standard_t(2, k), grid, np.zeros(k), np.full(k, 1e-41), rng.normal(0, 1e-3, k) * (np.arange(k) < 40)]
    rows += [np.where(np.arange(k) == 5, 448, e4m3(rng.integers(0, 0x7F, k)) * 1.0625), np.where(np.arange(k) % 32 == 0, 7, rng.integers(-14, 15, k) / 2)]
    for row in rows:
        w = np.asarray(row, F)
        for fmt in ("int8", "fp8", "q4_0", "nvfp4"):
            yield f"{fmt} {k} {bits(w)} {quantized(fmt, w).hex()}"


def matrices():
    for fmt, k, rows in (("int8", 96, 19), ("fp8", 64, 17), ("fp8_block", 160, 18), ("fp8_block", 128, 3), ("nvfp4", 112, 17)):
        m = Matrix(fmt, rows, k)
        m.scales = rng.uniform(0.25, 2, m.scales.shape).astype(F)
        x = rng.normal(size=(2, k)).astype(F)
        y = x.astype(np.float64) @ m.values().astype(np.float64).T
        yield json.dumps({"format": fmt, "rows": rows, "k": k,
                          "stored": {"type": "ui8", "dims": list(m.stored().shape), "data": m.stored().tobytes().hex()},
                          "packed": m.packed().hex(), "dense": m.numbers().tobytes().hex(), "row": m.row_scales().tobytes().hex(),
                          "x": x.tobytes().hex(), "y": y.tobytes().hex()})


versions = {"numpy": np.__version__, "ml_dtypes": ml_dtypes.__version__, "seed": SEED}
head = f"# numpy {np.__version__}, ml_dtypes {ml_dtypes.__version__}, seed {SEED}; tests/oracle/weight_formats.py"
files = {"ckpt/rows.txt": "\n".join([head, *rows_text()]) + "\n",
         "ckpt/quantize.txt": "\n".join([head, *quantize_text()]) + "\n",
         "ref/formats_rows.json": '{"versions": ' + json.dumps(versions) + ',\n "formats": [\n' + ",\n".join(matrices()) + "\n]}\n"}
for name, text in files.items():
    path = TESTS / name
    if "--check" in sys.argv[1:]:
        if path.read_text().splitlines()[1:] != text.splitlines()[1:]: sys.exit(f"{path}: the installed packages give other values")
        print(f"{path}: equal")
    else:
        path.write_text(text)
