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
cmake -S consumer -B "$prefix/consumer" -DCMAKE_PREFIX_PATH="$prefix" -G Ninja >/dev/null
cmake --build "$prefix/consumer" >/dev/null
"$prefix/consumer/consumer"
# The control: without the prefix the package is not found.
if cmake -S consumer -B "$prefix/none" -G Ninja -DCMAKE_FIND_USE_CMAKE_SYSTEM_PATH=OFF >/dev/null 2>&1; then
  echo "control: the package was found without a prefix"
  exit 1
fi
