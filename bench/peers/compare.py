#!/usr/bin/env python3
"""Measures tlaloc beside llama.cpp in one run: rounds alternate, and ratios are of the best and of the median.

usage: compare.py TLALOC [--rounds 5] [--threads 2] [--models bf16,q8_0,q4_1] [--prompt 512] [--gen 128] [--depth 0]

bf16 is the Q4_1 file with `--weights bf16` here, and the same weights as a bf16 GGUF there; the others are one file for both.
The peer gets 2 MiB pages (glibc's hugetlb tunable with weights in its own memory, not mapped) and the better of its two
attention forms (-fa 0 and 1) in each measurement.
Peers and models come from bench/peers/setup.sh. Prints a table, and with --json a line a measurement.
"""
import argparse, json, os, platform, statistics, subprocess, sys

PEERS = os.environ.get("PEERS", os.path.expanduser("~/.cache/tlaloc-peers"))


def llama(model, args):
    """One round of the peer: {("prefill"|"decode"): tokens/s}, the better of both attention forms."""
    best = {}
    for fa in ("0", "1"):
        cmd = [f"{PEERS}/llama-build/bin/llama-bench", "-m", model, "-t", str(args.threads), "-r", "1", "-p", str(args.prompt),
               "-n", str(args.gen), "-d", str(args.depth), "-fa", fa, "-lm", "none", "-ngl", "0", "-o", "jsonl"]
        env = dict(os.environ, GLIBC_TUNABLES="glibc.malloc.hugetlb=1")
        out = subprocess.run(cmd, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout
        for line in out.splitlines():
            if line.startswith("{"):
                row = json.loads(line)
                what = "prefill" if row["n_gen"] == 0 else "decode"
                best[what] = max(best.get(what, 0.0), max(row["samples_ts"]))
    return best


def ours(binary, name, args):
    file, flags = ("q4_1", ["--weights", "bf16"]) if name == "bf16" else (name, [])
    cmd = [binary, "bench", f"{PEERS}/gguf/smollm2-{file}.gguf", *flags, "--threads", str(args.threads), "--prompt", str(args.prompt), "--gen", str(args.gen),
           "--depth", str(args.depth), "--rounds", "1", "--json"]
    out = subprocess.run(cmd, stdout=subprocess.PIPE, text=True, check=True).stdout
    return {row["metric"]: row["best"] for row in map(json.loads, out.splitlines())}


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("tlaloc")
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--models", default="bf16,q8_0,q4_1")
    p.add_argument("--prompt", type=int, default=512)
    p.add_argument("--gen", type=int, default=128)
    p.add_argument("--depth", type=int, default=0)
    p.add_argument("--json", action="store_true")
    args = p.parse_args()
    print(f"{platform.machine()}, {args.threads} threads, load {os.getloadavg()[0]:.2f}, {args.rounds} rounds, "
          f"prefill {args.prompt}, decode {args.gen}, depth {args.depth}")
    print(f"{'model':6} {'work':8} {'ours best':>10} {'median':>8} {'llama.cpp':>10} {'median':>8} {'ratio':>7} {'median':>7}")
    for name in args.models.split(","):
        model = f"{PEERS}/gguf/smollm2-{name}.gguf"
        if not os.path.exists(model):
            sys.exit(f"compare.py: no {model}; run bench/peers/setup.sh")
        us, peer = {}, {}
        for _ in range(args.rounds):  # alternate, so that a slow spell of the machine meets both
            for into, row in ((us, ours(args.tlaloc, name, args)), (peer, llama(model, args))):
                for what, rate in row.items():
                    into.setdefault(what, []).append(rate)
        for what in ("decode", "prefill"):
            a, b = us[what], peer[what]
            ma, mb = statistics.median(a), statistics.median(b)
            print(f"{name:6} {what:8} {max(a):10.1f} {ma:8.1f} {max(b):10.1f} {mb:8.1f} {max(a) / max(b):7.2f} {ma / mb:7.2f}",
                  flush=True)
            if args.json:
                print(json.dumps({"model": name, "work": what, "ours": a, "peer": b, "ratio_best": max(a) / max(b),
                                  "ratio_median": ma / mb}))


if __name__ == "__main__":
    main()
