#!/bin/sh
# no_module.sh LOOP_TEST JIT_TEST: both in a place where libtlaloc_jit.so is not. The first passes with every loop
# interpreted and nothing in the cache; the second says by name what it could not check.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cp "$1" "$place/loops"
cp "$2" "$place/jit"
export TLALOC_JIT=always TLALOC_CACHE_DIR="$place/cache"
"$place/loops"
said=$("$place/jit")
[ "$said" = "skipped by name: machine code, for libtlaloc_jit.so is not here" ] || { echo "said: $said"; exit 1; }
[ ! -e "$place/cache" ] || { echo "the cache was written"; exit 1; }
