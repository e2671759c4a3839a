#!/usr/bin/env python3
"""Runs the programs of bench/programs.tsv with one thread and with two, in one run: rounds alternate, ratios are the time of
one thread over that of two.

usage: scaling.py BENCH_PROGRAMS BENCH_LIMITS [--rounds 5] [--seconds 0.05] [--only REGEX] [--document FILE]

What threads exchange goes through a cache that both CPUs share, or not: a host may move the CPUs of a guest apart, and back,
within seconds. So each program says what `bench_limits --exchange` gave around it: beyond NEAR GB/s the caches were shared.
With --document the table goes between that file's marks.
"""
import argparse, os, re, statistics, sys
import jax
import programs
from ours import Ours, caches_are_shared, caches_name, folder, write


def options():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("bench_programs")
    p.add_argument("bench_limits")
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--seconds", type=float, default=0.05)
    p.add_argument("--only", default="")
    p.add_argument("--document")
    return p.parse_args()


def measure(args, path, name, both):
    if not os.path.exists(f"{path}/{name}.mlir"):
        call, arrays = programs.flat(name)
        write(path, name, jax.jit(call, keep_unused=True).lower(*arrays), arrays)
    before = caches_are_shared(args.bench_limits)
    for ours in both:
        ours.ask("open " + name)
        ours.ask("time 0.01")
    rounds = [[ours.ask(f"time {args.seconds}") for ours in both] for _ in range(args.rounds)]
    best = [min(r[w][0] for r in rounds) for w in (0, 1)]
    near = [before, caches_are_shared(args.bench_limits)]
    return dict(name=name, one=best[0], two=best[1], best=best[0] / best[1],
                median=statistics.median(a[1] / b[1] for a, b in rounds),
                caches=caches_name(near))


def document(path, rows):
    begin, end = "<!-- measured: bench/scaling.py -->\n", "\n<!-- end of scaling -->"
    with open(path, encoding="utf-8") as file:
        text = file.read()
    table = ["| program | one thread, us | two | best | median | caches |", "|---|---:|---:|---:|---:|---|"]
    table += [f"| {r['name']} | {1e6 * r['one']:.1f} | {1e6 * r['two']:.1f} | {r['best']:.2f} | {r['median']:.2f} | {r['caches']} |" for r in rows]
    i, j = text.index(begin) + len(begin), text.index(end)
    with open(path + ".part", "w", encoding="utf-8") as file:
        file.write(text[:i] + "\n" + "\n".join(table) + "\n" + text[j:])
    os.replace(path + ".part", path)


def main():
    args, rows = options(), []
    path = folder()
    both = [Ours(args.bench_programs, path, threads) for threads in (1, 2)]
    print(f"{'program':26} {'one us':>11} {'two us':>11} {'best':>8} {'median':>8}  caches")
    for row in programs.table():
        if not re.search(args.only, row["name"]):
            continue
        rows.append(measure(args, path, row["name"], both))
        print("{name:26} {0:11.1f} {1:11.1f} {best:8.2f} {median:8.2f}  {caches}".format(1e6 * rows[-1]["one"], 1e6 * rows[-1]["two"], **rows[-1]), flush=True)
    if args.document and rows:
        document(args.document, rows)
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())
