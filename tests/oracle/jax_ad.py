#!/usr/bin/env python3
"""Writes tests/jax/ad.txt and ad.list: functions as JAX lowers them, with what JAX's transforms of them compute on the
CPU at f64.

    jax_ad.py OUT LIST [NAME ...]      then: xz -9e OUT

The functions are those of jax_functions.py that read floats, and jax_ad_cases.py's. A case is

    // case NAME CLASS
    // do CHECK CHAIN
    // in f64 3x4 <hex of the elements, little endian>
    // out f64 3x4 <hex>
    // do …
    module …
    // -----

CHAIN says which transforms were applied to the function, from the first to the last, with > between them: `-` for none,
`vjp:0,2`, `grad:0:value`, `vmap:0,none,-1>jvp:0`. A transform has the arguments and results of src/ad/ad.h: `Fn` below
is the same interface over JAX. The third part is `value` or `aux` (all results but the first), and of vmap the axis of
the results. CHECK names the check in lists of exceptions.

What JAX refuses (the reverse of a while loop) is checked against the oracle of the case, another way to write the same
function; without one the check is left out, and printed.
"""
import os, sys, zlib
import jax
jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
import numpy as np

from jax_functions import CASES as FUNCTIONS, SHAPES, arg, line

SMALL = 8  # elements, of a function whose whole jacobian or hessian is recorded
BATCH = 3


def is_float(x):
    return jnp.issubdtype(jnp.result_type(x), jnp.inexact)


class Fn:
    """A function of n arrays to a list of r, and its transforms with the interface of src/ad/ad.h."""

    def __init__(self, call, n, r):
        self.call, self.n, self.r = call, n, r

    def over(self, wrt, x):
        """The floats among wrt, and the function of them to the float results, all of them as the rest."""
        floats = [i for i in wrt if is_float(x[i])]

        def of(*w):
            full = list(x)
            for i, v in zip(floats, w):
                full[i] = v
            y = self.call(*full)
            return [v for v in y if is_float(v)], y
        return floats, of

    def jvp(self, wrt, value=False):
        def call(*a):
            x, t = a[:self.n], dict(zip(wrt, a[self.n:]))
            floats, of = self.over(wrt, x)
            if not floats:
                y = self.call(*x)
                return (y if value else []) + [jnp.zeros_like(v) for v in y]
            _, dy, y = jax.jvp(of, [x[i] for i in floats], [t[i] for i in floats], has_aux=True)
            dy = iter(dy)
            return (y if value else []) + [next(dy) if is_float(v) else jnp.zeros_like(v) for v in y]
        return Fn(call, self.n + len(wrt), self.r * (1 + value))

    def vjp(self, wrt, value=False):
        def call(*a):
            x, ct = a[:self.n], a[self.n:]
            floats, of = self.over(wrt, x)
            _, back, y = jax.vjp(of, *[x[i] for i in floats], has_aux=True)
            got = dict(zip(floats, back([c for c, v in zip(ct, y) if is_float(v)])))
            return (y if value else []) + [got[i] if i in got else jnp.zeros_like(x[i]) for i in wrt]
        return Fn(call, self.n + self.r, len(wrt) + self.r * value)

    def grad(self, wrt, value=False, aux=False):
        assert value or aux or self.r == 1

        def call(*x):
            floats, of = self.over(wrt, x)
            y0, back, y = jax.vjp(lambda *w: (lambda f, y: (f[0], y))(*of(*w)), *[x[i] for i in floats], has_aux=True)
            got = dict(zip(floats, back(jnp.ones_like(y0))))
            g = [got[i] if i in got else jnp.zeros_like(x[i]) for i in wrt]
            return y[:1] + y[1:] + g if value else g + y[1:]
        return Fn(call, self.n, len(wrt) + self.r - (not value))

    def jacobian(self, wrt, reverse):
        def call(*x):
            jac = (jax.jacrev if reverse else jax.jacfwd)(self.call, argnums=tuple(wrt))(*x)
            return [j for of_y in jac for j in of_y]
        return Fn(call, self.n, self.r * len(wrt))

    def hessian(self, wrt):
        def call(*x):
            h = jax.hessian(lambda *x: self.call(*x)[0], argnums=tuple(wrt))(*x)
            return [v for row in h for v in row]
        return Fn(call, self.n, len(wrt) ** 2)

    def hvp(self, wrt):
        return self.grad(wrt).jvp(wrt)

    def vmap(self, axes, out_axis=0):
        def call(*x):
            size = next(v.shape[a] for v, a in zip(x, axes) if a is not None)
            return jax.vmap(self.call, axes, out_axis, axis_size=size)(*x)
        return Fn(call, self.n, self.r)

    def chain(self, text):
        f = self
        for step in text.split(">") if text != "-" else ():
            what, numbers, *third = step.split(":")
            numbers = [None if v == "none" else int(v) for v in numbers.split(",")]
            if what == "vmap":
                f = f.vmap(numbers, *map(int, third))
            elif what in ("jacfwd", "jacrev"):
                f = f.jacobian(numbers, what == "jacrev")
            else:
                f = getattr(f, what)(numbers, **{v: True for v in third})
        return f


class Case:
    """fn of arguments that `args` draw from a generator; `oracle` stands in for fn where JAX cannot transform it; `wrt`
    are the arguments to differentiate by (the floats); `only` and `but` choose among the checks."""

    def __init__(self, name, family, fn, args, oracle=None, wrt=None, only=None, but="", batch=True):
        self.name, self.family, self.fn, self.args, self.oracle = name, family, fn, args, oracle
        self.wrt, self.only, self.but, self.batch = wrt, only, but.split(), batch


def drawn(kind, shape, dtype):
    return lambda rng: arg(kind, shape, np.dtype(dtype), rng)


