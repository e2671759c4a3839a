#!/bin/sh
# The larger oracle environment, build/oracle: JAX, PyTorch, transformers. It needs Python 3.12 or later; where there is
# none it names what it needs.
set -eu
cd "$(dirname "$0")/.."
# Versions that pyenv keeps count even where another is its default.
for candidate in python3.14 python3.13 python3.12 python3 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[2-9]*/bin/python3; do
  if command -v "$candidate" >/dev/null 2>&1 && "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null; then
    python=$candidate
    break
  fi
done
[ -n "${python:-}" ] || { echo "oracle.sh: needs Python 3.12 or later (found $(python3 --version 2>&1)); install one, then run make oracle again" >&2; exit 1; }
[ -x build/oracle/bin/python ] || "$python" -m venv build/oracle
build/oracle/bin/pip install --disable-pip-version-check -q jax==0.12.0.1 jaxlib==0.12.0.1 torch transformers==5.24.0 gguf==0.19.0 tokenizers safetensors numpy scipy mpmath jinja2 absl-py
build/oracle/bin/python -c 'import jax, torch, transformers; print("oracle: jax", jax.__version__, "torch", torch.__version__, "transformers", transformers.__version__)'
# What JAX lowers its own test harnesses to, which `ctest -L jax` reads.
[ -f build/harnesses/failed.txt ] || build/oracle/bin/python tests/oracle/jax_harnesses.py build/harnesses
