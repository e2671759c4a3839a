#!/usr/bin/env python3
"""Times objectives and their gradients beside JAX and PyTorch in one run: rounds alternate, so that a slow spell of the
machine meets all; best and median of a call, and ratios to ours (above 1: ours is faster).

usage: compare.py BENCH_AD [--rounds 5] [--seconds 0.5] [--programs gmm,lstm,...] [--json]

TLALOC_JAX_PYTHON and TLALOC_TORCH_PYTHON name the Pythons with jax and with torch (default: build/oracle, which `make
oracle` makes). JAX records the programs; without it nothing can be measured, without PyTorch its columns stay empty.
"""
import argparse, json, os, platform, statistics, subprocess, sys, tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ORACLE = os.path.join(HERE, "..", "..", "build", "oracle", "bin", "python")


class Peer:
    def __init__(self, name, python, folder):
        self.name, self.process = name, None
        if python and os.path.exists(python) and subprocess.run([python, "-c", f"import {name}"], stderr=subprocess.DEVNULL).returncode == 0:
            self.process = subprocess.Popen([python, os.path.join(HERE, "peers.py"), name, folder], stdin=subprocess.PIPE,
                                            stdout=subprocess.PIPE, text=True)

    def time(self, program, what, seconds):
        if not self.process:
            return None
        self.process.stdin.write(f"{program} {what} {seconds}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().split()
        if not answer:  # it ended; why is on stderr
            self.process = None
            return None
        return None if answer == ["-"] else tuple(map(float, answer))


def ours(binary, folder, program, what, seconds):
    run = subprocess.run([binary, f"{folder}/{program}.txt", what, str(seconds)], stdout=subprocess.PIPE, text=True)
    if run.returncode != 0:
        print(f"{program} {what}: {run.stdout.strip()}")
        return None, None
    best, median, error = map(float, run.stdout.split())
    return (best, median), error


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("bench_ad")
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--seconds", type=float, default=0.5)
    p.add_argument("--programs", default="gmm,lstm,ba,projectile,bgd_hyper_opt,brachistochrone,cart_pole,hmc,hookean_spring,qwop")
    p.add_argument("--json", action="store_true")
    args = p.parse_args()
    jax_python = os.environ.get("TLALOC_JAX_PYTHON", ORACLE)
    with tempfile.TemporaryDirectory() as folder:
        programs = args.programs.split(",")
        if not os.path.exists(jax_python):
            sys.exit("compare.py: no Python with jax; TLALOC_JAX_PYTHON names one (make oracle makes one)")
        subprocess.run([jax_python, os.path.join(HERE, "record.py"), folder, *programs], check=True)
        peers = [Peer("jax", jax_python, folder), Peer("torch", os.environ.get("TLALOC_TORCH_PYTHON", ORACLE), folder)]
        print(f"{platform.machine()}, load {os.getloadavg()[0]:.2f}, {args.rounds} rounds of {args.seconds} s, f64, times in ms: best (median)")
        print(f"{'program':16} {'what':10} {'ours':>20} {'jax':>20} {'torch':>20} {'jax/ours':>9} {'torch/ours':>10}  error")
        for program in programs:
            for what in ("objective", "gradient"):
                rounds, error = {}, 0.0
                for _ in range(args.rounds):
                    t, e = ours(args.bench_ad, folder, program, what, args.seconds)
                    rounds.setdefault("ours", []).append(t)
                    error = e if e is not None else error
                    for peer in peers:
                        rounds.setdefault(peer.name, []).append(peer.time(program, what, args.seconds))
                summary = {k: (min(t[0] for t in v), statistics.median(t[1] for t in v)) if all(v) else None for k, v in rounds.items()}
                cells = [f"{1e3 * s[0]:.3f} ({1e3 * s[1]:.3f})" if s else "-" for s in summary.values()]
                ratios = [f"{s[0] / summary['ours'][0]:.2f}" if s and summary["ours"] else "-" for k, s in summary.items() if k != "ours"]
                print(f"{program:16} {what:10} {cells[0]:>20} {cells[1]:>20} {cells[2]:>20} {ratios[0]:>9} {ratios[1]:>10}  {error:.1e}", flush=True)
                if args.json:
                    print(json.dumps({"program": program, "what": what, **rounds}))


if __name__ == "__main__":
    main()
