"""Records what jaxlib's StableHLO interpreter gives for the samples of the op sweep, or compares with the recording.

    python tests/oracle/sweep.py BUILD/bin/sweep_test [--check] [OP ...]

The sweep prints each sample in core ops, with its inputs as bytes (sweep_test --dump); every one is evaluated in a child
process, since an op that the interpreter lacks ends it. tests/sweep/jaxlib/<op>.txt gets, per sample, a line with the
sample's number and the hash of its text, and a line of hexadecimal bytes a result. --check writes nothing and fails where
the recording has other bytes (floats of another version of jaxlib: within 1e-6 of the largest entry). Without jaxlib: a
skip (77).
"""
import collections, multiprocessing, os, re, subprocess, sys, tempfile

try:
    import jaxlib
    import ml_dtypes
    import numpy as np
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import chlo, stablehlo
    from jaxlib.mlir._mlir_libs import _jax_mlir_ext
except ImportError as problem:
    print(f"skipped: jaxlib is not here ({problem})")
    sys.exit(77)

SAMPLES = os.path.normpath(os.path.join(os.path.dirname(__file__), "..", "sweep"))
TYPES = {"f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": ml_dtypes.bfloat16,
         "complex<f32>": np.complex64, "complex<f64>": np.complex128}


def context():
    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    ctx = ir.Context()
    ctx.append_dialect_registry(registry)
    ctx.load_all_available_dialects()
    for dialect in (stablehlo, chlo):
        dialect.register_dialect(ctx)
    return ctx


def element_of(kind):
    return re.sub(r"^(\d+x)*", "", str(kind)[7:-1])


def wrapped(text, inputs, results):
    """The module with a @main whose types numpy knows: i1 and narrow integers as i8, other narrow types by their bits,
    complex results as their parts, one dim more."""
    def outside(kind):
        kind = str(kind)
        element = element_of(kind)
        swap = {"i1": "ui8", "i2": "i8", "i4": "i8", "ui2": "ui8", "ui4": "ui8", "bf16": "ui16"}
        if element.startswith("f8"):
            swap[element] = "ui8"
        return kind[: len(kind) - 1 - len(element)] + swap.get(element, element) + ">", element
    body, args = "", []
    for i, kind in enumerate(inputs):
        out, element = outside(kind)
        args.append(f"%a{i}: {out}")
        if str(kind) == out:
            body += f"%b{i} = stablehlo.optimization_barrier %a{i} : {kind}\n"
        else:
            op = "convert" if element[-1].isdigit() and element[0] in "iu" else "bitcast_convert"
            body += f"%b{i} = stablehlo.{op} %a{i} : ({out}) -> {kind}\n"
    kinds = ", ".join(map(str, results))
    lhs = "" if not results else "%c = " if len(results) == 1 else f"%c:{len(results)} = "
    body += f"{lhs}func.call @inner({', '.join(f'%b{i}' for i in range(len(inputs)))}) : ({', '.join(map(str, inputs))}) -> ({kinds})\n"
    outs = []
    for i, kind in enumerate(results):
        out, element = outside(kind)
        value = "%c" if len(results) == 1 else f"%c#{i}"
        if element.startswith("complex"):
            dims, part = str(kind)[7: -1 - len(element)], element[8:-1]
            flat, one, out = f"tensor<{dims}{part}>", f"tensor<{dims}1x{part}>", f"tensor<{dims}2x{part}>"
            for name in ("real", "imag"):
                body += f"%{name}{i} = stablehlo.{name} {value} : ({kind}) -> {flat}\n"
                body += f"%{name}{i}r = stablehlo.reshape %{name}{i} : ({flat}) -> {one}\n"
            body += f"%d{i} = stablehlo.concatenate %real{i}r, %imag{i}r, dim = {dims.count('x')} : ({one}, {one}) -> {out}\n"
        outs.append(out)
        if element.startswith("complex"):
            pass
        elif str(kind) == out:
            body += f"%d{i} = stablehlo.optimization_barrier {value} : {kind}\n"
        else:
            op = "convert" if element[-1].isdigit() and element[0] in "iu" else "bitcast_convert"
            body += f"%d{i} = stablehlo.{op} {value} : ({kind}) -> {out}\n"
    main = (f"func.func public @main({', '.join(args)}) -> ({', '.join(outs)}) {{\n{body}"
            f"return {', '.join(f'%d{i}' for i in range(len(results)))} {':' if results else ''} {', '.join(outs)}\n}}\n")
    end = text.rstrip().rindex("}")
    return text[:end].replace("func.func @main(", "func.func private @inner(").replace(
        "func.func public @main(", "func.func private @inner(") + main + text[end:]


