#!/usr/bin/env python3
"""Writes src/ir/special_tables.def: the coefficients of src/ir/special.inc.

    special_fit.py            writes the file and prints each table's greatest relative error
    special_fit.py --check    fails when the file is not what this would write

Every polynomial interpolates its function at Chebyshev's points in 60 digits, is then written in powers of
(argument - centre) and rounded to f64. The error printed is that of the rounded polynomial, in exact arithmetic,
relative to the whole function that it serves.
"""
import sys
from pathlib import Path
from mpmath import mp, mpf
import mpmath as M
import polynomials

mp.dps = 60
HERE = Path(__file__).resolve().parent
OUT = HERE.parent.parent / "src" / "ir" / "special_tables.def"


def chebyshev_fit(f, lo, hi, n, centre):
    """n coefficients, of (x - centre)^0 first."""
    lo, hi = mpf(lo), mpf(hi)
    mid, half = (lo + hi) / 2, (hi - lo) / 2
    nodes = [M.cos(M.pi * (2 * k + 1) / (2 * n)) for k in range(n)]
    values = [f(mid + half * t) for t in nodes]
    cheb = []
    for j in range(n):
        s = sum(v * M.cos(j * M.pi * (2 * k + 1) / (2 * n)) for k, v in enumerate(values))
        cheb.append(s * (1 if j == 0 else 2) / n)
    # to powers of t
    prev, cur = [mpf(1)], [mpf(0), mpf(1)]
    power = [mpf(0)] * n
    for j in range(n):
        t = prev if j == 0 else cur
        if j >= 2:
            nxt = [mpf(0)] + [2 * c for c in cur]
            for i, c in enumerate(prev):
                nxt[i] -= c
            prev, cur = cur, nxt
            t = cur
        for i, c in enumerate(t):
            power[i] += cheb[j] * c
    # t = (x - mid)/half = (v + centre - mid)/half
    shift, out = (mpf(centre) - mid) / half, [mpf(0)] * n
    for i, c in enumerate(power):
        for k in range(i + 1):
            out[k] += c * M.binomial(i, k) * shift ** (i - k) / half**k
    return out


def hexes(coefficients):
    return [float(c).hex() for c in coefficients]


def fit(name, comment, f, lo, hi, n, centre=0, weight=None):
    c = chebyshev_fit(f, lo, hi, n, centre)
    doubles = [mpf(float(x)) for x in c]
    worst = mpf(0)
    for k in range(401):
        x = mpf(lo) + (mpf(hi) - mpf(lo)) * k / 400
        want = f(x)
        got = M.polyval(doubles[::-1], x - centre)
        scale = abs(want) if weight is None else abs(weight(x))
        worst = max(worst, abs(got - want) / scale)
    print(f"{name:16} {n:3} coefficients, error {float(worst / mpf(2) ** -53):7.3f} ulp", file=sys.stderr)
    return name, comment, hexes(c)


def constants(name, comment, values):
    return name, comment, hexes(values)


def erfcx(a):
    return M.exp(a * a) * M.erfc(a)


K = mpf("3.75")


def erfc_of_t(t):
    if t == 1:
        return 2 / M.sqrt(M.pi)
    a = K * (1 + t) / (1 - t)
    if a > 60:
        # asymptotic series: exp and erfc would leave the range of nothing, but slowly
        s, term, k = mpf(0), mpf(1), 0
        while k < 40:
            s += term
            k += 1
            term *= -(2 * k - 1) / (2 * a * a)
        return (1 + 2 * a) * s / (a * M.sqrt(M.pi))
    return (1 + 2 * a) * erfcx(a)


def erfinv_over_y_of_w(w):  # w = -log(1 - y^2)
    if w == 0:
        return M.sqrt(M.pi) / 2
    y = M.sqrt(-M.expm1(-w))
    x = M.erfinv(y) if w < 2 else erfinv_tail(w)
    return x / y


def erfinv_tail(w):
    # 1 - y from w, without cancellation
    one_minus_y = M.exp(-w) / (1 + M.sqrt(-M.expm1(-w)))
    x = M.sqrt(w)
    for _ in range(100):
        # Newton on log erfc
        g = M.erfc(x)
        step = (M.log(g) - M.log(one_minus_y)) / (2 * M.exp(-x * x) / M.sqrt(M.pi) / g)
        x += step
        if abs(step) < mpf(10) ** -55:
            break
    return x


X0 = M.findroot(M.digamma, mpf("1.4616321449683623412626595423257213284681962040064"))


def i1e(a):
    return M.exp(-a) * M.besseli(1, a)


