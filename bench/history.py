#!/usr/bin/env python3
"""Keeps what `make bench` measured, by kind of machine, and says what became slower or faster.

usage: history.py record ROWS KIND [--history bench/history.tsv] [--label TEXT] [--perturb PERCENT]
       history.py table [--history bench/history.tsv] [--document docs/performance.md]

ROWS has a line a row: name, what bounds it (compute, memory, latency), unit, values of the rounds; more is better.
`record` judges each against the runs before it on the same kind of machine, prints what changed, and adds the run to the
history. A change counts when it is larger than what the runs before it differ by among themselves, which is also the
smallest change that can be seen. With --perturb, ours was slowed deliberately: nothing is added, and every row bound by
compute must come out as slower. `table` writes the newest run of each machine into the document, between its marks.

Status 1: something became slower (with --perturb: the delay was not seen).
"""
import argparse, math, os, statistics, sys

HERE = os.path.dirname(os.path.abspath(__file__))
COLUMNS = ["machine", "label", "row", "bound", "unit", "best", "median", "rounds"]
ENOUGH = 4      # runs before a judgement
FLOOR = 0.005   # no change smaller than this is claimed, however quiet the history
# Student's t at 99.5 %, by degrees of freedom: a run lies within this many deviations of the others.
T = [63.7, 9.92, 5.84, 4.60, 4.03, 3.71, 3.50, 3.36, 3.25, 3.17, 3.11, 3.05, 3.01, 2.98, 2.95]


# ---- the judge: pure functions of numbers -----------------------------------------------------------

def deviation(values):
    """The spread of logarithms, not moved by a few outliers."""
    centre = statistics.median(values)
    return 1.4826 * statistics.median(abs(v - centre) for v in values)


def bound_of(residuals, n, rounds):
    """How far a run may lie from the centre of n runs, given all residuals, and its own rounds' logarithms."""
    k = len(residuals)
    spread = max(deviation(residuals), 1.2533 * statistics.fmean(abs(r) for r in residuals))  # both are the deviation of a normal
    own = 2 * deviation(rounds) / math.sqrt(len(rounds)) if len(rounds) > 2 else 0.0
    return max(FLOOR, T[min(k - 2, len(T) - 1)] * spread * math.sqrt(1 + 1 / n), own)


def level(past):
    """What the runs so far say of the present level: (centre, runs at it, residuals of all runs from their own level).

    A run that is clearly faster and is followed by another such begins a new level; one that is clearly slower is a
    regression or an accident, and leaves the level where it was."""
    runs, residuals, faster = [], [], []
    for x in past:
        if len(residuals) >= ENOUGH:
            change, bound = x - statistics.median(runs), bound_of(residuals, len(runs), [x])
            if change > bound:
                faster.append(x)
                if len(faster) == 2:
                    runs, faster = faster, []
                continue
            faster = []
            if change < -bound:
                continue
        runs.append(x)
        centre = statistics.median(runs)
        residuals = residuals[:len(residuals) - len(runs) + 1] + [r - centre for r in runs]
    return statistics.median(runs), len(runs), residuals


def judge(past, rounds):
    """past: medians of earlier runs, oldest first; rounds: this run's values. (verdict, change, smallest change seen) with
    verdict "new", "same", "slower" or "faster"; changes are parts of one."""
    if len(past) < ENOUGH:
        return "new", 0.0, math.inf
    rounds = [math.log(v) for v in rounds]
    centre, n, residuals = level([math.log(v) for v in past])
    change, bound = statistics.median(rounds) - centre, bound_of(residuals, n, rounds)
    verdict = "slower" if change < -bound else "faster" if change > bound else "same"
    return verdict, math.expm1(change), -math.expm1(-bound)


# ---- files ------------------------------------------------------------------------------------------

def read_history(path):
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    if lines[0].split("\t") != COLUMNS:
        sys.exit(f"history.py: {path} is not a history")
    return [dict(zip(COLUMNS, line.split("\t"))) for line in lines[1:]]


