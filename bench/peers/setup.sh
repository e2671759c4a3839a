#!/bin/sh
# Builds the peer that bench/peers/compare.py measures beside us, and makes the models both run, under $PEERS (default
# ~/.cache/tlaloc-peers): llama.cpp with native flags, from the copy inside the llama-cpp-python source package; SmolLM2-135M as
# `make demo` fetches it, and Qwen3-0.6B's shape with random weights; each as bf16, Q8_0, Q4_0, Q4_1 and Q4_K, requantised by
# llama.cpp itself. About ten minutes on two quiet cores; re-running skips what is there.
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
peers=${PEERS:-$HOME/.cache/tlaloc-peers}
version=0.3.36
mkdir -p "$peers/gguf"
model=$("$here/scripts/model.sh") || { echo "peers: $model" >&2; exit 1; }
cd "$peers"
if [ ! -d llama/vendor/llama.cpp ]; then
  [ -f llama_cpp_python-$version.tar.gz ] ||
    pip3 download -q --disable-pip-version-check --no-deps --no-binary llama-cpp-python -d . llama-cpp-python==$version
  mkdir -p llama
  tar xzf llama_cpp_python-$version.tar.gz -C llama --strip-components=1
  rm -f llama/vendor/llama.cpp/.git
fi
src=llama/vendor/llama.cpp
# gcc 12's _tile_loadconfig tells the compiler of an 8-byte read only, so on AMX machines the rest of the 64-byte
# configuration is dropped as dead stores and ldtilecfg faults. Make the whole struct visible.
mmq=$src/ggml/src/ggml-cpu/amx/mmq.cpp
if [ -f $mmq ] && ! grep -q 'whole configuration' $mmq; then
  sed -i 's|^    _tile_loadconfig(&tc);|    __asm__ volatile("" :: "r"(\&tc) : "memory"); /* the whole configuration */\n    _tile_loadconfig(\&tc);|' $mmq
fi
programs="llama-bench llama-batched-bench llama-completion llama-quantize"
for p in $programs; do
  [ ! -x llama-build/bin/$p ] || continue
  cmake -S $src -B llama-build -G Ninja -DCMAKE_BUILD_TYPE=Release -DGGML_NATIVE=ON -DLLAMA_CURL=OFF -DLLAMA_OPENSSL=OFF \
    -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_SERVER=OFF -DBUILD_SHARED_LIBS=OFF >cmake.log 2>&1
  cmake --build llama-build --target $programs >build.log 2>&1
  break
done
quantised() { # FROM NAME TYPE
  [ -f gguf/$2.gguf ] && return
  llama-build/bin/llama-quantize --allow-requantize "$1" gguf/$2.part $3 2 >quantize.log 2>&1 && mv gguf/$2.part gguf/$2.gguf
}
[ -f gguf/smollm2-q4_1.gguf ] || cp "$model" gguf/smollm2-q4_1.gguf
quantised "$model" smollm2-bf16 BF16
if [ ! -f gguf/qwen3-bf16.gguf ]; then
  if python=${PEERS_PYTHON:-$("$here/bench/python.sh" numpy gguf==0.19.0)}; then
    "$python" "$here/bench/peers/shape.py" gguf/qwen3-bf16.part && mv gguf/qwen3-bf16.part gguf/qwen3-bf16.gguf
  else
    echo "peers: no Python with gguf, so no model of Qwen3-0.6B's shape" >&2
  fi
fi
for m in smollm2 qwen3; do
  [ -f gguf/$m-bf16.gguf ] || continue
  for q in Q8_0 Q4_0 Q4_1 Q4_K; do
    quantised gguf/$m-bf16.gguf $m-$(echo $q | tr A-Z a-z) $(echo $q | sed 's/_K$/_K_M/')
  done
done
echo "$peers"
