#!/bin/sh
# python.sh PACKAGE[==VERSION] ...: prints a Python that has these: `make oracle`'s, or one made here, build/bench, with what
# was asked for and nothing else. It refuses by name where there is no Python of 3.12 or later, or a package cannot be had.
set -eu
cd "$(dirname "$0")/.."
own=$PWD/build/bench/bin/python
[ ! -x build/oracle/bin/python ] || own=$PWD/build/oracle/bin/python
if [ ! -x "$own" ]; then
  mkdir -p build
  python=$(scripts/python.sh "make bench with $*")
  "$python" -m venv build/bench
fi
for package in "$@"; do
  "$own" -c "import ${package%%==*}" 2>/dev/null && continue
  echo "fetching $package" >&2
  "$own" -m pip install -q --disable-pip-version-check "$package" >&2 || { echo "make bench: pip could not install $package" >&2; exit 1; }
done
echo "$own"
