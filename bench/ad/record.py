#!/usr/bin/env python3
"""Writes DIR/NAME.txt for every program of tests/oracle/jax_programs.py at its size for measurements: the function as JAX
lowers it, arguments, JAX's value and JAX's gradient (of ba: the Jacobian of every observation), in the form of jax_ad.py.

    record.py DIR [NAME ...]
"""
import os, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "oracle"))
import jax
import jax.numpy as jnp
import numpy as np
from jax_ad import Fn
from jax_functions import line
from jax_programs import PROGRAMS

OBSERVATIONS = 31843  # ADBench's second BA problem


def arguments(name, large):
    """Of ba one observation, then all of them; of the others the same twice."""
    rng = np.random.default_rng(1)
    x = [np.asarray(v, np.float64) for v in large(rng)]
    if name != "ba":
        return x, x
    return x, [np.stack(v) for v in zip(*(large(rng) for _ in range(OBSERVATIONS)))]


def chains(name, wrt):
    numbers = ",".join(map(str, wrt))
    return ("vmap:0,0", f"jacfwd:{numbers}>vmap:0,0") if name == "ba" else ("-", f"grad:{numbers}:value")


def main(argv):
    os.makedirs(argv[0], exist_ok=True)
    for name, (fn, wrt, _, large) in PROGRAMS.items():
        if argv[1:] and name not in argv[1:]:
            continue
        one, x = arguments(name, large)
        f = Fn(lambda *a, fn=fn: [fn(*a)], len(one), 1)
        lowered = jax.jit(f.call, keep_unused=True).lower(*one)
        with open(os.path.join(argv[0], name + ".txt"), "w", encoding="utf-8") as file:
            file.write(f"// jax {jax.__version__} numpy {np.__version__} seed 1\n// case {name} program\n")
            for what, chain in zip(("objective", "gradient"), chains(name, wrt)):
                results = jax.jit(f.chain(chain).call)(*[jnp.asarray(v) for v in x])
                file.write(f"// do {what} {chain}\n" + "".join(line("in", v) for v in x) + "".join(line("out", r) for r in results))
            file.write(lowered.as_text())


if __name__ == "__main__":
    main(sys.argv[1:])
