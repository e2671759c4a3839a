#!/usr/bin/env python3
"""Writes the seed corpus of the fuzz target tok_gguf: small GGUF files with a tokenizer in their metadata, good and bad.

usage: tok_gguf_corpus.py OUT_DIR      (needs gguf-py; written with gguf 0.19.0)
"""
import os
import sys

import gguf


def byte_alphabet():
    """GPT-2's printable stand-ins for the 256 bytes."""
    keep = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = [b for b in range(256) if b not in keep]
    return [chr(b) if b in keep else chr(256 + rest.index(b)) for b in range(256)]


def write(path, pre="smollm", model="gpt2", merges=("H e", "l l", "\u0120 w"), types=None):
    tokens = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", *byte_alphabet(), "He", "ll", "\u0120w"]
    w = gguf.GGUFWriter(path, "llama")
    w.add_tokenizer_model(model)
    w.add_tokenizer_pre(pre)
    w.add_token_list(tokens)
    w.add_token_types(types or [3] * 3 + [1] * (len(tokens) - 3))
    w.add_token_merges(list(merges))
    w.add_bos_token_id(1)
    w.add_eos_token_id(2)
    w.add_chat_template("{% for m in messages %}{{ m.content }}{% endfor %}")
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def main(out):
    os.makedirs(out, exist_ok=True)
    for name, options in {
        "smollm": {}, "llama_bpe": {"pre": "llama-bpe"}, "qwen2": {"pre": "qwen2"}, "unknown_pre": {"pre": "nobody"},
        "spm": {"model": "llama"}, "bad_merge": {"merges": ("H", "x y z", "")}, "few_types": {"types": [3]},
    }.items():
        write(os.path.join(out, name + ".gguf"), **options)


if __name__ == "__main__":
    main(sys.argv[1])
