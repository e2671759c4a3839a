#!/bin/sh
# jaxlib.sh TLALOC PYTHON WORK: every kind of body we print, through jaxlib's parser and verifier. 77 = skipped.
set -eu
tlaloc=$1 python=$2 work=$3
[ -x "$python" ] || { echo "skipped: no $python (scripts/setup.sh check makes it)"; exit 77; }
rm -rf "$work"
mkdir -p "$work"
for model in tests/model/tiny-*; do
  name=$(basename "$model")
  "$tlaloc" export "$model" -o "$work/$name" --contexts 32,64 --max-batch 2 --quiet >/dev/null
  "$tlaloc" export "$model" -o "$work/$name-inline" --contexts 32 --max-batch 2 --kv bf16 --inline --quiet >/dev/null
done
"$tlaloc" export --reference -o "$work/reference" >/dev/null
model=${TLALOC_MODEL:-${XDG_CACHE_HOME:-$HOME/.cache}/tlaloc/models/SmolLM2-135M-Instruct.Q4_1.gguf}
if [ -f "$model" ]; then # quantised weights; linked, so that the weights are not copied
  "$tlaloc" export "$model" -o "$work/smollm2" --contexts 64 --prefill-chunk 16 --link --quiet >/dev/null
  "$tlaloc" export "$model" -o "$work/smollm2-inline" --contexts 64 --prefill-chunk 16 --link --inline --quiet >/dev/null
fi
"$python" tests/oracle/jaxlib_verify.py "$work"/*/bodies/*.mlir
