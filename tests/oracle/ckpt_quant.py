"""Golden values of every stored weight format, from the gguf package's own dequantisation.

Writes tests/ckpt/quant.txt: one line a row, "format k stored-bytes values", the bytes as hex in the order of the file and
each value as the eight hex digits of its float32 bits. The blocks are random bytes with finite scales, so codes and
scales take values that no quantiser would write; the first row of a format has all-ones codes. tests: ckpt/quant.

    python tests/oracle/ckpt_quant.py            # write
    python tests/oracle/ckpt_quant.py --check    # compare the recording with the installed package
"""

import pathlib
import sys
from importlib.metadata import version

import gguf
import numpy as np
from gguf import GGMLQuantizationType as T

SEED = 20240611
OUT = pathlib.Path(__file__).resolve().parent.parent / "ckpt" / "quant.txt"
# format -> where its f16 numbers lie in a block, blocks a row
FORMATS = {
    T.F32: ((), 9), T.F16: ((0,), 9), T.BF16: ((), 9),
    T.Q8_0: ((0,), 2), T.Q4_0: ((0,), 2), T.Q4_1: ((0, 2), 2), T.Q5_0: ((0,), 2), T.Q5_1: ((0, 2), 2),
    T.Q4_K: ((0, 2), 1), T.Q5_K: ((0, 2), 1), T.Q6_K: ((208,), 1),
}


def finite_f16(rng, edge):
    if edge:  # a subnormal, the largest, zero, minus zero
        return np.array([rng.choice([0x0001, 0x03FF, 0x7BFF, 0x0000, 0x8000])], np.uint16)
    return rng.normal(0, 0.05, 1).astype(np.float16).view(np.uint16)


def rows():
    rng = np.random.default_rng(SEED)
    for fmt, (scales, n) in FORMATS.items():
        block, size = gguf.GGML_QUANT_SIZES[fmt]
        for number in range(3):
            data = rng.integers(0, 256, (n, size), dtype=np.uint8)
            if number == 0:
                data[:] = 255
            for b in range(n):
                for at in scales:
                    data[b, at:at + 2] = finite_f16(rng, number == 2).view(np.uint8)
            if fmt in (T.F32, T.BF16):
                data[:, -1] &= 0xBF  # finite
            values = gguf.quants.dequantize(data.reshape(1, -1), fmt).astype(np.float32).reshape(-1)
            assert np.isfinite(values).all() and len(values) == n * block
            hexes = "".join(f"{v:08x}" for v in values.view(np.uint32))
            yield f"{fmt.name.lower()} {len(values)} {data.tobytes().hex()} {hexes}"


def text():
    head = f"# gguf {version('gguf')}, numpy {version('numpy')}, seed {SEED}; tests/oracle/ckpt_quant.py"
    return "\n".join([head, *rows()]) + "\n"


if "--check" in sys.argv[1:]:
    recorded = OUT.read_text().splitlines()[1:]
    if recorded != text().splitlines()[1:]:
        sys.exit(f"{OUT}: the installed gguf package gives other values")
    print(f"{OUT}: equal")
else:
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(text())
