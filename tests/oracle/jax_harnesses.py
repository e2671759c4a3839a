#!/usr/bin/env python3
"""Lowers every harness of jax._src.internal_test_util.test_harnesses to StableHLO text, and says what JAX computes.

    jax_harnesses.py DIR            DIR/text/GROUP.mlir: what tests/suites/harnesses_test.c reads
    jax_harnesses.py DIR --values   DIR/values/NNNN.mlir as well: modules that test themselves, a harness each
    jax_harnesses.py DIR --sample FILE LIST    of each group of DIR/text the shortest that is not in LIST, in two forms

A module of text/ begins with the harness's name in a comment; then come four forms of it, between "// -----": pretty;
generic, as MLIR prints ops of no syntax of their own; pretty with locations by alias; generic with locations in place.
A text that came before is left out, so a harness that lowers to another's text is not named. DIR/failed.txt says which
do not lower, and why.

A file of values/ calls the lowered function with the harness's own inputs and holds each result to JAX's on the CPU
(check.expect_almost_eq for what is not integer, expect_eq otherwise). Big ones are left out.

Work goes on in a child process, so that a harness which crashes or hangs (60 s) costs itself alone. JAX needs absl-py
for these harnesses.
"""
import hashlib, os, shutil, subprocess, sys, threading

LIMIT_S = 60
BIG = 4096  # elements of arguments and results together

DTYPES = {"bool": "i1", "bfloat16": "bf16", "float16": "f16", "float32": "f32", "float64": "f64",
          "complex64": "complex<f32>", "complex128": "complex<f64>"}
DTYPES |= {f"int{b}": f"i{b}" for b in (8, 16, 32, 64)} | {f"uint{b}": f"ui{b}" for b in (8, 16, 32, 64)}


def dense(a, name):
    """A constant of these elements: their bytes in hex."""
    shape = "".join(f"{d}x" for d in a.shape)
    kind = f"tensor<{shape}{DTYPES[a.dtype.name]}>"
    if a.size == 0:
        return f"    {name} = stablehlo.constant dense<> : {kind}\n", kind
    if a.dtype.name == "bool":
        data = "true" if a.flat[0] else "false"
        if a.size > 1:
            data = str(a.tolist()).replace("T", "t").replace("F", "f")
    else:
        data = '"0x' + a.tobytes().hex().upper() + '"'
    return f"    {name} = stablehlo.constant dense<{data}> : {kind}\n", kind


def self_testing(text, args, results):
    """The module, with a @main that calls what was @main."""
    import numpy as np
    body, names, kinds = "", [], []
    for i, a in enumerate(args):
        line, kind = dense(a, f"%in{i}")
        body, names, kinds = body + line, names + [f"%in{i}"], kinds + [kind]
    wants, out_kinds = "", []
    for i, r in enumerate(results):
        line, kind = dense(r, f"%want{i}")
        wants, out_kinds = wants + line, out_kinds + [kind]
        got = "%got" if len(results) == 1 else f"%got#{i}"
        check = "expect_eq" if r.dtype.name == "bool" or np.issubdtype(r.dtype, np.integer) else "expect_almost_eq"
        wants += f"    check.{check} {got}, %want{i} : {kind}\n"
    n = "" if len(results) == 1 else f":{len(results)}"
    outs = out_kinds[0] if len(results) == 1 else "(" + ", ".join(out_kinds) + ")"
    main = (f"  func.func public @main() {{\n{body}    %got{n} = call @harness({', '.join(names)}) : ({', '.join(kinds)})"
            f" -> {outs}\n{wants}    return\n  }}\n")
    at = text.index("  func.func public @main(")
    text = text.replace("func.func public @main(", "func.func private @harness(")
    return text[:at] + main + text[at:]


