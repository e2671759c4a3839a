#!/bin/sh
# Prints the Pythons with jax and with torch for bench/ad/compare.py, a line each: those that TLALOC_JAX_PYTHON and
# TLALOC_TORCH_PYTHON name, else build/oracle's, else one made here, build/ad, with the two and nothing else. It refuses
# by name where no Python of 3.12 or later is found, or the packages cannot be had.
set -eu
cd "$(dirname "$0")/../.."
jax=${TLALOC_JAX_PYTHON:-} torch=${TLALOC_TORCH_PYTHON:-}
own=$PWD/build/ad/bin/python
[ ! -x build/oracle/bin/python ] || own=$PWD/build/oracle/bin/python
if [ -z "$jax" ] || [ -z "$torch" ]; then
  if [ ! -x "$own" ]; then
    mkdir -p build
    python=$(scripts/python.sh 'make bench B=ad')
    "$python" -m venv build/ad
  fi
  # Any build of PyTorch will do: pip's own settings may name one without CUDA, which is a tenth as large.
  if [ -z "$torch" ] && ! "$own" -c 'import torch' 2>/dev/null; then
    "$own" -m pip install -q --disable-pip-version-check torch numpy >&2 || { echo "make bench B=ad: pip could not install torch" >&2; exit 1; }
  fi
  if [ -z "$jax" ] && ! "$own" -c 'import jax' 2>/dev/null; then
    "$own" -m pip install -q --disable-pip-version-check jax==0.12.0.1 jaxlib==0.12.0.1 numpy >&2 ||
      { echo "make bench B=ad: pip could not install jax" >&2; exit 1; }
  fi
fi
echo "${jax:-$own}"
echo "${torch:-$own}"
