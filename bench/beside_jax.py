#!/usr/bin/env python3
"""Runs the programs of bench/programs.tsv here and in jaxlib's own CPU backend, in one run: rounds alternate, values are
compared first, ratios are JAX's time over ours (above 1: ours is faster).

usage: beside_jax.py BENCH_PROGRAMS [--rounds 15] [--seconds 0.06] [--compiles 3] [--only REGEX] [--threads 2] [--out FILE]

Run it with a Python that has jax; bench/run.sh does. StableHLO and arguments are written once into a folder of the user's
cache, named by their contents' origin. JAX is measured as one uses it: jit, block_until_ready. Compiling is measured with an
empty cache on disk, and once more ("warm") with what that left there. With $BENCH_ROWS rows go there for bench/history.py; where
$BENCH_PERTURB slows ours, kinds of which none is bound by compute are left out. JAX's own time moves by a tenth from process to
process; ours is also measured beside the machine's peak, in the same ms, and compared with runs in which the CPUs shared a cache
as they do now: what threads exchange takes half or twice as long where they do not.
"""
import argparse, functools, math, os, re, statistics, subprocess, sys, time


def options():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("bench_programs")
    p.add_argument("--rounds", type=int, default=15)
    p.add_argument("--seconds", type=float, default=0.06)
    p.add_argument("--compiles", type=int, default=3)
    p.add_argument("--only", default="")
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--out")
    return p.parse_args()


args = options()
# XLA takes as many threads as there are CPUs to run on, and takes them when it is imported.
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:args.threads])
import jax
import numpy as np
import programs
from ours import Ours, caches_are_shared, caches_name, folder, write

PERTURBED = float(os.environ.get("BENCH_PERTURB") or 0) > 0
AGREE = 0.05  # two rounds of JAX around one of ours, as logarithms
COMPUTE_BOUND = {"matmul", "convolution", "N-body"}  # unless reading explains half of the time


class Jax:
    """The program in JAX: compiled anew on request, timed through jit."""

    def __init__(self, name):
        self.call, self.arrays = programs.flat(name)
        self.lowered = jax.jit(self.call, keep_unused=True).lower(*self.arrays)
        self.run = jax.jit(self.call, keep_unused=True)
        self.on_device = [jax.numpy.asarray(v) for v in self.arrays]

    def compile(self):
        fresh = jax.jit(lambda *a: self.call(*a), keep_unused=True).lower(*self.arrays)
        start = time.perf_counter()
        fresh.compile()
        return time.perf_counter() - start

    def values(self):
        return [np.asarray(v) for v in self.run(*self.on_device)]

    def time(self, seconds):
        times, start = [], time.perf_counter()
        while len(times) < 3 or time.perf_counter() - start < seconds:
            a = time.perf_counter()
            jax.block_until_ready(self.run(*self.on_device))
            times.append(time.perf_counter() - a)
        return min(times), statistics.median(times)


def difference(want, path):
    """The greatest difference over the greatest magnitude of the array; infinite where shapes or NaNs differ."""
    have = np.load(path)
    if want.dtype == jax.numpy.bfloat16:
        have = have.view(want.dtype)
    if have.shape != want.shape or have.dtype != want.dtype:
        return math.inf
    if want.dtype.kind not in "fcV":
        return 0.0 if np.array_equal(have, want) else math.inf
    wide = np.complex128 if want.dtype.kind == "c" else np.float64
    a, b = have.astype(wide), want.astype(wide)
    if not np.array_equal(np.isfinite(a), np.isfinite(b)):
        return math.inf
    a, b = a[np.isfinite(a)], b[np.isfinite(b)]
    return float(np.max(np.abs(a - b)) / max(np.max(np.abs(b)), 1e-30)) if a.size else 0.0


LIMITS = os.path.join(os.path.dirname(args.bench_programs), "bench_limits")


@functools.cache
def bandwidth(mib):
    """Bytes a second that the threads read of a set so large."""
    out = subprocess.run([LIMITS, "--read", str(mib), "--threads", str(args.threads), "--rounds", "9"], check=True, stdout=subprocess.PIPE, text=True)
    return 1e9 * float(out.stdout.split()[0])


def bound_of(kind, size, seconds):
    """What bounds a program of a kind whose arguments and results have `size` bytes."""
    if kind not in COMPUTE_BOUND or size / bandwidth(max(1, round(size / 2**20))) > 0.5 * seconds:
        return "memory"
    return "compute"


