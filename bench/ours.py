"""The programs of bench/programs.py as files in a folder of the user's cache, and bench_programs, the process that runs them."""
import hashlib, os, subprocess, tempfile, threading
import jax
import numpy as np

NEAR = 60   # GB/s that a thread reads of 64 KiB that another has written; 95 and 30 where it was measured
LIMIT = 60  # seconds for an answer
HERE = os.path.dirname(os.path.abspath(__file__))


def folder():
    digest = hashlib.sha256(jax.__version__.encode() + np.__version__.encode())
    for file in ("programs.py", "../tests/oracle/jax_programs.py"):
        with open(os.path.join(HERE, file), "rb") as f:
            digest.update(f.read())
    path = os.path.join(os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache")), "tlaloc", "bench", f"programs-{digest.hexdigest()[:16]}")
    os.makedirs(path, exist_ok=True)
    return path


def stored(v):
    return v.view("V2") if v.dtype == jax.numpy.bfloat16 else v


def write(path, name, lowered, arrays):
    if os.path.exists(f"{path}/{name}.mlir"):
        return
    for i, v in enumerate(arrays):
        np.save(f"{path}/{name}.in.{i}.npy", stored(v))
    with open(f"{path}/{name}.part", "w", encoding="utf-8") as file:
        file.write(lowered.as_text())
    os.rename(f"{path}/{name}.part", f"{path}/{name}.mlir")


def caches_are_shared(bench_limits):
    """Whether the CPUs share a cache now: a host may move those of a guest apart, and back."""
    out = subprocess.run([bench_limits, "--exchange"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return float(out.split()[0]) > NEAR


def caches_name(looks):
    return "shared" if all(looks) else "both" if any(looks) else "apart"


class Ours:
    def __init__(self, bench_programs, path, threads):
        self.cache = tempfile.TemporaryDirectory()  # empty: what earlier runs compiled must not help
        cmd = [bench_programs, path, self.cache.name, "--threads", str(threads)]
        self.process = subprocess.Popen(cmd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, request):
        self.process.stdin.write(request + "\n")
        self.process.stdin.flush()
        late = threading.Timer(LIMIT, self.process.kill)
        late.start()
        answer = self.process.stdout.readline()
        late.cancel()
        if not answer:
            raise RuntimeError(f"ended, or was ended after {LIMIT} s, at '{request}' with {self.process.wait()}")
        if answer.startswith("!"):
            raise ValueError(answer[2:].strip())
        return [float(t) for t in answer.split() if t != "ok"]
