#!/bin/sh
# Installs what is missing, and only that: Debian packages through apt-get (sudo when not root); elsewhere it names the
# packages and stops. `setup.sh build` is enough to compile; `demo` adds what fetches a model; `check` adds what tests
# compare with, under build/ (nothing is installed outside it but the packages); `clang` adds the clang tools.
set -eu
cd "$(dirname "$0")/.."
what=${1:-build}

packages="gcc make cmake ninja-build pkg-config libjansson-dev libpcre2-dev libutf8proc-dev libssl-dev libxxhash-dev libcmocka-dev"
extras="llvm-19-dev" # without these something is skipped by name
case $what in
  build) ;;
  demo) extras="$extras python3 python3-venv" ;;
  check) extras="$extras python3 python3-venv unzip xz-utils libopenblas0-serial valgrind" ;;
  clang) packages="$packages clang-19 clang-format-19 clang-tidy-19 libclang-rt-19-dev" ;;
  *) echo "setup.sh: '$what'; wanted build, demo, check or clang" >&2; exit 2 ;;
esac

has_tool() { # a tool of one's own serves as well as Debian's
  case $1 in
    cmake | unzip | python3) command -v "$1" >/dev/null 2>&1 ;;
    ninja-build) command -v ninja >/dev/null 2>&1 ;;
    python3-venv) python3 -c 'import ensurepip, venv' >/dev/null 2>&1 ;;
    *) return 1 ;;
  esac
}
has_package() {
  [ "$(dpkg-query -W -f='${Status}' "$1" 2>/dev/null)" = "install ok installed" ] || has_tool "$1"
}
has_other() { # a system without dpkg: the tool or the library itself
  case $1 in
    gcc) command -v cc >/dev/null 2>&1 ;;
    make | pkg-config | valgrind | clang-* ) command -v "$1" >/dev/null 2>&1 ;;
    libjansson-dev) pkg-config --exists jansson 2>/dev/null ;;
    libpcre2-dev) pkg-config --exists libpcre2-8 2>/dev/null ;;
    libutf8proc-dev) pkg-config --exists libutf8proc 2>/dev/null ;;
    libssl-dev) pkg-config --exists libcrypto 2>/dev/null ;;
    libxxhash-dev) pkg-config --exists libxxhash 2>/dev/null ;;
    libcmocka-dev) pkg-config --exists cmocka 2>/dev/null ;;
    llvm-19-dev) command -v llvm-config-19 >/dev/null 2>&1 ;;
    libclang-rt-19-dev) return 0 ;; # comes with clang there
    *) has_tool "$1" ;;
  esac
}
has=has_other
command -v dpkg-query >/dev/null 2>&1 && has=has_package
lacking() { for p in "$@"; do $has "$p" || printf ' %s' "$p"; done; }

install() { # PACKAGES: status 1 after a line that says why not
  if ! command -v apt-get >/dev/null 2>&1; then
    echo "setup.sh: install these, then run it again:$1" >&2
    return 1
  fi
  sudo=""
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null 2>&1 || { echo "setup.sh: not root and no sudo; install:$1" >&2; return 1; }
    sudo=sudo
  fi
  echo "installing$1" >&2
  $sudo apt-get update -qq >/dev/null || return 1
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $1 >/dev/null
}

missing=$(lacking $packages)
[ -z "$missing" ] || install "$missing" || exit 1
missing=$(lacking $extras)
[ -z "$missing" ] || install "$missing" || echo "setup.sh: going on without$missing" >&2

venv() { # build/venv, whose pip fetches things
  [ -x build/venv/bin/pip ] && return
  mkdir -p build
  python3 -m venv build/venv >/dev/null 2>&1 || { rm -rf build/venv; return 1; }
}
case $what in
  demo) command -v pip3 >/dev/null 2>&1 || command -v pip >/dev/null 2>&1 || venv || true ;;
esac
[ "$what" = check ] || exit 0

# What tests compare with. Each is optional: its tests skip by name where no registry can be reached.
mkdir -p build/deps
venv || echo "setup.sh: no Python venv; tests against jaxlib will skip" >&2
if [ -x build/venv/bin/pip ] && ! build/venv/bin/python -c 'import jaxlib' 2>/dev/null; then
  echo "fetching jaxlib 0.10.2 into build/venv" >&2
  build/venv/bin/pip install -q --disable-pip-version-check jaxlib==0.10.2 numpy ||
    echo "setup.sh: no jaxlib; its tests will skip" >&2
fi
if [ ! -f build/deps/pjrt/xla_cpu_pjrt.so ] && [ -x build/venv/bin/pip ]; then
  echo "fetching the XLA CPU plugin into build/deps" >&2
  work=$(mktemp -d build/deps/.fetch-XXXXXX)
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT TERM HUP
  if build/venv/bin/pip download -q --disable-pip-version-check --no-deps -d "$work" xla-cpu-pjrt==0.0.1 &&
    mkdir "$work/pjrt" && unzip -q -j "$work"/xla_cpu_pjrt-*.whl '*/pjrt_c_api.h' '*/xla_cpu_pjrt.so' -d "$work/pjrt"; then
    rm -rf build/deps/pjrt
    mv "$work/pjrt" build/deps/pjrt
  else
    echo "setup.sh: no XLA plugin; its tests will skip" >&2
  fi
fi
why=$(scripts/model.sh) || echo "setup.sh: $why; tests with SmolLM2 will skip" >&2
