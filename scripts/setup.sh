#!/bin/sh
# Installs what is missing, and only that: Debian packages through apt-get (sudo when not root); elsewhere it names the
# packages and stops. `setup.sh build` is enough to compile; `check` adds what tests compare with, under build/ (nothing
# is installed outside it but the packages); `clang` adds the clang tools.
set -eu
cd "$(dirname "$0")/.."
what=${1:-build}

packages="gcc make cmake ninja-build pkg-config libjansson-dev libpcre2-dev libutf8proc-dev libssl-dev libxxhash-dev libcmocka-dev"
case $what in
  build) ;;
  check) packages="$packages python3 python3-venv unzip" ;;
  clang) packages="$packages clang-19 clang-format-19 clang-tidy-19 libclang-rt-19-dev" ;;
  *) echo "setup.sh: '$what'; wanted build, check or clang" >&2; exit 2 ;;
esac

missing=""
if command -v dpkg-query >/dev/null 2>&1; then
  for p in $packages; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing="$missing $p"
  done
else
  for tool in cc make cmake ninja pkg-config; do command -v $tool >/dev/null 2>&1 || missing="$missing $tool"; done
  for lib in jansson libpcre2-8 libutf8proc libcrypto libxxhash cmocka; do
    pkg-config --exists $lib 2>/dev/null || missing="$missing $lib"
  done
fi
# A tool of one's own serves as well as Debian's.
for pair in python3:python3 python3-venv:python3 cmake:cmake ninja-build:ninja; do
  name=${pair%%:*} tool=${pair#*:}
  case " $missing " in *" $name "*) command -v "$tool" >/dev/null 2>&1 && missing=$(echo " $missing " | sed "s/ $name / /") ;; esac
done
missing=$(echo $missing)
if [ -n "$missing" ]; then
  if ! command -v apt-get >/dev/null 2>&1; then
    echo "setup.sh: install these, then run it again: $missing" >&2
    exit 1
  fi
  sudo=""
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null 2>&1 || { echo "setup.sh: not root and no sudo; install: $missing" >&2; exit 1; }
    sudo=sudo
  fi
  echo "installing $missing"
  $sudo apt-get update -qq >/dev/null
  DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null
fi

[ "$what" = check ] || exit 0

# What tests compare with. Each is optional: its tests skip by name where no registry can be reached.
mkdir -p build/deps
if [ ! -x build/venv/bin/python ]; then
  python3 -m venv build/venv 2>/dev/null || { rm -rf build/venv; echo "setup.sh: no Python venv; tests against jaxlib will skip"; }
fi
if [ -x build/venv/bin/python ] && ! build/venv/bin/python -c 'import jaxlib' 2>/dev/null; then
  echo "fetching jaxlib 0.10.2 into build/venv"
  build/venv/bin/pip install -q --disable-pip-version-check jaxlib==0.10.2 numpy || echo "setup.sh: no jaxlib; its tests will skip"
fi
if [ ! -f build/deps/pjrt/xla_cpu_pjrt.so ] && [ -x build/venv/bin/pip ]; then
  echo "fetching the XLA CPU plugin into build/deps"
  if build/venv/bin/pip download -q --disable-pip-version-check --no-deps -d build/deps xla-cpu-pjrt==0.0.1; then
    mkdir -p build/deps/pjrt
    unzip -q -o -j build/deps/xla_cpu_pjrt-0.0.1-*.whl '*/pjrt_c_api.h' '*/xla_cpu_pjrt.so' -d build/deps/pjrt
    rm -f build/deps/xla_cpu_pjrt-0.0.1-*.whl
  else
    echo "setup.sh: no XLA plugin; its tests will skip"
  fi
fi
scripts/model.sh >/dev/null || echo "setup.sh: no model; tests with SmolLM2 will skip"
