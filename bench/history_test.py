#!/usr/bin/env python3
"""The judge of bench/history.py over synthetic histories: it sees a slow-down of 5 % in quiet rows, does not take noise for
one, says what it cannot see, and keeps its level through accidents, regressions and improvements."""
import random, statistics, subprocess, sys, tempfile, os
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
from history import ENOUGH, by_chance, deviations_of, judge, newest, spread_of, together

TRIALS = 400


def runs(r, n, noise, level=100.0):
    return [level * r.lognormvariate(0, noise) for _ in range(n)]


def rounds(r, noise, level=100.0):
    """Five rounds of one run: the run's own luck, and a little more in each."""
    luck = level * r.lognormvariate(0, noise)
    return [luck * r.lognormvariate(0, noise / 4) for _ in range(5)]


def share(verdict, noise, factor, n=10, seed=1):
    r = random.Random(seed)
    return sum(judge(runs(r, n, noise), rounds(r, noise, 100 * factor))[0] == verdict for _ in range(TRIALS)) / TRIALS


def of_run(r, factor, noises, n=8):
    """Rows of one run, each with its own noise, and n runs before it."""
    usual = statistics.median(noises)
    return [(runs(r, n, noise), rounds(r, noise, 100 * factor), usual) for noise in noises]


def check(what, good):
    print(("ok    " if good else "WRONG ") + what)
    return not good


def main():
    wrong = 0
    for n in (5, 10, 30):
        noise = 0.004 if n == 5 else 0.007
        wrong += check(f"5 % slower is seen, {100 * noise} % of noise, {n} runs", share("slower", noise, 0.95, n) > 0.95)
        wrong += check(f"5 % faster is seen, {100 * noise} % of noise, {n} runs", share("faster", noise, 1.05, n) > 0.95)
        for noise in (0.001, 0.01, 0.05):
            wrong += check(f"no change is none, {100 * noise} % of noise, {n} runs", share("same", noise, 1.0, n) > 0.95)
    wrong += check("5 % is not claimed from 10 % of noise", share("slower", 0.1, 0.95) < 0.07)
    r = random.Random(2)
    wrong += check("and the smallest change is then larger", statistics.median(judge(runs(r, 10, 0.1), [95])[2] for _ in range(TRIALS)) > 0.1)
    wrong += check("30 % is, from 5 % of noise", share("slower", 0.05, 0.7) > 0.9)
    wrong += check("too few runs give no verdict", judge(runs(r, ENOUGH - 1, 0.01), [50])[0] == "new")
    quiet = [100, 101, 99.5, 100.5, 100, 99.8]
    wrong += check("a quiet history sees 5 %", judge(quiet, [95, 95.1, 94.9])[0] == "slower")
    wrong += check("and lets 0.3 % be", judge(quiet, [99.7, 99.8, 99.6])[0] == "same")
    wrong += check("an accident does not move the level", judge(quiet + [40, 100, 100], [95, 95, 95])[0] == "slower")
    wrong += check("a lucky run does not move it", judge(quiet + [140, 100, 100], [100, 100, 100])[0] == "same")
    wrong += check("a regression stays one", judge(quiet + [80, 80, 80, 80], [80, 80, 80])[0] == "slower")
    better = quiet + [200, 201, 199]
    wrong += check("an improvement is the new level", judge(better, [190, 190, 190])[0] == "slower" and judge(better, [200, 200, 200])[0] == "same")
    scattered = [100, 84, 99, 85, 101, 83, 100, 86, 99, 84]  # a row of two speeds, until its cause was removed
    steady = [100 * f for f in (1, 1.004, 0.997, 1.002, 0.999, 1.003, 0.998, 1.001, 1, 1.002)]
    wrong += check("a row of two speeds hides 5 %", judge(scattered, [95, 95.1, 94.9])[0] == "same")
    wrong += check("and no longer once it has had one for long", judge(scattered + steady, [95, 95.1, 94.9])[0] == "slower")
    wrong += check("rounds that disagree widen the bound", judge(quiet, [60, 80, 95, 120, 140])[0] == "same")
    wrong += check("Student's t as tables have it", all(abs(by_chance(t, dof) - p) < 5e-4 for t, dof, p in
                   ((2, 1, 0.2952), (2, 2, 0.1835), (4.604, 4, 0.01), (2.977, 14, 0.01), (2.262, 9, 0.05))) and abs(deviations_of(0.01, 3) - 5.841) < 1e-3)
    r, noises = random.Random(3), [0.004, 0.006, 0.008, 0.01, 0.013] * 20
    named = [sum(v[0] != "same" for v in together(of_run(r, 1.0, noises))) for _ in range(60)]
    wrong += check("of 100 rows in which nothing changed few runs name any", sum(n > 0 for n in named) <= 12 and sum(named) <= 30)
    seen = [sum(v[0] == "slower" for v in together(of_run(r, 0.952, noises))) for _ in range(20)]
    wrong += check("where all became 5 % slower nearly all are named", statistics.fmean(seen) > 97)
    mixed = [together(of_run(r, 1.0, noises[:90]) + of_run(r, 0.95, noises[:10])) for _ in range(40)]
    wrong += check("where a tenth did it is they that are named", statistics.fmean(sum(v[0] == "slower" for v in m[90:]) for m in mixed) > 6
                   and statistics.fmean(sum(v[0] != "same" for v in m[:90]) for m in mixed) < 1.5)
    wrong += check("rows too few to judge stay new", together([([100.0], [50.0], None)])[0][0] == "new" and together([]) == [])
    wrong += check("a spread is a deviation", abs(spread_of([r.gauss(0, 0.01) for _ in range(4000)]) - 0.01) < 5e-4)
    wrong += command_line()
    return 1 if wrong else 0