def tables():
    yield fit("ERF", "erf(x)/x - 1 in x^2, |x| < 1", lambda u: M.erf(M.sqrt(u)) / M.sqrt(u) - 1 if u > 0 else
              2 / M.sqrt(M.pi) - 1, 0, 1, 13, weight=lambda u: M.erf(M.sqrt(u)) / M.sqrt(u) if u > 0 else mpf(1))
    yield fit("ERFC", "(1 + 2a) exp(a^2) erfc(a) in t = (a - 3.75)/(a + 3.75), a >= 0.5", erfc_of_t,
              (mpf("0.5") - K) / (mpf("0.5") + K), 1, 24)
    yield fit("ERF_INV_0", "erf_inv(y)/y in w - 3.125, w = -log(1 - y^2) <= 6.25", erfinv_over_y_of_w, 0, 6.25, 25, 3.125)
    yield fit("ERF_INV_1", "erf_inv(y)/y in sqrt(w) - 3.25, 6.25 < w <= 16", lambda s: erfinv_over_y_of_w(s * s), 2.5, 4, 21, 3.25)
    yield fit("ERF_INV_2", "erf_inv(y)/y in sqrt(w) - 5.0625, 16 < w <= 37.5", lambda s: erfinv_over_y_of_w(s * s), 4, 6.125, 20, 5.0625)
    yield fit("LGAMMA_A", "lgamma(z)/(z - 1) in z - 1, 0.7 <= z < 1.3",
              lambda z: M.loggamma(z) / (z - 1) if z != 1 else -M.euler, 0.7, 1.3, 21, 1)
    yield fit("LGAMMA_B", "lgamma(z) in z - 1.5, 1.3 <= z < 1.7", M.loggamma, 1.3, 1.7, 15, 1.5)
    yield fit("LGAMMA_C", "lgamma(z)/(z - 2) in z - 2.125, 1.7 <= z < 2.6",
              lambda z: M.loggamma(z) / (z - 2) if z != 2 else 1 - M.euler, 1.7, 2.6, 17, 2.125)
    yield constants("STIRLING", "B(2k)/(2k (2k-1)): lgamma(z) - ((z - 1/2) log z - z + log(2 pi)/2), times z, in 1/z^2",
                    [M.bernoulli(2 * k) / (2 * k * (2 * k - 1)) for k in range(1, 11)])
    yield fit("DIGAMMA", "digamma(z)/(z - z0) in z - 1.5, 1 <= z <= 2, z0 its zero",
              lambda z: M.digamma(z) / (z - X0) if abs(z - X0) > mpf(10) ** -30 else M.psi(1, z), 1, 2, 23, 1.5)
    hi = mpf(float(X0))
    yield constants("DIGAMMA_ZERO", "z0 in two parts", [hi, X0 - hi])
    yield constants("DIGAMMA_TAIL", "B(2k)/(2k): log z - 1/(2z) - digamma(z), times z^2, in 1/z^2",
                    [M.bernoulli(2 * k) / (2 * k) for k in range(1, 11)])
    yield constants("TRIGAMMA_TAIL", "B(2k): trigamma(z) - 1/z - 1/(2 z^2), times z^3, in 1/z^2",
                    [M.bernoulli(2 * k) for k in range(1, 11)])
    yield constants("ZETA_TAIL", "B(2k)/(2k)!: Euler and Maclaurin's sum",
                    [M.bernoulli(2 * k) / M.factorial(2 * k) for k in range(1, 13)])
    yield fit("BESSEL_I1E_0", "exp(-a) I1(a)/a in a - 2, a <= 4", lambda a: i1e(a) / a if a > 0 else mpf(1) / 2, 0, 4, 24, 2)
    yield fit("BESSEL_I1E_1", "exp(-a) I1(a)/a in a - 7, 4 < a <= 10", lambda a: i1e(a) / a, 4, 10, 24, 7)
    yield fit("BESSEL_I1E_2", "exp(-a) I1(a) sqrt(a) in 1/a - 0.05, a > 10",
              lambda t: i1e(1 / t) / M.sqrt(t) if t > 0 else 1 / M.sqrt(2 * M.pi), 0, 0.1, 20, 0.05)
    yield constants("FACTORIAL", "n!/c^(n+1), c = 1, 2, 4, 8, 16, 32 from n = 0, 4, 8, 16, 32, 64 on, n <= 170",
                    [M.factorial(n) / mpf(2 ** max(0, min(5, n.bit_length() - 2))) ** (n + 1) for n in range(171)])


def text():
    lines = [
        "// Written by tests/oracle/special_fit.py; edit that.",
        "//",
        "// TL_SPECIAL_TABLE(name, count, coefficients): of a polynomial the lowest power first.",
    ]
    lines += polynomials.rows("TL_SPECIAL_TABLE", tables())
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    made = text()
    if sys.argv[1:] == ["--check"]:
        sys.exit(0 if OUT.read_text() == made else f"{OUT} is stale")
    OUT.write_text(made)
