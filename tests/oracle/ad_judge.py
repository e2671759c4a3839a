"""Who is right where derivatives of JAX and ours differ, or come near the tolerance: mpmath decides.

    python tests/oracle/ad_judge.py BUILD/bin/tlaloc [--check]

Each row is a function of scalars with the points at which to differentiate it, what it is mathematically (in mpmath, of
60 digits), and which derivatives are asked for. Ours are those of the text to which JAX lowers the function (`tlaloc jvp`,
once for each order, run by the interpreter), JAX's are its own. tests/jax/ad_judged.txt gets a line a derivative: the
truth, how far either is from it, of the greater of 1 and the truth, and who is wrong by more than TOLERANCE. --check writes
nothing and fails where the verdicts are others. Without jax and mpmath: a skip (77).
"""
import os, subprocess, sys, tempfile

try:
    import jax
    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp
    import mpmath as mp
    import numpy as np
    from jax import nn
    from jax.scipy import special
except ImportError as problem:
    print(f"skipped: {problem}")
    sys.exit(77)

mp.mp.dps = 60
TOLERANCE = 1e-10
OUT = os.path.normpath(os.path.join(os.path.dirname(__file__), "..", "jax", "ad_judged.txt"))


def at_infinity(value):
    """The derivative there is the limit, which is what `value` says; elsewhere it is differentiated."""
    return lambda f, x, by: value if any(mp.isinf(v) for v in x) else differentiated(f, x, by)


def differentiated(f, x, by):
    orders = tuple(by.count(i) for i in range(len(x)))
    return mp.diff(f, tuple(x), orders) if len(x) > 1 else mp.diff(f, x[0], len(by))


def log_sigmoid(x):
    return -mp.log1p(mp.exp(-x))


def kl_div(x, y):
    return x * mp.log(x / y) - x + y


def igamma(a, x):
    return mp.gammainc(a, 0, x, regularized=True)


def i1e(x):
    return mp.exp(-abs(x)) * mp.besseli(1, x)


# name, function of JAX, truth, points, derivatives as lists of arguments, how the truth is differentiated, remark
ROWS = [
    ("nn.log_sigmoid", nn.log_sigmoid, log_sigmoid, [(0.0,), (-1.5,), (40.0,)], [[0]], None,
     ""),
    ("kink.logaddexp_equal", lambda x, y: jnp.maximum(x, y) + jnp.log1p(jnp.exp(-jnp.abs(x - y))), lambda x, y: mp.log(mp.exp(x) + mp.exp(y)), [(1.5, 1.5), (0.5, -2.0)], [[0], [1]], None,
     "JAX takes max and |x - y| at their kinks one by one"),
    ("special.kl_div", special.kl_div, kl_div, [(0.3477, 1.578), (2.5, 2.25), (3.0625, 3.0)], [[0], [1]], None, ""),
    ("inf.sigmoid", jax.nn.sigmoid, lambda x: 1 / (1 + mp.exp(-x)), [(-np.inf,), (np.inf,), (-800.0,), (0.5,)],
     [[0], [0, 0]], at_infinity(mp.mpf(0)), ""),
    ("inf.erf", special.erf, mp.erf, [(-np.inf,), (np.inf,), (0.5,), (5.5,)], [[0], [0, 0]], at_infinity(mp.mpf(0)), ""),
    ("kink.pow_zero_exponent", lambda x, y: x ** y, lambda x, y: x ** y, [(2.0, 0.0), (3.0, 2.0)], [[0], [1], [0, 1], [1, 1]],
     None, ""),
    ("special.zeta", special.zeta, lambda s, q: mp.zeta(s, q), [(2.5, 1.5), (3.0, 0.75)], [[1], [0]], None,
     ""),
    ("special.digamma", special.digamma, mp.digamma, [(0.25,), (-3.75,), (14.5,)], [[0], [0, 0]], None, ""),
    ("special.lgamma", special.gammaln, lambda x: mp.log(abs(mp.gamma(x))), [(0.25,), (-3.75,), (50.0,)], [[0], [0, 0]], None, ""),
    ("special.polygamma", lambda x: special.polygamma(3, x), lambda x: mp.psi(3, x), [(0.75,), (6.5,)], [[0], [0, 0]], None, ""),
    ("special.erfinv", special.erfinv, mp.erfinv, [(0.5,), (-0.96875,), (0.99999,)], [[0], [0, 0]], None, ""),
    ("special.i1e", special.i1e, i1e, [(0.25,), (4.0,), (60.0,)], [[0], [0, 0]], None, ""),
    ("special.i0e", special.i0e, lambda x: mp.exp(-abs(x)) * mp.besseli(0, x), [(0.25,), (4.0,), (60.0,)], [[0]], None, ""),
    ("special.gammainc", special.gammainc, igamma, [(1.5, 2.0), (4.0, 0.5)], [[1], [1, 1]], None, ""),
    ("special.betaln", special.betaln, lambda a, b: mp.log(mp.beta(a, b)), [(1.5, 2.5), (0.25, 8.0)], [[0], [1], [0, 1]], None,
     "from 8 on the text is a series for its value, whose derivative is 2e-7 off"),
    ("special.ndtri", special.ndtri, lambda p: mp.sqrt(2) * mp.erfinv(2 * p - 1), [(0.25,), (0.9375,)], [[0]], None, ""),
    ("special.logit", special.logit, lambda p: mp.log(p / (1 - p)), [(0.25,), (0.999,)], [[0], [0, 0]], None, ""),
    ("special.xlogy", special.xlogy, lambda x, y: x * mp.log(y), [(1.5, 0.25)], [[0], [1], [0, 1]], None, ""),
    ("nn.softplus", nn.softplus, lambda x: mp.log1p(mp.exp(x)), [(0.0,), (-2.0,), (30.0,)], [[0], [0, 0]], None, ""),
]


