#!/usr/bin/env python3
"""Writes what JAX computes of the objectives of examples/objectives (jax_programs.py has them for JAX), at f64 on the CPU.

    ad_objectives.py OUT [NAME ...]     then, for tests/adbench: xz -9e OUT
    ad_objectives.py --measure DIR [NAME ...]

A case is arguments, then checks: CHAIN says which transforms are applied to the objective (jax_ad.py), and what is read
beside the case's arguments follows it.

    // case gmm small
    // in f64 3x4 <hex of the elements, little endian>
    // do gradient grad:0,1,2:value
    // out f64 3x4 <hex>
    // do hvp hvp:0,1,2
    // in f64 3x4 <hex>
    // out ...

There are two cases of each: `small`, with a hessian, and `real`, of the sizes of ADBench's and the literature's smaller
problems. --measure writes one of each, DIR/NAME.txt, at the sizes for bench/ad, with the checks `objective` and `gradient`.
"""
import os, sys
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import jax
import jax.numpy as jnp
import numpy as np
from jax_ad import Fn
from jax_functions import line
from jax_programs import PROGRAMS, bgd_args, gmm_args

SEED = 1
OBSERVATIONS = 31843  # of ADBench's second BA problem
# A part of the measured size, where all of it is data that does not compress.
REAL = {"gmm": gmm_args(100, 10, 25), "bgd_hyper_opt": bgd_args(64, 16)}


def observations(draw, rng, n, at_rest):
    """n draws of ba's arguments; the first at_rest cameras are not turned."""
    v, feature = (np.stack(a) for a in zip(*(draw(rng) for _ in range(n))))
    v[:at_rest, :3] = 0
    return [v, feature]


def cases(name, measure):
    """(label, arguments, [(check, chain, more arguments)])"""
    fn, wrt, small, large = PROGRAMS[name]
    w = ",".join(map(str, wrt))
    rng = np.random.default_rng(SEED)

    def args(draw):
        return [np.asarray(v, np.float64) for v in draw(rng)]
    if name == "ba":
        if measure:
            yield "measure", observations(large, rng, OBSERVATIONS, 0), [("objective", "vmap:0,0", []),
                                                                         ("gradient", "jacfwd:0>vmap:0,0", [])]
            return
        yield "small", args(small), [("value", "-", []), ("jacobian_forward", "jacfwd:0", []), ("jacobian_reverse", "jacrev:0", []),
                                     ("second", "jacfwd:0>jacfwd:0", []), ("second_reverse", "jacrev:0>jacfwd:0", [])]
        yield "real", observations(large, rng, 100, 2), [("value", "vmap:0,0", []), ("jacobian_forward", "jacfwd:0>vmap:0,0", []),
                                                         ("jacobian_reverse", "jacrev:0>vmap:0,0", [])]
        return
    if measure:
        yield "measure", args(large), [("objective", "-", []), ("gradient", f"grad:{w}:value", [])]
        return
    first = [("value", "-", []), ("gradient", f"grad:{w}:value", [])]
    for label, draw in ("small", small), ("real", REAL.get(name, large)):
        x = args(draw)
        along = [rng.normal(size=x[i].shape) for i in wrt]
        yield label, x, first + [("jvp", f"jvp:{w}:value", along), ("hvp", f"hvp:{w}", along)] + (
            [("hessian", f"hessian:{w}", [])] if label == "small" else [])


def record(file, name, measure):
    fn = PROGRAMS[name][0]
    for label, x, checks in cases(name, measure):
        f = Fn(lambda *a: [fn(*a)], len(x), 1)
        file.write(f"// case {name} {label}\n" + "".join(line("in", v) for v in x))
        for what, chain, more in checks:
            results = jax.jit(f.chain(chain).call)(*[jnp.asarray(v) for v in x + more])
            file.write(f"// do {what} {chain}\n" + "".join(line("in", v) for v in more) + "".join(line("out", r) for r in results))
        file.write("// -----\n")


def main(argv):
    measure = argv[:1] == ["--measure"]
    out, *names = argv[measure:]
    head = f"// jax {jax.__version__} numpy {np.__version__} seed {SEED}\n"
    if measure:
        for name in names or PROGRAMS:
            with open(os.path.join(out, name + ".txt"), "w", encoding="utf-8") as file:
                file.write(head)
                record(file, name, True)
        return
    with open(out, "w", encoding="utf-8") as file:
        file.write(head)
        for name in names or PROGRAMS:
            record(file, name, False)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1:])
