#!/bin/sh
# functions.sh RUNNER FOLDER WORK DOC: unpacks FOLDER/functions.txt.xz into WORK and runs its cases.
set -eu
command -v xz >/dev/null || { echo "skipped: no xz (Debian: xz-utils)"; exit 77; }
xz -dc "$2/functions.txt.xz" >"$3/functions.txt"
exec "$1" "$3/functions.txt" "$2/functions.list" "$4"
