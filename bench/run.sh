#!/bin/sh
# run.sh TLALOC [WHAT] [--perturb PERCENT] (make bench [B=what] [PERTURB=5]): measurements; README.md lists what there is.
# What leaves rows is judged against bench/history.tsv and added to it. --perturb slows ours deliberately, adds nothing, and
# fails where that would go unseen.
set -eu
cd "$(dirname "$0")/.."
tlaloc=$1
bin=$(dirname "$tlaloc")
what=${2:-peers}
perturb=""
[ "${3:-}" != --perturb ] || perturb=$4
jax() { if [ -n "${TLALOC_JAX_PYTHON:-}" ]; then echo "$TLALOC_JAX_PYTHON"; else bench/python.sh jaxlib==0.12.0.1 jax==0.12.0.1 numpy; fi; }
rows=$(mktemp)
trap 'rm -f "$rows"' EXIT
trap 'exit 130' INT TERM HUP
export BENCH_ROWS="$rows" BENCH_PERTURB="${perturb:-0}"
case $what in
  peers) bench/peers/setup.sh >/dev/null; python3 bench/peers/compare.py "$tlaloc" ;;
  limits) "$bin/bench_limits" ;;
  kernels) "$bin/bench_kernels" ;;
  shlo) "$bin/bench_shlo" ;;
  derive) "$bin/bench_derive" ;;
  phi)
    cases=$(mktemp)
    xz -dc tests/adbench/objectives.txt.xz >"$cases" && "$bin/bench_phi" "$cases" || { rm -f "$cases"; exit 1; }
    rm -f "$cases"
    ;;
  ops) "$bin/bench_ops" "${PEER:--}" ;;
  ad) # any build of PyTorch will do: pip's own settings may name one without CUDA, which is a tenth as large
    TLALOC_JAX_PYTHON=$(jax)
    TLALOC_TORCH_PYTHON=${TLALOC_TORCH_PYTHON:-$(bench/python.sh torch numpy)}
    export TLALOC_JAX_PYTHON TLALOC_TORCH_PYTHON
    python3 bench/ad/compare.py "$bin/bench_ad"
    ;;
  programs) python=$(jax); "$python" bench/beside_jax.py "$bin/bench_programs" ;;
  scaling) python=$(jax); "$python" bench/scaling.py "$bin/bench_programs" "$bin/bench_limits" --document docs/performance.md ;;
  dispatch)
    plugin=${PEER:-build/deps/pjrt/xla_cpu_pjrt.so} # of scripts/setup.sh check
    set -- --dispatch --threads 2
    if [ -f "$plugin" ]; then set -- "$@" --device "$plugin"; else echo "bench: no $plugin; ours alone" >&2; fi
    TF_CPP_MIN_LOG_LEVEL=3 "$bin/bench_programs" "$@"
    ;;
  accuracy) # no times: the table goes into the document
    model=$(scripts/model.sh) || { echo "bench: $model" >&2; exit 1; }
    peers=$(bench/peers/setup.sh)
    set -- "$bin/bench_accuracy" "$model" tests/smollm2/golden.json "${TEXT:-/usr/share/common-licenses/GPL-3}"
    for q in q8_0 q4_0 q4_1 q4_k; do [ ! -f "$peers/gguf/smollm2-$q.gguf" ] || set -- "$@" "$q=$peers/gguf/smollm2-$q.gguf"; done
    python3 bench/accuracy.py docs/performance.md "$@"
    ;;
  startup)
    model=$(scripts/model.sh) || { echo "bench: $model" >&2; exit 1; }
    "$tlaloc" bench "$model" --startup
    ;;
  *) echo "bench: '$what'; wanted peers, limits, programs, scaling, dispatch, kernels, ops, shlo, derive, phi, ad, accuracy or startup" >&2; exit 2 ;;
esac
[ -s "$rows" ] || exit 0
label=$(git rev-parse --short HEAD 2>/dev/null || echo unknown)
git diff --quiet HEAD 2>/dev/null || label=$label+
python3 bench/history.py record "$rows" "$("$bin/bench_limits" --kind)" --label "$label" ${perturb:+--perturb "$perturb"}
