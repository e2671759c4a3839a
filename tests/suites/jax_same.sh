#!/bin/sh
# jax_same.sh RUNNER FOLDER ROOT: jaxlib on what RUNNER prints of the texts in TLALOC_HARNESS_DIR or FOLDER.
set -eu
folder=${TLALOC_HARNESS_DIR:-$2}/text
[ -d "$folder" ] || { echo "skipped: no $folder (make oracle writes it)"; exit 77; }
for python in "$3/build/oracle/bin/python" "$3/build/venv/bin/python" "${TLALOC_ORACLE_PYTHON:-}"; do
  [ -x "$python" ] && exec "$python" "$3/tests/oracle/jaxlib_same.py" "$1" "$folder"
done
echo "skipped: no Python with jaxlib (make oracle, or scripts/setup.sh check)"
exit 77
