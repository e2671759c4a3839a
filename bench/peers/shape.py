#!/usr/bin/env python3
"""Writes a bf16 GGUF of Qwen3-0.6B's exact shape with random weights, for measurements of speed: shape.py OUT.gguf.

Needs the gguf package. The tokenizer is bytes and one merge; the rest of the
vocabulary are names."""
import sys
import gguf
import numpy as np

LAYERS, WIDTH, HEADS, KV_HEADS, HEAD, HIDDEN, VOCAB = 28, 1024, 16, 8, 128, 3072, 151936


def byte_letters():
    """The letters that stand for the bytes 0 to 255 in a byte-level vocabulary: printable ones themselves, others moved."""
    plain = [b for b in range(256) if 33 <= b <= 126 or 161 <= b <= 172 or 174 <= b]
    moved = iter(range(256, 512))
    return [chr(b if b in plain else next(moved)) for b in range(256)]


def main():
    w, r = gguf.GGUFWriter(sys.argv[1], "qwen3"), np.random.default_rng(1)
    w.add_name("Qwen3-0.6B's shape, random weights")
    w.add_block_count(LAYERS)
    w.add_context_length(40960)
    w.add_embedding_length(WIDTH)
    w.add_feed_forward_length(HIDDEN)
    w.add_head_count(HEADS)
    w.add_head_count_kv(KV_HEADS)
    w.add_key_length(HEAD)
    w.add_value_length(HEAD)
    w.add_rope_freq_base(1e6)
    w.add_layer_norm_rms_eps(1e-6)
    w.add_file_type(gguf.LlamaFileType.MOSTLY_BF16)
    letters = byte_letters()
    tokens = letters + [letters[32] + "t"]
    tokens += [f"<{i}>" for i in range(len(tokens), VOCAB)]
    w.add_tokenizer_model("gpt2")
    w.add_tokenizer_pre("qwen2")
    w.add_token_list(tokens)
    w.add_token_types([gguf.TokenType.NORMAL] * VOCAB)
    w.add_token_merges([letters[32] + " t"])
    w.add_eos_token_id(VOCAB - 1)

    def gains(name, n):
        w.add_tensor(name + ".weight", np.ones(n, np.float32))

    def matrix(name, rows, columns):
        x = r.standard_normal((rows, columns), np.float32) * np.float32(columns ** -0.5)
        w.add_tensor(name + ".weight", (x.view(np.uint32) >> 16).astype(np.uint16), raw_dtype=gguf.GGMLQuantizationType.BF16)
    matrix("token_embd", VOCAB, WIDTH)
    gains("output_norm", WIDTH)
    for i in range(LAYERS):
        b = f"blk.{i}."
        gains(b + "attn_norm", WIDTH)
        gains(b + "attn_q_norm", HEAD)
        gains(b + "attn_k_norm", HEAD)
        gains(b + "ffn_norm", WIDTH)
        for name, rows, columns in (("attn_q", HEADS * HEAD, WIDTH), ("attn_k", KV_HEADS * HEAD, WIDTH),
                                    ("attn_v", KV_HEADS * HEAD, WIDTH), ("attn_output", WIDTH, HEADS * HEAD),
                                    ("ffn_gate", HIDDEN, WIDTH), ("ffn_up", HIDDEN, WIDTH), ("ffn_down", WIDTH, HIDDEN)):
            matrix(b + name, rows, columns)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


if __name__ == "__main__":
    main()
