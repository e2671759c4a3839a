#!/usr/bin/env python3
"""Runs bench_accuracy and writes its lines as a table into a document, between its marks.

usage: accuracy.py DOCUMENT BENCH_ACCURACY MODEL.gguf GOLDEN.json TEXT [NAME=FILE.gguf ...]
"""
import subprocess, sys

BEGIN, END = "<!-- measured: bench/accuracy.py -->\n", "<!-- end of accuracy -->"


def table(lines):
    rows = [line.split("\t") for line in lines]
    base = float(rows[0][7])
    out = ["| weights | compute | KV | weights, MB | KV, bytes a token | golden ids | perplexity | | most probable as f32 | largest logit error |",
           "|---|---|---|---:|---:|---:|---:|---:|---:|---:|"]
    for weights, compute, kv, mb, kv_bytes, equal, ids, ppl, same, places, worst, greatest in rows:
        out.append(f"| {weights} | {compute} | {kv} | {mb} | {kv_bytes} | {equal} of {ids} | {float(ppl):.3f} | "
                   f"{100 * (float(ppl) / base - 1):+.2f} % | {100 * int(same) / int(places):.1f} % | {float(worst):.3g} |")
    out.append("")
    out.append(f"The greatest logit is {float(rows[0][11]):.3g}.")
    return "\n".join(out) + "\n"


def main():
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    lines = []
    with subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, text=True) as child:
        for line in child.stdout:
            print(line, end="", flush=True)
            lines.append(line.rstrip("\n"))
    if child.returncode:
        sys.exit(f"accuracy.py: bench_accuracy failed with status {child.returncode}")
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    if not tail:
        sys.exit(f"accuracy.py: {sys.argv[1]} has no marks for the table")
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write(head + BEGIN + "\n" + table(lines) + "\n" + END + tail)


if __name__ == "__main__":
    main()
