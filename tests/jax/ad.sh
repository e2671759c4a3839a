#!/bin/sh
# ad.sh RUNNER FOLDER WORK [live|judge ROOT]: unpacks FOLDER/ad.txt.xz into WORK and runs its cases. `live` records them anew
# with the JAX of the Python in TLALOC_JAX_PYTHON, and runs those; `judge` asks mpmath there who is right where the two
# differ, RUNNER being tlaloc.
set -eu
if [ "${4:-}" ]; then
  [ -x "${TLALOC_JAX_PYTHON:-}" ] || { echo "skipped: TLALOC_JAX_PYTHON names no Python with jax"; exit 77; }
  [ "$4" = live ] || exec "$TLALOC_JAX_PYTHON" "$5/tests/oracle/ad_judge.py" "$1" --check
  "$TLALOC_JAX_PYTHON" "$5/tests/oracle/jax_ad.py" "$3/ad_live.txt" "$3/ad_live.list"
  exec "$1" "$3/ad_live.txt" "$2/ad_exceptions.txt"
fi
command -v xz >/dev/null || { echo "skipped: no xz (Debian: xz-utils)"; exit 77; }
xz -dc "$2/ad.txt.xz" >"$3/ad.txt"
exec "$1" "$3/ad.txt" "$2/ad_exceptions.txt"
