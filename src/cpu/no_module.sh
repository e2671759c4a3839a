#!/bin/sh
# no_module.sh LOOP_TEST JIT_TEST EXEC_TEST: in a place where libtlaloc_jit.so is not. The first passes with every loop
# interpreted and nothing in the cache; the second says by name what it could not check. Programs run, and say nothing;
# where code is wanted always they are refused, and so they are beside a file that does not load, which is named.
set -eu
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cp "$1" "$place/loops"
cp "$2" "$place/jit"
cp "$3" "$place/exec"
export TLALOC_JIT=always TLALOC_CACHE_DIR="$place/cache" TLALOC_TEST_PROGRAMS=20
TLALOC_JIT=on "$place/loops"
said=$("$place/jit")
[ "$said" = "skipped by name: machine code, for libtlaloc_jit.so is not here" ] || { echo "said: $said"; exit 1; }
[ ! -e "$place/cache" ] || { echo "the cache was written"; exit 1; }

TLALOC_JIT=on "$place/exec"
refused() { # TEXT: the program fails, and says it
  if said=$("$place/exec" 2>&1); then echo "it ran: $said"; exit 1; fi
  case $said in *"$1"*) ;; *) echo "'$1' is not said: $said"; exit 1 ;; esac
}
refused "libtlaloc_jit.so is not beside the library or the program"
echo "no library" > "$place/libtlaloc_jit.so"
refused "$place/libtlaloc_jit.so does not load: $place/libtlaloc_jit.so: "
TLALOC_JIT=on "$place/exec"
