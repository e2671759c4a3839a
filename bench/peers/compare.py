#!/usr/bin/env python3
"""Measures served models beside llama.cpp, and beside OpenVINO GenAI, vLLM, PyTorch and ONNX Runtime GenAI where asked for, in
one run.

usage: compare.py TLALOC [--models smollm2,qwen3] [--precisions bf16,q8_0,q4_0,q4_1,q4_k] [--works REGEX] [--rounds 5]
                  [--gen 64] [--compute fast,exact] [--kv bf16] [--peers llama.cpp,openvino,vllm,torch,ort] [--threads 2] [--json]

Rounds alternate between all, so that a slow spell of the machine meets all; a ratio is that of the best, and the median of
the rounds' own. llama.cpp gets 2 MiB pages (glibc's hugetlb tunable, weights in its own memory, not mapped), keys and values
of our type, and the better of its two forms of attention in each work. The machine's limit is measured in the same rounds:
decode reads the weights as stored and the live keys and values at the bandwidth of a set of that size; prefill multiplies at
the peak of the arithmetic, which is measured before and after ours: where these differ others ran meanwhile, and the round does
not count for it. A short prompt is the best of three. Where $BENCH_PERTURB slows ours, only works bound by compute are measured. Models and llama.cpp come from setup.sh, the others from setup_openvino.sh, setup_vllm.sh and,
PyTorch and ONNX Runtime (ort), setup_torch.sh.
"""
import argparse, functools, json, math, os, re, signal, statistics, subprocess, sys, time

HERE = os.path.dirname(os.path.abspath(__file__))
PEERS = os.environ.get("PEERS", os.path.expanduser("~/.cache/tlaloc-peers"))
TEXT = "the " * 31
# layers, numbers of a position's keys (and of its values), vocabulary, hidden size
SHAPES = {"smollm2": (30, 3 * 64, 49152, 576), "qwen3": (28, 8 * 128, 151936, 1024)}
DEPTHS, PREFILLS, MANY = (32, 512, 4096), (512, 2048), 8
WORKS = [f"prefill {n}" for n in PREFILLS] + [f"decode {d}" for d in DEPTHS] + ["decode 8x32", "first token s", "peak MiB"]
LESS_IS_BETTER = {"first token s", "peak MiB"}
TRIES = {512: 3}  # prompts of a round, of which the best counts; else one
AGREE = 0.05      # two looks at a peak around a prefill, as parts of one
PERTURB = os.environ.get("BENCH_PERTURB") or "0"
PERTURBED = float(PERTURB) > 0


