#!/bin/sh
# make demo: fetches the model once and asks it a question; without a registry it runs the embedded reference model.
set -eu
tlaloc=$1
question="What is the capital of France?"
if model=$("$(dirname "$0")/model.sh"); then
  echo "> $question"
  exec "$tlaloc" chat "$model" "$question"
fi
echo "$model; the embedded reference model runs instead"
exec "$tlaloc" chat @reference
