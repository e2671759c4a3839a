#!/bin/sh
# install.sh BUILD PREFIX: installs into an empty prefix and uses what is there.
set -eu
build=$1 prefix=$2
rm -rf "$prefix"
cmake --install "$build" --prefix "$prefix" >/dev/null
"$prefix/bin/tlaloc" --version
pc=$(dirname "$(find "$prefix" -name tlaloc.pc)")
plugin=$(PKG_CONFIG_PATH=$pc pkg-config --define-variable=prefix="$prefix" --variable=plugin tlaloc)
[ -f "$plugin" ] || { echo "pkg-config names $plugin, which is not there"; exit 1; }
# The plugin exports one symbol and no more.
symbols=$(nm -D --defined-only "$plugin" | awk '{print $3}')
[ "$symbols" = GetPjrtApi ] || { echo "the plugin exports: $symbols"; exit 1; }
# libtlaloc_host exports the calls of <tlaloc/host.h> and no more.
host=$(dirname "$plugin")/libtlaloc_host.so
symbols=$(nm -D --defined-only "$host" | awk '{print $3}' | grep -v '^tlh_' || true)
[ -z "$symbols" ] || { echo "libtlaloc_host exports: $symbols"; exit 1; }
# docs/emit-c.md, as it stands: module, printed C, main program, what it says.
work=$prefix/emit-c
mkdir "$work"
awk -v dir="$work" '/^```/ { if (open) { open = 0; close(out) } else { open = 1; out = dir "/block" ++n } next } open { print > out }' \
  ../../docs/emit-c.md
mv "$work/block1" "$work/f.mlir"
mv "$work/block3" "$work/main.c"
"$prefix/bin/tlaloc" fmt "$work/f.mlir" --emit c -o "$work/f.c"
cmp "$work/f.c" "$work/block2" || { cat "$work/f.c"; echo "docs/emit-c.md shows other C"; exit 1; }
flags=$(PKG_CONFIG_PATH=$pc pkg-config --define-variable=prefix="$prefix" --cflags --libs tlaloc-host)
# shellcheck disable=SC2086
"${CC:-cc}" -std=c17 -Wall -Wextra -Werror "$work/main.c" "$work/f.c" $flags -Wl,-rpath,"$(dirname "$host")" -o "$work/main"
"$work/main" >"$work/said"
cmp "$work/said" "$work/block4" || { cat "$work/said"; echo "docs/emit-c.md says something else"; exit 1; }
# The library exports what the headers declare, which begins with tl_.
library=$(dirname "$plugin")/libtlaloc.so
others=$(nm -D --defined-only "$library" | awk '$3 !~ /^tl_/ {print $3}')
[ -z "$others" ] || { echo "the library exports: $others"; exit 1; }
for f in $(grep -rhoE '\btl_[a-z0-9_]+\(' "$prefix"/include/tlaloc/*.h | tr -d '(' | sort -u); do
  grep -rqE "^TL_API .*\b$f\(|^ *$f\(" "$prefix"/include/tlaloc/*.h || continue
  nm -D --defined-only "$library" | grep -qw "$f" || { echo "the library lacks $f"; exit 1; }
done
# README's first gradient, as it stands: it is the example, it compiles by the line shown, and says what is shown. At
# most 25 lines.
top=../.. first=$prefix/first
mkdir "$first"
awk '/^```c$/ { open = 1; next } /^```$/ { open = 0 } open' $top/README.md >"$first/first_gradient.c"
cmp "$first/first_gradient.c" $top/examples/first_gradient.c || { echo "README shows another examples/first_gradient.c"; exit 1; }
[ "$(wc -l <"$first/first_gradient.c")" -le 25 ] || { echo "the first gradient is longer than 25 lines"; exit 1; }
# shellcheck disable=SC2046
"${CC:-cc}" -std=c17 -Wall -Wextra -Wpedantic -Wshadow -Werror "$first/first_gradient.c" \
  $(PKG_CONFIG_PATH=$pc pkg-config --define-variable=prefix="$prefix" --cflags --libs tlaloc) -o "$first/first_gradient"
LD_LIBRARY_PATH=$(dirname "$plugin") "$first/first_gradient" >"$first/said"
awk '/first_gradient.c \$\(pkg-config/ { getline; sub(/^    /, ""); print }' $top/README.md >"$first/shown"
cmp "$first/said" "$first/shown" || { cat "$first/said"; echo "README shows another result"; exit 1; }
# By pkg-config alone.
"${CC:-cc}" consumer/function.c -o "$prefix/function" $(PKG_CONFIG_PATH=$pc pkg-config --define-variable=prefix="$prefix" --cflags --libs tlaloc)
LD_LIBRARY_PATH=$(dirname "$plugin") "$prefix/function"
cmake -S consumer -B "$prefix/consumer" -DCMAKE_PREFIX_PATH="$prefix" -G Ninja >/dev/null
cmake --build "$prefix/consumer" >/dev/null
"$prefix/consumer/consumer"
"$prefix/consumer/host"
"$prefix/consumer/function"
# The control: without the prefix the package is not found.
if cmake -S consumer -B "$prefix/none" -G Ninja -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF >/dev/null 2>&1; then
  echo "control: the package was found without a prefix"
  exit 1
fi
