#!/usr/bin/env python3
"""Keeps what `make bench` measured, by kind of machine, and says what became slower or faster.

usage: history.py record ROWS KIND [--history bench/history.tsv] [--label TEXT] [--perturb PERCENT]
       history.py table [--history bench/history.tsv] [--document docs/performance.md]

ROWS has a line a row: name, what bounds it (compute, memory, latency), unit, values of the rounds; more is better.
`record` judges each against the runs before it on the same kind of machine, prints what changed, and adds the run to the
history. A row is judged by how the runs before it differ among themselves, and by how other rows measured in the same way do;
all rows of a run are judged together, so that of those named one in twenty is named wrongly, and a run in which nothing
changed names any one time in twenty. Only rows of one name and unit are compared: who measures in a new way gives a new unit.
With --perturb, ours was slowed deliberately: nothing is added, and every row bound by
compute must come out as slower, itself or, where it is a ratio to a peer, which moves too, the row that has ours beside the
machine's peak. `table` writes the newest run of each machine into the document, between its marks.

Status 1: something became slower (with --perturb: the delay was not seen).
"""
import argparse, functools, math, os, statistics, sys

HERE = os.path.dirname(os.path.abspath(__file__))
COLUMNS = ["machine", "label", "row", "bound", "unit", "best", "median", "rounds"]
ENOUGH = 4      # runs before a judgement
FLOOR = 0.005   # no change smaller than this is claimed, however quiet the history
SURE = 0.01     # a single row: how rarely a run may lie beyond its bound by chance
WITNESS = {"program": "pace", "serve": "limit"}  # areas that are ratios to a peer, and where ours alone is beside the machine
WRONG = 0.05    # all rows of a run: how many of those named may be so by chance
WINDOW = 10     # runs that the spread is estimated from: what scattered a row may have been removed since
PRIOR = 4       # so many runs of its own a row's spread is worth that is guessed from other rows


# ---- the judge: pure functions of numbers -----------------------------------------------------------

def deviation(values):
    """The spread of logarithms, not moved by a few outliers."""
    centre = statistics.median(values)
    return 1.4826 * statistics.median(abs(v - centre) for v in values)


def by_chance(t, dof):
    """How rarely Student's t lies beyond +-t (Abramowitz and Stegun 26.7.3 and 4)."""
    angle = math.atan(abs(t) / math.sqrt(dof))
    term, within = (math.cos(angle) if dof % 2 else 1.0), 0.0
    for k in range(2 + dof % 2, dof + 1, 2):
        within += term
        term *= math.cos(angle) ** 2 * (k - 1) / k
    if dof % 2:
        return 1 - 2 / math.pi * (angle + math.sin(angle) * within)
    return 1 - math.sin(angle) * within


@functools.cache
def deviations_of(p, dof):
    """The t beyond which a value lies with probability p."""
    low, high = 0.0, 1e6
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if by_chance(middle, dof) > p else (low, middle)
    return high


def spread_of(residuals):
    return max(deviation(residuals), 1.2533 * statistics.fmean(abs(r) for r in residuals))  # both are the deviation of a normal


def scale_of(residuals, n, rounds, usual=None):
    """The deviation of a run from the centre of n runs, given all residuals, the run's own rounds (logarithms) and the spread
    that is usual among rows of its kind: (deviation, degrees of freedom)."""
    dof, spread = max(len(residuals) - 1, 1), spread_of(residuals)
    if usual is not None:
        spread, dof = math.sqrt((dof * spread**2 + PRIOR * usual**2) / (dof + PRIOR)), dof + PRIOR
    own = deviation(rounds) / math.sqrt(len(rounds)) if len(rounds) > 2 else 0.0
    return max(spread * math.sqrt(1 + 1 / n), own, 1e-9), dof


def bound_of(residuals, n, rounds, usual=None):
    scale, dof = scale_of(residuals, n, rounds, usual)
    return max(FLOOR, deviations_of(SURE, dof) * scale)


