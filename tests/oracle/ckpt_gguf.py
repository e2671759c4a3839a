"""A GGUF file from the gguf package's own writer, with every kind of metadata value and every weight format.

Writes tests/ckpt/all_types.gguf (a few kilobytes). tests: ckpt/gguf reads it and compares with the values below, which
stand in that test as well; tensor "t.<format>" is [2, k] of the bytes 0, 1, 2, … 255, 0, …

    python tests/oracle/ckpt_gguf.py
"""

import pathlib

import gguf
import numpy as np
from gguf import GGMLQuantizationType as T
from gguf import GGUFValueType as V

OUT = pathlib.Path(__file__).resolve().parent.parent / "ckpt" / "all_types.gguf"
FORMATS = [T.F32, T.F16, T.BF16, T.Q8_0, T.Q4_0, T.Q4_1, T.Q5_0, T.Q5_1, T.Q4_K, T.Q5_K, T.Q6_K, T.I32, T.IQ4_NL]

w = gguf.GGUFWriter(OUT, "test")
w.add_custom_alignment(64)
w.add_uint8("v.uint8", 200)
w.add_int8("v.int8", -100)
w.add_uint16("v.uint16", 60000)
w.add_int16("v.int16", -30000)
w.add_uint32("v.uint32", 4000000000)
w.add_int32("v.int32", -2000000000)
w.add_uint64("v.uint64", 18000000000000000000)
w.add_int64("v.int64", -9000000000000000000)
w.add_float32("v.float32", 0.1)
w.add_float64("v.float64", 0.1)
w.add_bool("v.bool", True)
w.add_string("v.string", "Grüße")
w.add_array("a.strings", ["", "a", "Ġthe"])
w.add_array("a.ints", [-1, 2, -3])
w.add_array("a.floats", [0.5, -0.25])
w.add_array("a.bools", [True, False, True])
w.add_key_value("a.bytes", [1, 255], V.ARRAY, sub_type=V.UINT8)
for fmt in FORMATS:
    block, size = gguf.GGML_QUANT_SIZES[fmt]
    row = 3 * size if block == 1 else size
    w.add_tensor(f"t.{fmt.name.lower()}", np.arange(2 * row, dtype=np.uint32).astype(np.uint8).reshape(2, row),
                 raw_dtype=fmt)
w.write_header_to_file()
w.write_kv_data_to_file()
w.write_tensors_to_file()
w.close()
