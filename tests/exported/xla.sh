#!/bin/sh
# xla.sh TLALOC PLUGIN WORK: the same artifacts on XLA's CPU plugin and on ours give the same ids, by step entries and by
# decode and prefill entries, as composites and inlined. 77 = skipped.
set -eu
tlaloc=$1 plugin=$2 work=$3
[ -f "$plugin" ] || { echo "skipped: no $plugin (scripts/setup.sh check fetches it)"; exit 77; }
rm -rf "$work"
mkdir -p "$work"
failed=0
runs=0

ids() { "$tlaloc" generate "$@" --quiet 2>"$work/err" || { cat "$work/err" >&2; exit 1; }; }

same() { # same ARTIFACT IDS N [flags]: both devices agree; prints the ids
  artifact=$1 prompt=$2 n=$3
  shift 3
  here=$(ids "$artifact" --ids "$prompt" --max-new "$n" --ignore-eos "$@")
  there=$(ids "$artifact" --ids "$prompt" --max-new "$n" --ignore-eos --device "$plugin" "$@")
  runs=$((runs + 1))
  if [ "$here" != "$there" ] || [ -z "$here" ]; then
    echo "$artifact $*: ours [$here], XLA's [$there]"
    failed=1
  fi
}

for model in tests/model/tiny-*; do
  a=$work/$(basename "$model")
  "$tlaloc" export "$model" -o "$a" --contexts 32 --max-batch 2 --prefill-chunk 8 --quiet >/dev/null
  "$tlaloc" export "$model" -o "$a-inline" --contexts 32 --max-batch 2 --prefill-chunk 8 --inline --quiet >/dev/null
  same "$a" 5,9,33,2,60 6
  same "$a" 5,9,33,2,60,8,8,8,8,40,41 6 --entries reference
  same "$a-inline" 5,9,33,2,60 6
done
"$tlaloc" export --reference -o "$work/reference" >/dev/null
same "$work/reference" 1,2 2
[ "$(ids "$work/reference" --ids 1,2 --max-new 2 --device "$plugin")" = "9 7" ] || { echo "the reference run is not 9 7"; failed=1; }

# The control: the comparison sees another prompt's ids.
a=$work/tiny-llama-untied
one=$(ids "$a" --ids 5,9,33,2,60 --max-new 6 --ignore-eos)
two=$(ids "$a" --ids 5,9,33,2,61 --max-new 6 --ignore-eos --device "$plugin")
[ "$one" != "$two" ] || { echo "control: another prompt gave the same ids"; failed=1; }

model=${TLALOC_MODEL:-${XDG_CACHE_HOME:-$HOME/.cache}/tlaloc/models/SmolLM2-135M-Instruct.Q4_1.gguf}
if [ -f "$model" ]; then # XLA unpacks every weight in every step: a few tokens are enough
  "$tlaloc" export "$model" -o "$work/smollm2" --contexts 64 --context 64 --prefill-chunk 8 --link --quiet >/dev/null
  same "$work/smollm2" 504,3575,282,4649,314 4
  same "$work/smollm2" 504,3575,282,4649,314 4 --entries reference
else
  echo "without SmolLM2: no $model"
fi
rm -rf "$work"
[ $failed = 0 ] && echo "$runs runs: the same ids on both devices"
exit $failed