def read_rows(path):
    rows = []
    with open(path, encoding="utf-8") as file:
        for line in file.read().splitlines():
            name, bound, unit, values = line.split("\t")
            rows.append((name, bound, unit, [float(v) for v in values.split()]))
    return rows


def record(args):
    history, wrong, seen, smallest = read_history(args.history), 0, 0, []
    rows = read_rows(args.rows)
    for name, bound, unit, values in rows:
        past = [float(h["median"]) for h in history if h["machine"] == args.kind and h["row"] == name and h["unit"] == unit]
        verdict, change, least = judge(past, values)
        seen += verdict != "new"
        if least < math.inf:
            smallest.append(least)
        missed = args.perturb and bound == "compute" and verdict != "slower"
        wrong += missed if args.perturb else verdict == "slower"
        if missed:
            print(f"NOT SEEN {name:44} {100 * change:+6.1f} %, smallest {100 * least:.1f} % of {len(past)} runs")
        elif verdict in ("slower", "faster") or args.perturb:
            print(f"{verdict:8} {name:44} {100 * change:+6.1f} % (smallest change seen here: {100 * least:.1f} %)")
    if smallest:
        print(f"{seen} of {len(rows)} rows judged by earlier runs on this machine; smallest change seen: {100 * min(smallest):.1f} to "
              f"{100 * max(smallest):.1f} %, median {100 * statistics.median(smallest):.1f} %")
    else:
        print(f"{len(rows)} rows; a judgement needs {ENOUGH} earlier runs on this machine")
    if args.perturb:
        return 1 if wrong or not seen else 0
    with open(args.history, "a", encoding="utf-8") as file:
        if not history:
            file.write("\t".join(COLUMNS) + "\n")
        for name, bound, unit, values in rows:
            file.write("\t".join([args.kind, args.label, name, bound, unit, f"{max(values):.5g}", f"{statistics.median(values):.5g}",
                                  str(len(values))]) + "\n")
    return 1 if wrong else 0


def newest(history):
    """{machine: {row: its newest line}} in the order of the file."""
    machines = {}
    for h in history:
        machines.setdefault(h["machine"], {})[h["row"]] = h
    return machines


def table(args):
    lines = []
    for machine, rows in newest(read_history(args.history)).items():
        lines += [f"### {machine}", ""]
        areas = {}
        for name, h in rows.items():
            areas.setdefault(name.split("/")[0], []).append((name, h))
        for area, members in areas.items():
            lines += [f"| {area} | bound by | unit | best | median |", "|---|---|---|---:|---:|"]
            lines += [f"| {name.partition('/')[2] or name} | {h['bound']} | {h['unit']} | {h['best']} | {h['median']} |" for name, h in members]
            lines.append("")
    with open(args.document, encoding="utf-8") as file:
        text = file.read()
    begin, end = "<!-- measured: bench/history.py table -->\n", "<!-- end -->"
    head, _, rest = text.partition(begin)
    _, _, tail = rest.partition(end)
    if not rest or not tail:
        sys.exit(f"history.py: {args.document} has no marks for its tables")
    with open(args.document, "w", encoding="utf-8") as file:
        file.write(head + begin + "\n" + "\n".join(lines) + ("\n" if lines else "") + end + tail)
    return 0


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("what", choices=("record", "table"))
    p.add_argument("rows", nargs="?")
    p.add_argument("kind", nargs="?")
    p.add_argument("--history", default=os.path.join(HERE, "history.tsv"))
    p.add_argument("--document", default=os.path.join(HERE, "..", "docs", "performance.md"))
    p.add_argument("--label", default="")
    p.add_argument("--perturb", type=float, default=0)
    args = p.parse_args()
    if args.what == "record" and not args.kind:
        p.error("record wants ROWS and KIND")
    return record(args) if args.what == "record" else table(args)


if __name__ == "__main__":
    sys.exit(main())