def child(out, values, start):
    import jax
    jax.config.update("jax_enable_x64", True)
    import numpy as np
    from jax._src.internal_test_util import test_harnesses
    seen = set()
    for i, h in enumerate(test_harnesses.all_harnesses):
        if i < start:
            continue
        print(f"begin {i} {h.fullname}", flush=True)
        try:
            args = h.dyn_args_maker(np.random.RandomState(0))
            lowered = jax.jit(h.dyn_fun, keep_unused=True).lower(*args)
            pretty = lowered.as_text()
            module = lowered.compiler_ir("stablehlo").operation
            forms = [pretty, module.get_asm(print_generic_op_form=True), lowered.as_text(debug_info=True),
                     module.get_asm(print_generic_op_form=True, enable_debug_info=True, use_local_scope=True)]
        except Exception as problem:
            print(f"failed {h.fullname}: {type(problem).__name__}: {str(problem).splitlines()[0][:160]}", flush=True)
            continue
        key = hashlib.sha256(pretty.encode()).digest()
        fresh = key not in seen
        seen.add(key)
        if fresh:
            with open(f"{out}/text/{h.group_name}.mlir", "a", encoding="utf-8") as file:
                file.write(f"// {h.fullname}\n" + "".join(f + "// -----\n" for f in forms))
        if not values or not fresh:
            continue
        try:
            flat = [np.asarray(a) for a in jax.tree.leaves(args)]
            if sum(a.size for a in flat) > BIG:
                continue
            results = [np.asarray(r) for r in jax.tree.leaves(lowered.compile()(*args))]
            if sum(r.size for r in results) > BIG:
                continue
            with open(f"{out}/values/{i:04}.mlir", "w", encoding="utf-8") as file:
                file.write(f"// {h.fullname}\n" + self_testing(pretty, flat, results))
        except Exception as problem:
            print(f"no values {h.fullname}: {type(problem).__name__}: {str(problem).splitlines()[0][:160]}", flush=True)
    print("end", flush=True)


def sample(out, path, exceptions):
    """One module a group, pretty and generic: the shortest that is not too long, and not an exception."""
    with open(exceptions, encoding="utf-8") as file:
        listed = {line.split(": ")[0] for line in file}
    with open(path, "w", encoding="utf-8") as file:
        for group in sorted(os.listdir(f"{out}/text")):
            with open(f"{out}/text/{group}", encoding="utf-8") as text:
                parts = text.read().split("// -----\n")[:-1]
            pairs = [parts[i] + "// -----\n" + parts[i + 1] for i in range(0, len(parts), 4)
                     if parts[i].partition("\n")[0].removeprefix("// ") not in listed]
            shortest = min(pairs, key=len, default="")
            if 0 < len(shortest) < 6000:
                file.write(shortest + "// -----\n")
    return 0


def main(argv):
    if len(argv) == 4 and argv[0] == "--child":
        return child(argv[1], argv[2] == "1", int(argv[3]))
    if len(argv) == 4 and argv[1] == "--sample":
        return sample(argv[0], argv[2], argv[3])
    if not argv or len(argv) > 2 or argv[1:] not in ([], ["--values"]):
        print(__doc__)
        return 2
    out, values = argv[0], len(argv) == 2
    for folder in ("text", "values") if values else ("text",):
        shutil.rmtree(f"{out}/{folder}", ignore_errors=True)
        os.makedirs(f"{out}/{folder}")
    start, done, failed = 0, False, []
    while not done:
        work = subprocess.Popen([sys.executable, __file__, "--child", out, str(int(values)), str(start)],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        name = "the start of the child"
        timer = threading.Timer(4 * LIMIT_S, work.kill)
        timer.start()
        for line in work.stdout:
            timer.cancel()
            timer = threading.Timer(LIMIT_S, work.kill)
            timer.start()
            word, _, rest = line.rstrip("\n").partition(" ")
            if word == "begin":
                number, _, name = rest.partition(" ")
                start = int(number) + 1
            elif word in ("failed", "no"):
                failed.append(line.rstrip("\n"))
            elif word == "end":
                done = True
        timer.cancel()
        work.wait()
        if not done:
            failed.append(f"failed {name}: the process ended ({work.returncode})")
            if start == 0:
                break
    with open(f"{out}/failed.txt", "w", encoding="utf-8") as file:
        file.writelines(f + "\n" for f in failed)
    print(f"{len(os.listdir(f'{out}/text'))} groups, {len(failed)} remarks in {out}/failed.txt")
    return 0 if done else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