def evaluate(path, pipe):
    with context():
        with open(path + ".mlir", encoding="utf-8") as file:
            text = file.read()
        module = ir.Module.parse(text)
        main = next(op for op in module.body.operations if op.name.value == "main")
        inputs, results = list(main.type.inputs), list(main.type.results)
        module = ir.Module.parse(wrapped(text, inputs, results))
        main = next(op for op in module.body.operations if op.name.value == "main")
        args = []
        for i, kind in enumerate(main.type.inputs):
            with open(f"{path}.in{i}.bin", "rb") as file:
                args.append(dense(file.read(), kind))
        answers = []
        for r in stablehlo.eval_module(module, args):
            shaped = ir.ShapedType(r.type)
            array = np.asarray(r)
            answers.append((np.ascontiguousarray(array).tobytes(), str(shaped.element_type)))
        pipe.send([(data, element_of(kind)) for (data, _), kind in zip(answers, results)])


def dense(data, kind):
    shaped = ir.ShapedType(kind)
    name = str(shaped.element_type)
    dtype = TYPES.get(name) or np.dtype(name.replace("ui", "uint") if name.startswith("ui") else name.replace("i", "int"))
    return ir.DenseElementsAttr.get(np.frombuffer(data, dtype).reshape(shaped.shape), type=kind)


def run(path):
    """The results, or the reason why there are none."""
    here, there = multiprocessing.Pipe()
    child = multiprocessing.Process(target=evaluate, args=(path, there))
    child.start()
    there.close()
    try:
        answer = here.recv()
    except EOFError:
        answer = None
    child.join()
    return answer


def near(a, b, kind):
    if a == b:
        return True
    if kind not in TYPES or len(a) != len(b):
        return False
    x, y = (np.frombuffer(v, TYPES[kind]) for v in (a, b))
    x, y = (v.astype(np.complex128 if v.dtype.kind == "c" else np.float64) for v in (x, y))
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    finite = np.isfinite(x) & np.isfinite(y)
    top = max(np.abs(y[np.isfinite(y)]), default=0)
    return bool(np.all(same | (finite & (np.abs(np.where(finite, x - y, 0)) <= 1e-6 * top))))


def main(program, *words):
    check = "--check" in words
    only = [w for w in words if w != "--check"]
    wrong = compared = 0
    with tempfile.TemporaryDirectory() as folder:
        listed = subprocess.run([program, SAMPLES, "--dump", folder], capture_output=True, text=True)
        samples = collections.defaultdict(list)
        for line in listed.stdout.splitlines():
            fields = line.split()
            if len(fields) == 4 and len(fields[2]) == 16:
                samples[fields[0]].append(fields[1:])
            else:
                print(line)
        os.makedirs(SAMPLES + "/jaxlib", exist_ok=True)
        for op, parts in samples.items():
            if only and op not in only:
                continue
            text = f"# jaxlib {jaxlib.__version__}\n"
            path = f"{SAMPLES}/jaxlib/{op}.txt"
            old = open(path).read() if os.path.exists(path) else ""
            for part, digest, excluded in parts:
                answer = run(f"{folder}/{op}.{part}")
                if answer is None:
                    if excluded == "0":
                        print(f"{op}.mlir, part {part}: jaxlib's interpreter gives no answer")
                        wrong += check and f"# jaxlib {jaxlib.__version__}\n" in old  # an older one may lack the op
                    continue
                head = f"part {part} {digest}\n"
                body = "".join(data.hex() + "\n" for data, _ in answer)
                text += head + body
                if check and excluded == "0":
                    at = old.find(head)
                    got = old[at + len(head):].split("\n")[: len(answer)] if at >= 0 else []
                    same = len(got) == len(answer) and all(
                        near(bytes.fromhex(g), data, kind) for g, (data, kind) in zip(got, answer))
                    compared += 1
                    if not same:
                        print(f"{op}.mlir, part {part}: the recording differs from jaxlib {jaxlib.__version__}")
                        wrong += 1
            if not check:
                with open(path, "w") as file:
                    file.write(text)
    if check:
        print(f"{compared} recordings compared with jaxlib {jaxlib.__version__}, {wrong} wrong")
        return 1 if wrong or not compared else 0
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
