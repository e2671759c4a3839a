"""Prints the TL_SPEC rows of src/ir/spec.def: each op of the StableHLO specification with the labels of its constraints.

    python tests/oracle/spec_labels.py spec.md     (docs/spec.md of openxla/stablehlo, the section "Ops")
"""
import re, sys

labels, op, section = {}, None, None
for line in open(sys.argv[1], encoding="utf-8"):
    line = line.rstrip("\n")
    if line.startswith("## "):
        section = line[3:]
    heading = re.match(r"### (\w+)$", line)
    if heading:
        op = heading[1] if section == "Ops" else None
    item = re.match(r"\s*\* \(([CI]\d+)\)", line)
    if op and item:
        labels.setdefault(op, []).append(item[1].lower())
for op in sorted(labels):
    print(f'TL_SPEC({op}, "{" ".join(labels[op])}")')