def measure(row, path, ours):
    name, peer = row["name"], Jax(row["name"])
    write(path, name, peer.lowered, peer.arrays)
    compiles = [(ours.ask("open " + name)[0], peer.compile())]
    want = peer.values()
    ours.ask("run")
    error = max(difference(w, f"{path}/{name}.out.{i}.npy") for i, w in enumerate(want))
    for i in range(len(want)):
        os.remove(f"{path}/{name}.out.{i}.npy")
    if error > float(row["tolerance"]):
        raise ValueError(f"values differ by {error:.1e}, wanted {row['tolerance']}")
    compiles += [(ours.ask("compile")[0], peer.compile()) for _ in range(args.compiles - 1)]
    shared = [caches_are_shared(LIMITS)]
    before, rounds, pairs, paces = peer.time(args.seconds), [], [], []
    for _ in range(args.rounds):  # ours between two of theirs: where these differ, others ran meanwhile
        rounds.append((ours.ask(f"time {args.seconds}"), peer.time(args.seconds)))
        after = rounds[-1][1]
        pairs.append((abs(math.log(after[0] / before[0])), math.sqrt(before[0] * after[0]) / rounds[-1][0][0]))
        before = after
        if row["kind"] in COMPUTE_BOUND:
            paces += [pace for pace in ours.ask(f"pace {args.seconds}") if pace]
    shared.append(caches_are_shared(LIMITS))
    agree = [ratio for apart, ratio in pairs if apart <= AGREE]
    pairs = agree if len(agree) >= 3 else [ratio for _, ratio in pairs]
    best = [min(r[w][0] for r in rounds) for w in (0, 1)]
    median = [statistics.median(r[w][1] for r in rounds) for w in (0, 1)]
    warm = min(ours.ask("warm")[0] for _ in range(args.compiles))
    bound = bound_of(row["kind"], sum(v.nbytes for v in peer.arrays) + sum(v.nbytes for v in want), best[0])
    return dict(row, bound=bound, warm=warm, ours=best[0], jax=best[1], best=best[1] / best[0], median=median[1] / median[0], caches=caches_name(shared), pairs=pairs, paces=paces, error=error,
                compile_ours=min(c[0] for c in compiles), compile_jax=min(c[1] for c in compiles))


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def line(r):
    return (f"{r['name']:26} {1e6 * r['ours']:11.1f} {1e6 * r['jax']:11.1f} {r['best']:8.2f} {r['median']:8.2f} "
            f"{1e3 * r['compile_ours']:9.1f} {1e3 * r['compile_jax']:9.1f} {r['compile_jax'] / r['compile_ours']:8.2f} {1e3 * r['warm']:8.1f}  {r['error']:.0e}")


HEAD = f"{'program':26} {'ours us':>11} {'jax us':>11} {'best':>8} {'median':>8} {'comp. ms':>9} {'jax ms':>9} {'ratio':>8} {'warm ms':>8}  error"


def main():
    path, done, failed = folder(), [], []
    ours = Ours(args.bench_programs, path, args.threads)
    load = os.getloadavg()[0]
    title = f"jax {jax.__version__}, {args.threads} threads, load {load:.2f}, {args.rounds} rounds of {args.seconds} s; ratios are jax / ours"
    print(title + "\n" + HEAD)
    for row in programs.table():
        if not re.search(args.only, row["name"]) or (PERTURBED and row["kind"] not in COMPUTE_BOUND):
            continue
        try:
            done.append(measure(row, path, ours))
            print(line(done[-1]), flush=True)
        except (ValueError, RuntimeError) as problem:
            failed.append((row["name"], str(problem)))
            print(f"{row['name']:26} {problem}", flush=True)
            if isinstance(problem, RuntimeError):
                ours = Ours(args.bench_programs, path, args.threads)
        if args.out:
            report(title, done, failed)
    if not done:
        sys.exit("beside_jax.py: nothing was measured")
    slow = [r for r in done if r["median"] < 0.9]
    print(f"\n{len(done)} programs, geometric mean of ratios {mean([r['best'] for r in done]):.2f} (best), "
          f"{mean([r['median'] for r in done]):.2f} (median); {len(slow)} below 0.9; compile {mean([r['compile_jax'] / r['compile_ours'] for r in done]):.2f}"
          f"; {len(failed)} failed")
    for r in sorted(slow, key=lambda r: r["median"]):
        print("  below 0.9: " + line(r))
    if os.environ.get("BENCH_ROWS"):
        with open(os.environ["BENCH_ROWS"], "a", encoding="utf-8") as file:
            for r in done:
                pairs = " ".join(f"{p:.5g}" for p in r["pairs"])
                file.write(f"program/{r['name']}\t{r['bound']}\tjax/ours paired\t{pairs}\n")
                if r["paces"]:
                    file.write(f"pace/{r['name']}\t{r['bound']}\tcalls a Gop at peak, caches {r['caches']}\t{' '.join(f'{p:.5g}' for p in r['paces'])}\n")
                file.write(f"compile/{r['name']}\tlatency\tjax/ours\t{r['compile_jax'] / r['compile_ours']:.5g}\n")
    return 1 if failed else 0


def report(title, done, failed):
    with open(args.out + ".part", "w", encoding="utf-8") as file:
        file.write(title + "; worst first\n" + HEAD + "\n")
        file.writelines(f"{name:26} FAILED {why}\n" for name, why in failed)
        file.writelines(line(r) + "\n" for r in sorted(done, key=lambda r: r["best"]))
        kinds = {r["kind"]: [s["best"] for s in done if s["kind"] == r["kind"]] for r in done}
        file.writelines(f"kind {k:22} {mean(v):8.2f}\n" for k, v in kinds.items())
        file.write(f"{len(done)} programs, geometric mean {mean([r['best'] for r in done]):.2f}, compile "
                   f"{mean([r['compile_jax'] / r['compile_ours'] for r in done]):.2f}\n")
    os.replace(args.out + ".part", args.out)


if __name__ == "__main__":
    sys.exit(main())
