# jaxlib.sh SWEEP_TEST: the recordings of tests/sweep/jaxlib against the jaxlib that is installed in build/oracle (the
# version that they were made with) or build/venv. 77 = skipped.
for python in build/oracle/bin/python build/venv/bin/python; do
  [ -x "$python" ] && exec "$python" tests/oracle/sweep.py "$1" --check
done
echo "skipped: neither build/oracle nor build/venv has a Python with jaxlib"
exit 77
