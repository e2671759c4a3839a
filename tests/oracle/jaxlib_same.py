#!/usr/bin/env python3
"""Does jaxlib's MLIR find the module in our text that JAX wrote?

usage: jaxlib_same.py RUNNER FOLDER      (RUNNER: suites_harnesses_test, FOLDER: DIR/text of jax_harnesses.py)

Every module that we read is printed by us, parsed and verified by the parser that JAX itself uses, and printed by it in
the generic form. The same is done with JAX's own text; but for attributes that change no value, which we leave out, the
two must be equal. Modules with custom_calls that we read into named ops are only parsed. A control comes first: a
changed module must be told apart. Without jaxlib the script says so and exits 77 (a skip).
"""
import os, re, subprocess, sys

try:
    import jaxlib_verify
    from jaxlib.mlir import ir
except ImportError as problem:
    print(f"skipped: jaxlib is not here ({problem})")
    sys.exit(77)

NEUTRAL = (r"jax\.result_info = \"[^\"]*\"(, )?", r"(mhlo|jax|tf)\.[\w.]+ = (\{[^{}]*\}|\"[^\"]*\"|\w+( : i32)?)(, )?",
           r"(arg_attrs|res_attrs) = \[[^\]]*\](, )?", r"(, )?sym_visibility = \"public\"(, )?",
           r"(, )?(indices_are_sorted|unique_indices) = false(, )?")


def generic(text):
    """The module in the generic form, without what changes no value and without what is left of its punctuation."""
    out = ir.Module.parse(text).operation.get_asm(print_generic_op_form=True)
    for pattern in NEUTRAL:
        out = re.sub(pattern, "", out)
    return re.sub(r"[ ,{}<>]+", " ", out)


def modules(text):
    """name -> its first form, of "// name" and forms between marks."""
    found = {}
    for part in text.split("// -----\n"):
        if part.startswith("// "):
            name, _, module = part[3:].partition("\n")
            found.setdefault(name, module)
    return found


def main(argv):
    if len(argv) != 2:
        print(__doc__.strip().splitlines()[2])
        return 2
    runner, folder = argv
    theirs = {}
    for group in sorted(os.listdir(folder)):
        with open(f"{folder}/{group}", encoding="utf-8") as file:
            theirs |= modules(file.read())
    ours = modules(subprocess.run([runner, folder, "-", "--print"], stdout=subprocess.PIPE, text=True, check=False).stdout)
    same = named = wrong = 0
    with jaxlib_verify.context():
        text = "func.func @main(%0: tensor<2xf32>) -> tensor<2xf32> { %1 = stablehlo.sine %0 : tensor<2xf32> return %1 : tensor<2xf32> }"
        if generic(text) == generic(text.replace("sine", "cosine")):
            print("control failed: a changed module is the same")
            return 1
        for name, module in ours.items():
            try:
                ir.Module.parse(module).operation.verify()
            except Exception as problem:
                print(f"{name}: refused: {str(problem).splitlines()[0][:200]}")
                wrong += 1
                continue
            if "custom_call" in theirs[name] or "chlo." in theirs[name]:
                named += 1
            elif generic(module) == generic(theirs[name]):
                same += 1
            else:
                print(f"{name}: another module")
                wrong += 1
    print(f"of {len(ours)} modules {same} are the same, {named} have named ops; {wrong} are wrong")
    return 1 if wrong or same == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
