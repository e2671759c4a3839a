#!/usr/bin/env python3
"""A peer of bench/ad/compare.py: peers.py jax|torch DIR. Answers a line `NAME objective|gradient SECONDS` with the best and
the median time of a call in seconds and the error of what it computed, over its largest entry, against what is recorded
in DIR/NAME.txt (tests/oracle/ad_objectives.py --measure), whose arguments it reads. JAX compiles; PyTorch is eager, as
one writes it there, with torch.func for the Jacobian of every observation."""
import os, statistics, sys, time
import numpy as np
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "oracle"))


def recorded(folder, name):
    """The arguments, and of each check its chain and results."""
    def array(line):
        _, _, _, dims, data = line.split()
        return np.frombuffer(bytes.fromhex(data)).reshape([int(d) for d in dims.split("x")] if dims != "-" else []).copy()
    ins, checks = [], {}
    with open(os.path.join(folder, name + ".txt"), encoding="utf-8") as file:
        for text in file:
            if text.startswith("// in "):
                ins.append(array(text))
            elif text.startswith("// do "):
                _, _, what, chain = text.split()
                checks[what] = (chain, [])
            elif text.startswith("// out "):
                checks[what][1].append(array(text))
    return ins, checks


def timed(call, seconds):
    call()
    times, start = [], time.perf_counter()
    while len(times) < 3 or time.perf_counter() - start < seconds:
        a = time.perf_counter()
        call()
        times.append(time.perf_counter() - a)
    return min(times), statistics.median(times)


# Both give a function of (name, what, arguments, chain): a call that computes the check's results.

def with_jax():
    import jax
    from jax_ad import Fn
    from jax_programs import PROGRAMS

    def call(name, what, x, chain):
        fn = PROGRAMS[name][0]
        run = jax.jit(Fn(lambda *a: [fn(*a)], len(x), 1).chain(chain).call)
        x = [jax.numpy.asarray(v) for v in x]
        return lambda: jax.block_until_ready(run(*x))
    return call


def with_torch():
    import torch
    from torch_programs import PROGRAMS

    def call(name, what, x, chain):
        fn, n_wrt = PROGRAMS[name]
        x = [torch.from_numpy(v) for v in x]
        if name == "ba":  # of every observation
            f = torch.func.vmap(fn if what == "objective" else torch.func.jacfwd(fn))
            return lambda: [f(*x)]
        x = [v.requires_grad_(i < n_wrt and what == "gradient") for i, v in enumerate(x)]

        def value():
            with torch.no_grad():
                return [fn(*x)]

        def gradient():
            y = fn(*x)
            return [y.detach(), *torch.autograd.grad(y, x[:n_wrt])]
        return value if what == "objective" else gradient
    return call


def error(got, want):
    def of(g, w):
        return np.abs(np.asarray(g) - w).max() / (np.abs(w).max() or 1)
    return max(of(g, w) for g, w in zip(got, want, strict=True))


def main():
    call_of, ready, folder = with_jax() if sys.argv[1] == "jax" else with_torch(), {}, sys.argv[2]
    for request in sys.stdin:
        name, what, seconds = request.split()
        if (name, what) not in ready:
            x, checks = recorded(folder, name)
            chain, want = checks[what]
            call = call_of(name, what, x, chain)
            ready[name, what] = call, error(call(), want)
        call, wrong = ready[name, what]
        print("%.9g %.9g" % timed(call, float(seconds)), "%.3g" % wrong, flush=True)


if __name__ == "__main__":
    main()
