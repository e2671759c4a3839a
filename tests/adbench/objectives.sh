#!/bin/sh
# objectives.sh RUNNER FOLDER WORK [live ROOT | DEVICE]: unpacks FOLDER/objectives.txt.xz into WORK and runs its checks,
# natively and by the interpreter, or on a PJRT plugin. `live` records them anew with the JAX of the Python in
# TLALOC_JAX_PYTHON, and runs those.
set -eu
if [ "${4:-}" = live ]; then
  [ -x "${TLALOC_JAX_PYTHON:-}" ] || { echo "skipped: TLALOC_JAX_PYTHON names no Python with jax"; exit 77; }
  "$TLALOC_JAX_PYTHON" "$5/tests/oracle/ad_objectives.py" "$3/live.txt"
  exec "$1" "$3/live.txt"
fi
[ -z "${4:-}" ] || [ -f "$4" ] || { echo "skipped: no plugin $4"; exit 77; }
command -v xz >/dev/null || { echo "skipped: no xz (Debian: xz-utils)"; exit 77; }
mkdir -p "$3"
xz -dc "$2/objectives.txt.xz" >"$3/objectives.txt"
exec "$1" "$3/objectives.txt" ${4:+"$4"}