def level(past):
    """What the runs so far say of the present level: (centre, runs at it, residuals of the last WINDOW runs from their own level).

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
    return statistics.median(runs), len(runs), residuals[-WINDOW:]


def judge(past, rounds, usual=None):
    """past: medians of earlier runs, oldest first; rounds: this run's values. (verdict, change, smallest change seen, chance)
    with verdict "new", "same", "slower" or "faster" of this row alone; changes are parts of one, and chance is how rarely so
    large a change comes of nothing."""
    if len(past) < ENOUGH:
        return "new", 0.0, math.inf, 1.0
    rounds = [math.log(v) for v in rounds]
    centre, n, residuals = level([math.log(v) for v in past])
    change, (scale, dof) = statistics.median(rounds) - centre, scale_of(residuals, n, rounds, usual)
    bound = max(FLOOR, deviations_of(SURE, dof) * scale)
    verdict = "slower" if change < -bound else "faster" if change > bound else "same"
    return verdict, math.expm1(change), -math.expm1(-bound), by_chance(change / scale, dof) if abs(change) > FLOOR else 1.0


def together(rows):
    """rows: [(past, rounds, usual)]. What judge says of each, but named are those of which all the rows together say that
    WRONG of them are chance (Benjamini and Hochberg's step up): one row alone must be far beyond its bound, all need less."""
    found = [judge(*row) for row in rows]
    order, limit = sorted(f[3] for f in found if f[0] != "new"), 0.0
    for i, chance in enumerate(order):
        if chance <= WRONG * (i + 1) / len(order):
            limit = chance
    return [f if f[0] == "new" else ("same" if f[3] > limit or limit == 0 else "slower" if f[1] < 0 else "faster", *f[1:])
            for f in found]


def usual_spreads(rows):
    """rows: {kind: [past]}. The spread that is usual of a kind; None of one that has too few rows to say."""
    spreads = {kind: [spread_of(level([math.log(v) for v in past])[2]) for past in pasts if len(past) >= ENOUGH] for kind, pasts in rows.items()}
    return {kind: statistics.median(s) if len(s) >= 5 else None for kind, s in spreads.items()}


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
    history, wrong, seen, smallest, unseen = read_history(args.history), 0, 0, [], []
    rows, past, kinds = read_rows(args.rows), {}, {}
    for h in history:
        if h["machine"] == args.kind:
            past.setdefault((h["row"], h["unit"]), []).append(float(h["median"]))
    for name, bound, unit, _ in rows:
        kinds.setdefault((name.split("/")[0], bound, unit), []).append(past.get((name, unit), []))
    usual = usual_spreads(kinds)
    verdicts = together([(past.get((name, unit), []), values, usual[name.split("/")[0], bound, unit]) for name, bound, unit, values in rows])
    named = {name for (name, *_), (verdict, *_) in zip(rows, verdicts) if verdict == "slower"}
    for (name, bound, unit, values), (verdict, change, least, _) in zip(rows, verdicts):
        area, _, rest = name.partition("/")
        seen += verdict != "new"
        if least < math.inf:
            smallest.append(least)
        missed = args.perturb and bound == "compute" and not named & {name, f"{WITNESS.get(area)}/{rest}"}
        wrong += missed if args.perturb else verdict == "slower"
        if missed:
            unseen.append(least)
            print(f"NOT SEEN {name:44} " + (f"{100 * change:+6.1f} %, smallest of this row alone {100 * least:.1f} %" if least < math.inf
                                            else f"lacks {ENOUGH} earlier runs to be judged by"))
        elif verdict in ("slower", "faster") or args.perturb:
            print(f"{verdict:8} {name:44} {100 * change:+6.1f} % (smallest change seen here: {100 * least:.1f} %)")
    if smallest:
        print(f"{seen} of {len(rows)} rows judged by earlier runs on this machine; smallest change seen: {100 * min(smallest):.1f} to "
              f"{100 * max(smallest):.1f} %, median {100 * statistics.median(smallest):.1f} %")
    else:
        print(f"{len(rows)} rows; a judgement needs {ENOUGH} earlier runs on this machine")
    if args.perturb:
        all_of = sum(bound == "compute" for _, bound, _, _ in rows)
        print(f"{args.perturb:g} % slower deliberately: named for {all_of - len(unseen)} of the {all_of} rows bound by compute"
              + (f"; all could be seen from {100 * max(unseen):.1f} % on" if unseen and max(unseen) < math.inf else ""))
        return 1 if wrong or all_of == 0 else 0
    with open(args.history, "a", encoding="utf-8") as file:
        if not history:
            file.write("\t".join(COLUMNS) + "\n")
        for name, bound, unit, values in rows:
            file.write("\t".join([args.kind, args.label, name, bound, unit, f"{max(values):.5g}", f"{statistics.median(values):.5g}",
                                  str(len(values))]) + "\n")
    return 1 if wrong else 0


def newest(history):
    """{machine: {(row, peer): its newest line}} in the order of the file; a ratio to a peer is in the unit "to NAME[, how]"."""
    machines = {}
    for h in history:
        peer = h["unit"].partition(",")[0] if h["unit"].startswith("to ") else ""
        machines.setdefault(h["machine"], {})[h["row"], peer] = h
    return machines


def table(args):
    lines = []
    for machine, rows in newest(read_history(args.history)).items():
        lines += [f"### {machine}", ""]
        areas = {}
        for (name, _), h in rows.items():
            if not name.startswith("matmul/"):  # some 300 rows, which are compared with themselves
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
