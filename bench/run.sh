#!/bin/sh
# make bench [B=what]: measurements, never a test. B=peers (default) compares with llama.cpp in one run; B=kernels measures
# the kernels against the machine's own limits; B=shlo reading, verifying and printing text; B=derive what a gradient
# costs to make; B=ad gradients beside JAX's and PyTorch's; B=startup the time to the first token.
set -eu
cd "$(dirname "$0")/.."
tlaloc=$1
what=${2:-peers}
case $what in
  peers) bench/peers/setup.sh >/dev/null; exec python3 bench/peers/compare.py "$tlaloc" ;;
  kernels) exec "$(dirname "$tlaloc")/bench_kernels" ;;
  shlo) exec "$(dirname "$tlaloc")/bench_shlo" ;;
  derive) exec "$(dirname "$tlaloc")/bench_derive" ;;
  ad)
    pythons=$(bench/ad/setup.sh)
    TLALOC_JAX_PYTHON=$(echo "$pythons" | sed -n 1p)
    TLALOC_TORCH_PYTHON=$(echo "$pythons" | sed -n 2p)
    export TLALOC_JAX_PYTHON TLALOC_TORCH_PYTHON
    exec python3 bench/ad/compare.py "$(dirname "$tlaloc")/bench_ad"
    ;;
  ops) exec "$(dirname "$tlaloc")/bench_ops" "${PEER:--}" ;;
  startup)
    model=$(scripts/model.sh) || { echo "bench: $model" >&2; exit 1; }
    exec "$tlaloc" bench "$model" --startup
    ;;
  *) echo "bench: '$what'; wanted peers, kernels, shlo, derive, ad, ops or startup" >&2; exit 2 ;;
esac
