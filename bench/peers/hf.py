#!/usr/bin/env python3
"""hf.py FILE.gguf OUT_DIR: the model of a GGUF as a bf16 Hugging Face checkpoint with its tokenizer, for peers that read only
these. Needs torch, transformers and gguf."""
import os, sys
import gguf
import torch
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
import transformers
from transformers import AutoModelForCausalLM, PreTrainedTokenizerFast

path, out = sys.argv[1:]
fields = gguf.GGUFReader(path).fields
tokens, merges = (fields[f"tokenizer.ggml.{name}"].contents() for name in ("tokens", "merges"))
types = fields["tokenizer.ggml.token_type"].contents()
end = tokens[fields["tokenizer.ggml.eos_token_id"].contents()]
bpe = Tokenizer(models.BPE(vocab={t: i for i, t in enumerate(tokens)}, merges=[tuple(m.split(" ", 1)) for m in merges]))
bpe.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)])
bpe.decoder = decoders.ByteLevel()
bpe.add_special_tokens([AddedToken(t, special=True, normalized=False) for t, kind in zip(tokens, types) if kind == gguf.TokenType.CONTROL])
# Newer transformers leave the weights packed, and cannot save them so, unless told to unpack them.
unpack = {"quantization_config": transformers.GgufConfig(dequantize=True)} if hasattr(transformers, "GgufConfig") else {}
model = AutoModelForCausalLM.from_pretrained(os.path.dirname(path), gguf_file=os.path.basename(path), dtype=torch.bfloat16, **unpack)
model.save_pretrained(out)
PreTrainedTokenizerFast(tokenizer_object=bpe, eos_token=end, pad_token=end, clean_up_tokenization_spaces=False).save_pretrained(out)