def command_line():
    """record over files: judged by its own machine's rows only, added to unless perturbed."""
    with tempfile.TemporaryDirectory() as folder:
        history, rows = folder + "/history.tsv", folder + "/rows"

        def record(value, kind, *flags, bound="compute", beside=None):
            with open(rows, "w", encoding="utf-8") as file:
                if beside:  # a row that scatters with its peer, and ours beside the machine
                    file.write(f"program/p\tcompute\tx\t{beside[0]}\npace/p\tcompute\tx\t{beside[1]}\n")
                file.write(f"a/one\t{bound}\t%\t{value} {value * 1.001} {value * 0.999}\na/two\tmemory\t%\t{value}\n")
            run = subprocess.run([sys.executable, HERE + "/history.py", "record", rows, kind, "--history", history, *flags],
                                 stdout=subprocess.PIPE, text=True)
            return run.returncode, run.stdout
        wrong = sum(check(f"run {i} is recorded", record(v, "this CPU")[0] == 0) for i, v in enumerate((100, 101, 99, 100, 100.5)))
        wrong += check("another machine has a history of its own", "needs" in record(10, "that CPU")[1])
        for i, peer in enumerate((100, 80, 110, 90, 105)):
            record(100 + i / 10, "third CPU", beside=(peer, 100 + i / 10))
        size = os.path.getsize(history)
        seen, unseen = record(94, "this CPU", "--perturb", "5"), record(100, "this CPU", "--perturb", "5")
        wrong += check("a perturbed run is reported", seen[0] == 0 and "slower   a/one" in seen[1])
        wrong += check("one that is not seen fails by name", unseen[0] == 1 and "NOT SEEN a/one" in unseen[1] and "NOT SEEN a/two" not in unseen[1])
        wrong += check("what was named is counted", "named for 1 of the 1 rows" in seen[1] and "named for 0 of the 1 rows" in unseen[1])
        young = record(94, "that CPU", "--perturb", "5")
        wrong += check("a row without earlier runs is not seen either", young[0] == 1 and "lacks" in young[1])
        wrong += check("nor is one bound by memory alone", record(94, "this CPU", "--perturb", "5", bound="memory")[0] == 1)
        wrong += check("a ratio to a peer that scatters is seen by ours beside the machine",
                       record(94, "third CPU", "--perturb", "5", beside=(99, 94))[0] == 0)
        alone = record(94, "third CPU", "--perturb", "5", beside=(99, 100))
        wrong += check("and not without it", alone[0] == 1 and "NOT SEEN program/p" in alone[1] and "NOT SEEN pace/p" in alone[1])
        wrong += check("neither is recorded", os.path.getsize(history) == size)
        slower = record(90, "this CPU")
        wrong += check("a regression has status 1", slower[0] == 1 and "slower   a/one" in slower[1])
        with open(folder + "/page.md", "w", encoding="utf-8") as file:
            file.write("text\n<!-- measured: bench/history.py table -->\nold\n<!-- end -->\nmore\n")
        subprocess.run([sys.executable, HERE + "/history.py", "table", "--history", history, "--document", folder + "/page.md"], check=True)
        with open(folder + "/page.md", encoding="utf-8") as file:
            page = file.read()
        wrong += check("the newest run is in the table", "### that CPU" in page and "| one | compute | % | 90.09 | 90 |" in page and "old" not in page
                       and page.endswith("<!-- end -->\nmore\n"))
    lines = [dict(machine="m", row="serve/p", unit=unit) for unit in ("to a", "to b", "to a, best of 3")]
    wrong += check("the newest of each peer", [h["unit"] for h in newest(lines)["m"].values()] == ["to a, best of 3", "to b"])
    return wrong


if __name__ == "__main__":
    sys.exit(main())
