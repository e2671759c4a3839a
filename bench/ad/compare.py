#!/usr/bin/env python3
"""Times objectives and their gradients (of bundle adjustment the Jacobian of every observation) beside JAX and PyTorch in
one run: rounds alternate, so that a slow spell of the machine meets all; best and median of a call, and ratios to ours
(above 1: ours is faster). `run` is our call with the caller's arrays copied in and out; peers have theirs in place.

usage: compare.py BENCH_AD [--rounds 5] [--seconds 0.5] [--programs gmm,lstm,...] [--json]

TLALOC_JAX_PYTHON and TLALOC_TORCH_PYTHON name the Pythons with jax and with torch; `make bench B=ad` makes one where they
do not. All three start from one recording of arguments and of JAX's results, and each says how far it is from those.
"""
import argparse, json, os, platform, statistics, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RECORD = os.path.join(HERE, "..", "..", "tests", "oracle", "ad_objectives.py")
PROGRAMS = "gmm,lstm,ba,projectile,bgd_hyper_opt,brachistochrone,cart_pole,hmc,hookean_spring,qwop"


def python_of(variable, module):
    python = os.environ.get(variable, "")
    if not os.path.exists(python):
        sys.exit(f"compare.py: {variable} names no Python")
    if subprocess.run([python, "-c", f"import {module}"], stderr=subprocess.DEVNULL).returncode != 0:
        sys.exit(f"compare.py: {variable} names a Python without {module}")
    return python


class Peer:
    def __init__(self, name, python, folder):
        self.process = subprocess.Popen([python, os.path.join(HERE, "peers.py"), name, folder], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def time(self, program, what, seconds):
        """(best, median, error)"""
        self.process.stdin.write(f"{program} {what} {seconds}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().split()
        if not answer:  # it ended; why is on stderr
            sys.exit(f"compare.py: a peer failed at {program} {what}")
        return tuple(map(float, answer))


def ours(binary, folder, program, what, seconds):
    """(best, median, best with copies, error)"""
    run = subprocess.run([binary, f"{folder}/{program}.txt", what, str(seconds)], stdout=subprocess.PIPE, text=True)
    if run.returncode != 0:
        sys.exit(f"compare.py: {program} {what}: {run.stdout.strip()}")
    return tuple(map(float, run.stdout.split()))


def summary(rounds):
    """Of rounds of (best, median, ..., error)."""
    return min(r[0] for r in rounds), statistics.median(r[1] for r in rounds), max(r[-1] for r in rounds)


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("bench_ad")
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--seconds", type=float, default=0.5)
    p.add_argument("--programs", default=PROGRAMS)
    p.add_argument("--json", action="store_true")
    args = p.parse_args()
    jax, torch = python_of("TLALOC_JAX_PYTHON", "jax"), python_of("TLALOC_TORCH_PYTHON", "torch")
    with tempfile.TemporaryDirectory() as folder:
        programs = args.programs.split(",")
        subprocess.run([jax, RECORD, "--measure", folder, *programs], check=True)
        peers = {"jax": Peer("jax", jax, folder), "torch": Peer("torch", torch, folder)}
        print(f"{platform.machine()}, {os.cpu_count()} CPUs, load {os.getloadavg()[0]:.2f}, {args.rounds} rounds of {args.seconds} s, f64, "
              "times in ms: best (median); ratios: best (median)")
        print(f"{'program':16} {'what':10} {'ours':>20} {'run':>9} {'jax':>20} {'torch':>22} {'jax/ours':>15} {'torch/ours':>17}  errors")
        for program in programs:
            for what in ("objective", "gradient"):
                rounds = {"ours": [], **{name: [] for name in peers}}
                for _ in range(args.rounds):
                    rounds["ours"].append(ours(args.bench_ad, folder, program, what, args.seconds))
                    for name, peer in peers.items():
                        rounds[name].append(peer.time(program, what, args.seconds))
                all_of = {name: summary(r) for name, r in rounds.items()}
                run = min(r[2] for r in rounds["ours"])
                cells = {name: f"{1e3 * s[0]:.3f} ({1e3 * s[1]:.3f})" for name, s in all_of.items()}
                ratios = {name: "{:.2f} ({:.2f})".format(*(s[k] / all_of["ours"][k] for k in (0, 1))) for name, s in all_of.items()}
                print(f"{program:16} {what:10} {cells['ours']:>20} {1e3 * run:9.3f} {cells['jax']:>20} {cells['torch']:>22} {ratios['jax']:>15} "
                      f"{ratios['torch']:>17}  {' '.join(f'{s[2]:.0e}' for s in all_of.values())}", flush=True)
                if args.json:
                    print(json.dumps({"program": program, "what": what, **rounds}))
        print(f"load {os.getloadavg()[0]:.2f} at the end")


if __name__ == "__main__":
    main()