def jax_derivative(f, x, by):
    for i in by:
        f = jax.jacfwd(f, argnums=i)
    return float(f(*map(jnp.float64, x)))


def our_derivative(program, f, x, by, folder):
    """The text, jvp by jvp; each adds a tangent of 1."""
    text = jax.jit(lambda *a: (jnp.asarray(f(*a)),)).lower(*map(jnp.float64, x)).as_text()
    for i in by:
        made = subprocess.run([program, "jvp", "-", "--wrt", str(i)], input=text, capture_output=True, text=True)
        if made.returncode:
            return None, made.stderr.strip().splitlines()[0]
        text = made.stdout
    files = []
    for k, v in enumerate([*x, *[1.0] * len(by)]):
        files.append(os.path.join(folder, f"{k}.npy"))
        np.save(files[-1], np.float64(v))
    with open(os.path.join(folder, "m.mlir"), "w", encoding="utf-8") as file:
        file.write(text)
    result = os.path.join(folder, "out.npy")
    subprocess.run([program, "run", file.name, "--device", "ref", "-o", result, *[w for f in files for w in ("--input", f)]],
                   check=True, capture_output=True)
    return float(np.load(result)), None


def off(got, truth):
    if got is None or np.isnan(got):
        return float("inf")
    return float(abs(mp.mpf(got) - truth) / max(1, abs(truth)))


def judged(program):
    yield f"# mpmath {mp.__version__} ({mp.mp.dps} digits) jax {jax.__version__}: tests/oracle/ad_judge.py"
    yield "# FUNCTION (point) by arguments: truth; who is wrong by more than 1e-10"
    with tempfile.TemporaryDirectory() as folder:
        for name, f, truth_of, points, orders, how, remark in ROWS:
            if remark:
                yield f"# {name}: {remark}"
            for x in points:
                for by in orders:
                    exact = [mp.mpf(v) for v in x]
                    truth = (how or differentiated)(truth_of, exact, by)
                    theirs = jax_derivative(f, x, by)
                    ours, refused = our_derivative(program, f, x, by, folder)
                    wrong = [who for who, v in (("JAX", theirs), ("we", ours)) if off(v, truth) > TOLERANCE]
                    if refused:
                        wrong[wrong.index("we")] = "we refuse"
                    verdict = ", ".join(wrong) if wrong else "nobody"
                    yield (f"{name} ({', '.join(f'{v:g}' for v in x)}) by {','.join(map(str, by))}: "
                           f"{mp.nstr(truth, 17)}; {verdict}")


def main(argv):
    if not argv:
        print(__doc__)
        return 2
    lines = list(judged(argv[0]))
    if "--check" not in argv:
        with open(OUT, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        print(f"{sum(not line.startswith('#') for line in lines)} derivatives judged: {OUT}")
        return 0
    with open(OUT, encoding="utf-8") as file:
        wanted = file.read().splitlines()
    differ = [(a, b) for a, b in zip(wanted[1:], lines[1:]) if a != b]
    for a, b in differ:
        print(f"recorded {a}\nnow      {b}")
    return int(bool(differ) or len(wanted) != len(lines))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
