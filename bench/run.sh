#!/bin/sh
# make bench [B=what]: measurements, never a test; README.md lists what there is.
set -eu
cd "$(dirname "$0")/.."
tlaloc=$1
bin=$(dirname "$tlaloc")
what=${2:-peers}
with_jax() { if [ -n "${TLALOC_JAX_PYTHON:-}" ]; then echo "$TLALOC_JAX_PYTHON"; else bench/python.sh jaxlib==0.12.0.1 jax==0.12.0.1 numpy; fi; }
case $what in
  peers) bench/peers/setup.sh >/dev/null; exec python3 bench/peers/compare.py "$tlaloc" ;;
  kernels) exec "$bin/bench_kernels" ;;
  shlo) exec "$bin/bench_shlo" ;;
  derive) exec "$bin/bench_derive" ;;
  ad) # any build of PyTorch will do: pip's own settings may name one without CUDA, which is a tenth as large
    TLALOC_JAX_PYTHON=$(with_jax)
    TLALOC_TORCH_PYTHON=${TLALOC_TORCH_PYTHON:-$(bench/python.sh torch numpy)}
    export TLALOC_JAX_PYTHON TLALOC_TORCH_PYTHON
    exec python3 bench/ad/compare.py "$bin/bench_ad"
    ;;
  programs) python=$(with_jax); exec "$python" bench/beside_jax.py "$bin/bench_programs" ;;
  dispatch)
    plugin=${PEER:-build/deps/pjrt/xla_cpu_pjrt.so} # of scripts/setup.sh check
    [ -f "$plugin" ] || { echo "bench: no $plugin; ours alone" >&2; exec "$bin/bench_programs" --dispatch --threads 2; }
    TF_CPP_MIN_LOG_LEVEL=3 exec "$bin/bench_programs" --dispatch --device "$plugin" --threads 2
    ;;
  startup)
    model=$(scripts/model.sh) || { echo "bench: $model" >&2; exit 1; }
    exec "$tlaloc" bench "$model" --startup
    ;;
  *) echo "bench: '$what'; wanted peers, programs, dispatch, kernels, shlo, derive, ad or startup" >&2; exit 2 ;;
esac
