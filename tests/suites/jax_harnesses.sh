#!/bin/sh
# jax_harnesses.sh RUNNER FOLDER LIST: the texts of tests/oracle/jax_harnesses.py, from TLALOC_HARNESS_DIR or FOLDER.
set -eu
folder=${TLALOC_HARNESS_DIR:-$2}/text
if [ ! -d "$folder" ]; then
  echo "skipped: no $folder (make oracle writes it; TLALOC_HARNESS_DIR says where else it lies)"
  exit 77
fi
exec "$1" "$folder" "$3"
