#!/bin/sh
# Builds the peer that bench/peers/compare.py measures beside us, and makes the models both run, under $PEERS (default
# ~/.cache/tlaloc-peers): llama.cpp with native flags, from the copy inside the llama-cpp-python source package, and
# SmolLM2-135M as bf16 and Q8_0 GGUF, requantised by llama.cpp itself from the Q4_1 file that `make demo` fetches.
# About five minutes on two quiet cores; re-running skips what is there.
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
if [ ! -x llama-build/bin/llama-bench ] || [ ! -x llama-build/bin/llama-quantize ]; then
  cmake -S $src -B llama-build -G Ninja -DCMAKE_BUILD_TYPE=Release -DGGML_NATIVE=ON -DLLAMA_CURL=OFF -DLLAMA_OPENSSL=OFF \
    -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_SERVER=OFF -DBUILD_SHARED_LIBS=OFF >cmake.log 2>&1
  cmake --build llama-build --target llama-bench llama-quantize >build.log 2>&1
fi
for q in BF16 Q8_0; do
  out=gguf/smollm2-$(echo $q | tr A-Z a-z).gguf
  [ -f $out ] || llama-build/bin/llama-quantize --allow-requantize "$model" $out $q 2 >quantize.log 2>&1
done
[ -f gguf/smollm2-q4_1.gguf ] || cp "$model" gguf/smollm2-q4_1.gguf
echo "$peers"
