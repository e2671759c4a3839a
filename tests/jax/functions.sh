#!/bin/sh
# functions.sh RUNNER FOLDER WORK DOC [NAME]: unpacks FOLDER/NAME.txt.xz (functions) into WORK and runs its cases.
set -eu
name=${5:-functions}
command -v xz >/dev/null || { echo "skipped: no xz (Debian: xz-utils)"; exit 77; }
xz -dc "$2/$name.txt.xz" >"$3/$name.txt"
exec "$1" "$3/$name.txt" "$2/$name.list" "$4"
