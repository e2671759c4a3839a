#!/bin/sh
# console.sh TLALOC FILE: runs the transcript FILE (see console.awk) in a folder of its own, where
#   tlaloc   is TLALOC, and nothing of the caller's environment changes what it does
#   tests    is this source tree's, read only by custom
#   tiny     is a model of 128 tokens with tokenizer and chat template: tests/model/tiny-llama-untied and tokenizer/
#   long     is the same with a context of 65536 tokens, for answers that take a while
set -eu
tlaloc=$1
file=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
mkdir "$work/bin" "$work/cwd" "$work/scratch" "$work/home"
ln -s "$(cd "$(dirname "$tlaloc")" && pwd)/$(basename "$tlaloc")" "$work/bin/tlaloc"
cd "$work/cwd"
ln -s "$top/tests" tests
mkdir tiny
cp "$top"/tests/model/tiny-llama-untied/*.json "$top"/tests/model/tiny-llama-untied/model.safetensors "$here"/tokenizer/* tiny
cp -r tiny long
sed -i 's/"max_position_embeddings": 128/"max_position_embeddings": 65536/' long/config.json
unset TLALOC_ISA TLALOC_PJRT_PLUGIN_PATH VIRTUAL_ENV NO_COLOR || true
md=0
case $file in *.md) md=1 ;; esac
PATH=$work/bin:$PATH HOME=$work/home XDG_CACHE_HOME=$work/home LC_ALL=C \
  awk -v md=$md -v name="$(basename "$file")" -v scratch="$work/scratch" -f "$here/console.awk" "$file"
