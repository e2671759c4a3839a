#!/bin/sh
# PyTorch and ONNX Runtime GenAI for compare.py --peers llama.cpp,torch,ort, in one venv of their own under $PEERS, and their
# models: the bf16 ones of setup.sh as Hugging Face checkpoints, which PyTorch runs, and those as ONNX with 4-bit weights in groups
# of 32 and 8-bit activations, beside Q4_0. 9 GB of disk, 15 minutes. It refuses by name where a package cannot be had.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
peers=${PEERS:-$HOME/.cache/tlaloc-peers}
venv=$peers/venv-torch
[ -f "$peers/gguf/smollm2-bf16.gguf" ] || { echo "peers: no models; run bench/peers/setup.sh" >&2; exit 1; }
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/python" -c 'import torch, transformers, gguf, onnxruntime_genai, onnx_ir' 2>/dev/null ||
  "$venv/bin/pip" install -q --disable-pip-version-check torch==2.15.0 transformers==5.24.0 gguf==0.19.0 accelerate \
    onnxruntime-genai==0.18.0 onnx onnx-ir >&2 || { echo "peers: pip could not install torch or onnxruntime-genai" >&2; exit 1; }
mkdir -p "$peers/torch" "$peers/ort"
for m in smollm2 qwen3; do
  [ -f "$peers/gguf/$m-bf16.gguf" ] || continue
  [ -f "$peers/hf/$m/config.json" ] || "$venv/bin/python" "$here/hf.py" "$peers/gguf/$m-bf16.gguf" "$peers/hf/$m" >&2
  ln -sfn "../hf/$m" "$peers/torch/$m-bf16"
  [ -f "$peers/ort/$m-q4_0/genai_config.json" ] ||
    "$venv/bin/python" -m onnxruntime_genai.models.builder -m "$peers/hf/$m" -i "$peers/hf/$m" -o "$peers/ort/$m-q4_0" -p int4 -e cpu \
      -c "$peers/ort/cache" --extra_options int4_accuracy_level=4 int4_block_size=32 >&2
done
