#!/bin/sh
# OpenVINO GenAI for compare.py --peers llama.cpp,openvino, in a venv of its own under $PEERS, and the models of setup.sh in its
# form: bf16 files become fp16 (it computes in bf16 where the CPU can), q8_0 its int8. 6 GB of disk, 20 minutes. It refuses by
# name where a package cannot be had.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
peers=${PEERS:-$HOME/.cache/tlaloc-peers}
venv=$peers/venv-openvino
[ -f "$peers/gguf/smollm2-bf16.gguf" ] || { echo "peers: no models; run bench/peers/setup.sh" >&2; exit 1; }
installed() { # PACKAGES AND FLAGS
  "$venv/bin/pip" install -q --disable-pip-version-check "$@" >&2 || { echo "peers: pip could not install $*" >&2; exit 1; }
}
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
if ! "$venv/bin/python" -c 'import openvino_genai, optimum.intel, gguf' 2>/dev/null; then
  installed --no-deps optimum-intel==2.2.0 openvino-genai==2026.4.1.0
  installed --pre 'transformers<5.6,>=4.51' 'optimum~=2.3.0' 'openvino>=2026.0' 'openvino-tokenizers~=2026.4.1.0.dev' 'nncf>=3.3.0' 'huggingface-hub<1.22,>=0.23.2' accelerate gguf==0.19.0 torch==2.15.0
fi
for m in smollm2 qwen3; do
  [ -f "$peers/gguf/$m-bf16.gguf" ] || continue
  [ -f "$peers/hf/$m/config.json" ] || "$venv/bin/python" "$here/hf.py" "$peers/gguf/$m-bf16.gguf" "$peers/hf/$m" >&2
  for form in bf16:fp16 q8_0:int8; do
    out=$peers/openvino/$m-${form%:*}
    [ -f "$out/openvino_model.xml" ] || "$venv/bin/optimum-cli" export openvino -m "$peers/hf/$m" --task text-generation-with-past --weight-format ${form#*:} "$out" >&2
  done
done