def command(cmd, env=None):
    """stdout, wall seconds and peak resident MiB of a command that must succeed."""
    start = time.perf_counter()
    p = subprocess.Popen(cmd, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    out = p.stdout.read().decode(errors="replace")
    _, status, usage = os.wait4(p.pid, 0)
    p.returncode = os.waitstatus_to_exitcode(status)
    if p.returncode:
        raise RuntimeError(f"status {p.returncode} of {' '.join(cmd)}")
    return out, time.perf_counter() - start, usage.ru_maxrss / 1024


def lines(out):
    rows = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    if not rows:
        raise RuntimeError(f"a benchmark that printed no row, but {out[-200:]!r}")
    return rows


def of(works, kind):
    """The numbers of the works of a kind: of(["decode 32", "decode 8x32"], "decode") is [32]."""
    return [int(w.split()[1]) for w in works if re.fullmatch(kind + r" \d+", w)]


class Ours:
    def __init__(self, args, compute):
        self.name, self.args, self.compute = "ours" if compute == "fast" else "ours " + compute, args, compute

    def measure(self, model, precision, works):
        file = f"{PEERS}/gguf/{model}-{precision}.gguf"
        shape = ["--compute", self.compute, "--kv", self.args.kv, "--threads", str(self.args.threads)]
        gen, found = str(self.args.gen), {}

        def bench(*flags):
            perturb = ["--perturb", PERTURB] if PERTURBED else []
            return lines(command([self.args.tlaloc, "bench", file, *shape, *perturb, "--json", *flags])[0])
        for n in of(works, "prefill"):
            found[f"prefill {n}"] = bench("--prompt", str(n), "--gen", "0", "--rounds", str(TRIES.get(n, 1)))[0]["best"]
        if of(works, "decode"):
            for row in bench("--rounds", "1", "--prompt", "0", "--gen", gen, "--depth", ",".join(map(str, of(works, "decode")))):
                found[f"decode {row['depth']}"] = row["best"]
        if "decode 8x32" in works:
            found["decode 8x32"] = bench("--rounds", "1", "--prompt", "0", "--gen", gen, "--depth", "32", "--batch", str(MANY))[0]["best"]
        generate = [self.args.tlaloc, "generate", file, *shape, "--quiet", "--ignore-eos"]
        if "first token s" in works:
            found["first token s"] = command(generate + ["--text", TEXT, "--max-new", "1"])[1]
        if "peak MiB" in works:
            found["peak MiB"] = command(generate + ["--context", "1024", "--text", TEXT * 16, "--max-new", gen])[2]
        return found


class Llama:
    name = "llama.cpp"

    def __init__(self, args):
        self.args, self.facts, self.env = args, {}, dict(os.environ, GLIBC_TUNABLES="glibc.malloc.hugetlb=1")

    def call(self, program, file, *flags):
        t = str(self.args.threads)
        return command([f"{PEERS}/llama-build/bin/{program}", "-m", file, "-t", t, "-lm", "none", "-ctk", self.args.kv, "-ctv", self.args.kv,
                        *flags], self.env)

    def measure(self, model, precision, works):
        file, gen, found = f"{PEERS}/gguf/{model}-{precision}.gguf", str(self.args.gen), {}

        def better(work, rate):
            found[work] = max(rate, found.get(work, 0.0))

        def bench(*flags):
            out = lines(self.call("llama-bench", file, "-ngl", "0", "-fa", "0,1", "-o", "jsonl", *flags)[0])
            self.facts[model, precision] = (out[0]["model_size"], out[0]["model_n_params"])
            return out
        for n in of(works, "prefill"):
            for row in bench("-n", "0", "-p", str(n), "-r", str(TRIES.get(n, 1))):
                better(f"prefill {n}", max(row["samples_ts"]))
        if of(works, "decode"):
            for row in bench("-r", "1", "-p", "0", "-n", gen, "-d", ",".join(map(str, of(works, "decode")))):
                better(f"decode {row['n_depth']}", row["samples_ts"][0])
        for fa in ("off", "on") if "decode 8x32" in works else ():
            out = self.call("llama-batched-bench", file, "-c", str(MANY * (32 + self.args.gen)), "-npp", "32", "-ntg", gen, "-npl", str(MANY),
                            "-fa", fa, "--output-format", "jsonl")[0]
            better("decode 8x32", lines(out)[-1]["speed_tg"])
        complete = ("-no-cnv", "--no-warmup", "--ignore-eos", "-c", "1024")
        if "first token s" in works:
            found["first token s"] = self.call("llama-completion", file, *complete, "-n", "1", "-p", TEXT)[1]
        if "peak MiB" in works:
            found["peak MiB"] = self.call("llama-completion", file, *complete, "-n", gen, "-p", TEXT * 16)[2]
        return found


class Worker:
    """A peer that lives in a Python of its own (worker.py) and stands still while others are measured."""

    # what each runs of the precisions (bf16 in OpenVINO: fp16, q8_0: its int8; q4_0 in ONNX: int4 in groups of 32), and its script
    ALL = {"openvino": (("bf16", "q8_0"), "openvino"), "vllm": (("bf16",), "vllm"), "torch": (("bf16",), "torch"), "ort": (("q4_0",), "torch")}

    def __init__(self, args, name):
        self.args, self.name, self.process, self.loaded = args, name, None, None
        self.precisions, setup = self.ALL[name]
        self.python = f"{PEERS}/venv-{setup}/bin/python"
        if not os.path.exists(self.python):
            sys.exit(f"compare.py: no {self.python}; run bench/peers/setup_{setup}.sh")

    def start(self, model, precision):
        self.stop()
        env = dict(os.environ, GLIBC_TUNABLES="glibc.malloc.hugetlb=1")
        cmd = [self.python, os.path.join(HERE, "worker.py"), self.name, f"{PEERS}/{self.name}/{model}-{precision}", str(self.args.threads), str(self.args.gen)]
        self.process = subprocess.Popen(cmd, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.loaded = model, precision
        if self.process.stdout.readline().strip() != "ready":
            self.stop()
            raise RuntimeError(f"{self.name} does not load {model} {precision}")

    def stop(self):
        if self.process:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
            self.process.wait()
        self.process = None

    def measure(self, model, precision, works):
        if precision not in self.precisions:
            return {}
        if self.loaded != (model, precision) or not self.process:
            self.start(model, precision)
        self.process.send_signal(signal.SIGCONT)
        found = {}
        for work in works:
            if work in LESS_IS_BETTER:
                continue
            self.process.stdin.write(work + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
            if not answer:
                self.stop()
                raise RuntimeError(f"{self.name} ended at '{work}'")
            if answer.strip() != "-":
                found[work] = float(answer)
        self.process.send_signal(signal.SIGSTOP)
        return found


class Machine:
    def __init__(self, args):
        self.program, self.args = os.path.join(os.path.dirname(args.tlaloc), "bench_limits"), args
        self.bf16 = ["bf16 dot amx"]
        devices = command([args.tlaloc, "devices"])[0]
        if "bf16-chain" in devices and "bf16-fast" in devices:  # elsewhere its order is not ours, or multiply-adds do more
            self.bf16.append("bf16 dot avx512")
        self.peaks = {}

    def look(self):  # this moment's peaks: a host gives its guests more or less from one round to the next
        rows = lines(command([self.program, "--json", "--peaks", "--rounds", "5"])[0])
        return {r["limit"]: r["best"] * 1e9 for r in rows if r.get("threads") == self.args.threads}

    def look_around(self, precision, measure):
        """What measure() gives, between two looks; whether these agree."""
        before = self.look()
        found = measure()
        after = self.look()
        self.peaks = {name: math.sqrt(before[name] * rate) for name, rate in after.items()}
        wanted = self.name_of_peak(precision)
        return found, max(before[wanted], after[wanted]) <= (1 + AGREE) * min(before[wanted], after[wanted])

    def read(self, size):  # bytes a second of a set of that size
        mib = max(1, round(size / 2**20))
        return 1e9 * float(command([self.program, "--read", str(mib), "--threads", str(self.args.threads), "--rounds", "9"])[0].split()[0])

    def name_of_peak(self, precision):  # of the arithmetic that the fast programs of the precision are written in
        wanted = self.bf16 if precision == "bf16" else ["int8 dot amx", "int8 dot avx512", "int8 dot avx"]
        return next(p for p in wanted + ["f32 fma avx512", "f32 fma avx2", "f32 fma scalar"] if p in self.peaks)

    def peak(self, precision):
        return self.peaks[self.name_of_peak(precision)]


def limit(machine, facts, model, precision, work, args):
    """Tokens a second that the machine allows in a work, or None; bytes and parameters are the peer's own count of the file."""
    size, n_params = facts
    layers, kv, vocab, hidden = SHAPES[model]
    live = lambda depth: 2 * layers * kv * (4 if args.kv == "f32" else 2) * (depth + args.gen / 2)
    if work.startswith("prefill"):
        # Of the last layer only keys and values are wanted of every token.
        needed = (n_params - vocab * hidden) * (1 - 1 / layers) + 2 * kv * hidden
        return machine.peak(precision) / (2 * needed)
    if work == "decode 8x32":
        one = machine.read(size + live(32)) / (size + live(32))
        return min(MANY * one, machine.peak(precision) / (2 * n_params))
    if work.startswith("decode"):
        moved = size + live(int(work.split()[1]))
        return machine.read(moved) / moved
    return None


def bound_of(work):
    return "latency" if work in LESS_IS_BETTER else "compute" if work.startswith("prefill") else "memory"


def of_tries(work):
    n = TRIES.get(int(work.split()[1]), 1) if work.startswith("prefill") else 1
    return f", best of {n}" if n > 1 else ""


def show(model, precision, work, values, limits, record):
    less = work in LESS_IS_BETTER
    best = min if less else max
    text = f"{model:8} {precision:5} {work:14}"
    ours = values.get("ours") or next(iter(values.values()))
    text += f" {best(ours):9.4g} {statistics.median(ours):9.4g}"
    for name, theirs in values.items():
        if theirs is ours:
            continue
        pairs = [b / a if less else a / b for a, b in zip(ours, theirs)]
        of_best = best(theirs) / best(ours) if less else best(ours) / best(theirs)
        text += f"   {name} {best(theirs):8.4g} {statistics.median(theirs):8.4g} ratio {of_best:5.2f} {statistics.median(pairs):5.2f}"
        record(f"serve/{model} {precision} {work}", bound_of(work), f"to {name}" + of_tries(work), pairs)
    parts = [100 * a / b for a, b in zip(ours, limits) if b]
    if len(parts) > len(ours) / 2:
        text += f"   {max(parts):5.1f} {statistics.median(parts):5.1f} % of limit"
        record(f"limit/{model} {precision} {work}", bound_of(work), "% of limit " + ("around" if work.startswith("prefill") else "then"), parts)
    print(text, flush=True)


def options():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument("tlaloc")
    p.add_argument("--models", default="smollm2,qwen3")
    p.add_argument("--precisions", default="bf16,q8_0,q4_0,q4_1,q4_k")
    p.add_argument("--works", default="", help="a regular expression of: " + ", ".join(WORKS))
    p.add_argument("--rounds", type=int, default=5)
    p.add_argument("--gen", type=int, default=64)
    p.add_argument("--compute", default="fast,exact")
    p.add_argument("--kv", default="bf16", choices=("f32", "bf16", "f16"))
    p.add_argument("--peers", default="llama.cpp")
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--json", action="store_true")
    return p.parse_args()


def main():
    args = options()
    llama = Llama(args)
    peers = args.peers.split(",")
    unknown = [n for n in peers if n != llama.name and n not in Worker.ALL]
    if unknown:
        sys.exit(f"compare.py: no peer {unknown[0]}; there are {', '.join([llama.name, *Worker.ALL])}")
    sides = [Ours(args, c) for c in args.compute.split(",")] + [llama if n == llama.name else Worker(args, n) for n in peers]
    machine, works = Machine(args), [w for w in WORKS if re.search(args.works, w) and (not PERTURBED or bound_of(w) == "compute")]
    phases = [p for p in ([w for w in works if bound_of(w) == "compute"], [w for w in works if bound_of(w) != "compute"]) if p]

    def record(row, bound, unit, values):
        if os.environ.get("BENCH_ROWS"):
            with open(os.environ["BENCH_ROWS"], "a", encoding="utf-8") as file:
                file.write(f"{row}\t{bound}\t{unit}\t{' '.join(f'{v:.5g}' for v in values)}\n")
        if args.json:
            print(json.dumps({"row": row, "unit": unit, "values": values}))
    print(f"load {os.getloadavg()[0]:.2f}, {args.threads} threads, {args.rounds} rounds, keys and values {args.kv}; tokens/s unless it says s or MiB; best, "
          "then median; ratios above 1: ours is better")
    for model in args.models.split(","):
        for precision in args.precisions.split(","):
            if not os.path.exists(f"{PEERS}/gguf/{model}-{precision}.gguf"):
                sys.exit(f"compare.py: no {PEERS}/gguf/{model}-{precision}.gguf; run bench/peers/setup.sh")
            values, limits = {w: {} for w in works}, {w: [] for w in works}
            for turn in range(args.rounds):
                agree = True
                machine.peaks = machine.look()
                for phase, side in [(p, s) for p in phases for s in sides[turn % len(sides):] + sides[:turn % len(sides)]]:  # nobody is always first
                    try:
                        measure = functools.partial(side.measure, model, precision, phase)
                        if side is sides[0] and bound_of(phase[0]) == "compute":
                            found, agree = machine.look_around(precision, measure)
                        else:
                            found = measure()
                        for work, value in found.items():
                            values[work].setdefault(side.name, []).append(value)
                    except RuntimeError as problem:
                        print(f"{model:8} {precision:5} {side.name}: {problem}", flush=True)
                if (model, precision) in llama.facts:
                    for work in works:
                        known = agree or bound_of(work) != "compute"
                        limits[work].append(limit(machine, llama.facts[model, precision], model, precision, work, args) if known else None)
            for work in works:
                complete = {s.name: values[work][s.name] for s in sides if len(values[work].get(s.name, [])) == args.rounds}
                if complete:
                    show(model, precision, work, complete, limits[work], record)
    for side in sides:
        if isinstance(side, Worker):
            side.stop()


if __name__ == "__main__":
    main()