def cases():
    """jax_functions.py's at f64 and a small shape, then jax_ad_cases.py's."""
    for name, family, fn, kinds, dtypes, shapes in FUNCTIONS:
        if dtypes[0] != "float32" or name.endswith("_f64"):
            continue
        shape = (2, 4) if shapes is SHAPES else shapes[0]
        if name.startswith("random.") or name == "linalg.tensorinv":  # the latter's derivative is 0, and rounding
            continue
        yield Case(name, family, fn, [drawn(k, shape, "float64") for k in kinds])
    from jax_ad_cases import CASES
    yield from CASES


def small(values):
    return sum(np.size(v) for v in values) <= SMALL


def checks(case, f, x, y, rng):
    """(name, chain, arguments) of every check of a case."""
    wrt = [i for i, v in enumerate(x) if is_float(v)] if case.wrt is None else case.wrt
    w = ",".join(map(str, wrt))
    # As many draws of every argument as examples.
    xs = [np.stack([draw(rng) for _ in range(BATCH)]) for draw in case.args] if case.batch else []
    zero = ",".join("0" * f.n)

    def like(values, batch=()):
        def one(shape, dtype):
            if not is_float(np.empty(0, dtype)):
                return np.zeros(shape, dtype)
            x = arg("any", shape, dtype, rng)
            return x + 1j * arg("any", shape, dtype, rng) if dtype.kind == "c" else x
        return [one((*batch, *np.shape(v)), np.result_type(v)) for v in values]

    def mixed():
        axes = [-1 if i == 0 else None if i % 2 else 0 for i in range(f.n)]
        return ("vmap:" + ",".join("none" if a is None else str(a) for a in axes) + ":-1",
                [np.moveaxis(v, 0, -1) if a == -1 else v if a == 0 else u for a, u, v in zip(axes, x, xs)])

    yield "value", "-", x
    if case.batch:
        yield "vmap", f"vmap:{zero}", xs
        yield ("vmap_axes", *mixed())
    if not wrt or not any(is_float(v) for v in y):
        return
    at = [x[i] for i in wrt]
    scalar = np.ndim(y[0]) == 0 and np.result_type(y[0]).kind == "f"
    yield "jvp", f"jvp:{w}", x + like(at)
    if scalar:
        yield "grad", f"grad:{w}:value", x
    if not scalar or len(y) > 1:
        yield "vjp", f"vjp:{w}:value", x + like(y)
    if scalar and len(y) == 1:
        if small(at):
            yield "hessian", f"hessian:{w}", x
        yield "hvp", f"hvp:{w}", x + like(at)
        yield "grad_grad", f"grad:{w}>vjp:{w}", x + like(at)
    else:
        ct = like(y)
        yield "vjp_jvp", f"vjp:{w}>jvp:{w}", x + ct + like(at)
        if small(x):
            yield "vjp_vjp", f"vjp:{w}>vjp:{w}", x + ct + like(at)
        if small(at) and small(y) and all(np.result_type(v).kind == "f" for v in [*y, *at]):
            yield "jacfwd", f"jacfwd:{w}", x
            yield "jacrev", f"jacrev:{w}", x
    if not case.batch:
        return
    ones = ",".join("0" * (f.n + f.r))
    ct = like(y, (BATCH,))
    yield "vmap_vjp", f"vmap:{zero}>vjp:{w}", xs + ct
    if zlib.crc32(case.name.encode()) & 1:
        yield "vjp_vmap", f"vjp:{w}>vmap:{ones}", xs + ct
    else:
        yield "vmap_jvp", f"vmap:{zero}>jvp:{w}", xs + like(at, (BATCH,))


def record(case, file):
    """Writes a case; the names of its checks."""
    rng = np.random.default_rng(zlib.crc32(case.name.encode()))

    def flat(fn):
        return lambda *a: [jnp.asarray(r) for r in jax.tree.leaves(fn(*a))]
    x = [draw(rng) for draw in case.args]
    lowered = jax.jit(flat(case.fn), keep_unused=True).lower(*x)
    y = [np.asarray(v) for v in lowered.compile()(*x)]
    f = Fn(flat(case.fn), len(x), len(y))
    other = Fn(flat(case.oracle), len(x), len(y)) if case.oracle else f
    done = []
    text = f"// case {case.name} {case.family}\n"
    for name, chain, args in checks(case, f, x, y, rng):
        if (case.only and name not in case.only.split()) or name in case.but:
            continue
        reverse = any(s.split(":")[0] not in ("vmap", "jvp", "-") for s in chain.split(">"))
        try:
            results = (other if reverse else f).chain(chain).call(*[jnp.asarray(a) for a in args])
        except Exception as problem:
            print(f"{case.name} {name}: left out: {type(problem).__name__}: {str(problem).splitlines()[0][:120]}", flush=True)
            continue
        text += f"// do {name} {chain}\n" + "".join(line("in", a) for a in args) + "".join(line("out", r) for r in results)
        done.append(name)
    file.write(text + lowered.as_text().rstrip("\n") + "\n// -----\n")
    return done


def main(argv):
    if len(argv) < 2:
        print(__doc__)
        return 2
    names, total = [], 0
    with open(argv[0], "w", encoding="utf-8") as file, open(argv[1], "w", encoding="utf-8") as names_file:
        file.write(f"// jax {jax.__version__} numpy {np.__version__} seed crc32(name)\n")
        for case in cases():
            if argv[2:] and case.name not in argv[2:]:
                continue
            assert case.name not in names, case.name
            done = record(case, file)
            names.append(case.name)
            names_file.write(f"{case.name} {case.family}: {' '.join(done)}\n")
            total += len(done)
    print(f"{len(names)} functions, {total} checks")
    return 0


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    sys.exit(main(sys.argv[1:]))
