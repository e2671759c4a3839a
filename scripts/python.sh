#!/bin/sh
# python.sh WHO: prints a Python of 3.12 or later, which current JAX wants; where there is none WHO says what it needs.
# Versions that pyenv keeps count even where another is its default.
for candidate in python3.14 python3.13 python3.12 python3 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[2-9]*/bin/python3; do
  if command -v "$candidate" >/dev/null 2>&1 && "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null; then
    echo "$candidate"
    exit
  fi
done
echo "$1: needs Python 3.12 or later (found $(python3 --version 2>&1)); install one, then run it again" >&2
exit 1
