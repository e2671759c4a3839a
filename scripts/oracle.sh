#!/bin/sh
# The larger oracle environment, build/oracle: JAX, PyTorch, transformers. It needs Python 3.12 or later; where there is
# none it names what it needs.
set -eu
cd "$(dirname "$0")/.."
[ -x build/oracle/bin/python ] || "$(scripts/python.sh 'make oracle')" -m venv build/oracle
build/oracle/bin/pip install --disable-pip-version-check -q jax==0.12.0.1 jaxlib==0.12.0.1 torch transformers==5.24.0 gguf==0.19.0 tokenizers safetensors numpy scipy mpmath jinja2 absl-py
build/oracle/bin/python -c 'import jax, torch, transformers; print("oracle: jax", jax.__version__, "torch", torch.__version__, "transformers", transformers.__version__)'
# What JAX lowers its own test harnesses to, which `ctest -L jax` reads.
[ -f build/harnesses/failed.txt ] || build/oracle/bin/python tests/oracle/jax_harnesses.py build/harnesses
