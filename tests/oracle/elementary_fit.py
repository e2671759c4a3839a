#!/usr/bin/env python3
"""Writes src/ref/elementary_f64.def: the coefficients and constants of src/ref/elementary_f64.inc.

    elementary_fit.py            writes the file and prints each polynomial's greatest relative error
    elementary_fit.py --check    fails when the file is not what this would write

The method is special_fit.py's: Chebyshev's points, 60 digits, rounded to f64; the error is that of the rounded polynomial
relative to the whole function.
"""
import struct
import sys
import mpmath as M
from mpmath import mpf
import polynomials
from special_fit import HERE, constants, fit

OUT = HERE.parent.parent / "src" / "ref" / "elementary_f64.def"
M.mp.dps = 60


def two(x):
    hi = mpf(float(x))
    return [hi, x - hi]


def three(x):
    hi, rest = two(x)
    return [hi] + two(rest)


def cut(x, bits):  # to so many bits of significand, and the rest
    m, e = M.frexp(x)
    hi = M.ldexp(M.floor(M.ldexp(m, bits)), int(e) - bits)
    return [hi, x - hi]


def at_zero(f, limit):
    return lambda x: limit if abs(x) < mpf(10) ** -12 else f(x)


def exp_tail(r):
    return (M.expm1(r) - r) / r**2


def log_tail(z):  # 2 atanh(s) = 2s + s z log_tail(z), z = s^2
    s = M.sqrt(z)
    return (2 * M.atanh(s) / s - 2) / z


def log1p_tail(r):  # log(1 + r) = r - r^2/2 + r^3 log1p_tail(r)
    return (M.log1p(r) - r + r**2 / 2) / r**3


def log_table():
    """Intervals of z: 1/c of 7 bits behind the point below 1, of 8 above, so that z/c - 1 is exact; log c to 2^-42, and the rest."""
    inverse, high, low, most = [], [], [], mpf(0)
    number = lambda bits: mpf(struct.unpack("<d", struct.pack("<q", bits))[0])
    for j in range(128):
        begin, end = (number(0x3FE6A00000000000 + (j + k << 45)) for k in (0, 1))
        steps = 128 if end <= 1 else 256
        c = mpf(1) if 1 in (begin, end) else M.nint(2 * steps / (begin + end)) / steps
        inverse.append(c)
        high.append(M.nint(-M.log(c) * 2**42) / 2**42)
        low.append(-M.log(c) - high[-1])
        most = max(most, abs(begin * c - 1), abs(end * c - 1))
    assert most <= mpf(2) ** -7
    return inverse, high, low


def sin_tail(z):
    r = M.sqrt(z)
    return (M.sin(r) / r - 1) / z


def cos_tail(z):
    return (M.cos(M.sqrt(z)) - 1 + z / 2) / z**2


def atan_tail(z):
    t = M.sqrt(z)
    return (M.atan(t) / t - 1) / z


def tables():
    one = lambda x: mpf(1)
    z_log, z_trig = (3 - 2 * M.sqrt(2)) ** 2, (M.pi / 4) ** 2
    yield fit("EXP", "(exp(r) - 1 - r)/r^2, |r| <= 1/2", at_zero(exp_tail, mpf(1) / 2), "-0.5", "0.5", 12, weight=lambda r: 4 * M.exp(r))
    yield fit("LOG", "(2 atanh(s)/s - 2)/z in z = s^2, s = f/(2 + f), sqrt(1/2) <= 1 + f < sqrt(2)",
              at_zero(log_tail, mpf(2) / 3), 0, z_log, 8, weight=lambda z: 2 / z_log)
    yield fit("LOG1P_TAIL", "(log(1 + r) - r + r^2/2)/r^3, |r| <= 2^-7", at_zero(log1p_tail, mpf(1) / 3), -mpf(2) ** -7, mpf(2) ** -7, 7, weight=lambda r: 2 ** 14)
    for name, what, values in zip(("LOG_INVERSE", "LOG_HIGH", "LOG_LOW"), ("1/c", "log c to 2^-42", "the rest of it"), log_table()):
        yield constants(name, f"of the logarithm's intervals {what}", values)
    yield fit("SIN", "(sin(r)/r - 1)/z in z = r^2, |r| <= pi/4", at_zero(sin_tail, -mpf(1) / 6), 0, z_trig, 7, weight=lambda z: 1 / z_trig)
    yield fit("COS", "(cos(r) - 1 + z/2)/z^2 in z = r^2, |r| <= pi/4", at_zero(cos_tail, mpf(1) / 24), 0, z_trig, 7, weight=lambda z: M.cos(M.sqrt(z)) / z_trig**2)
    yield fit("ATAN", "(atan(t)/t - 1)/z in z = t^2, |t| <= 1/2", at_zero(atan_tail, -mpf(1) / 3), 0, "0.25", 18, weight=lambda z: 1 / mpf("0.25"))
    yield fit("RCBRT", "m^(-1/3), 1 <= m < 8", lambda m: M.cbrt(1 / m), 1, 8, 7)
    yield constants("LN2", "log(2) in two parts", two(M.log(2)))
    yield constants("LN2_CUT", "log(2) in two parts, the first of 40 bits", cut(M.log(2), 40))
    yield constants("PI_2", "pi/2 in three parts", three(M.pi / 2))
    yield constants("PI_4", "pi/4 in two parts", two(M.pi / 4))


def text():
    lines = [
        "// Written by tests/oracle/elementary_fit.py; edit that.",
        "//",
        "// TL_ELEMENTARY(name, count, coefficients): of a polynomial the lowest power first.",
        "// TL_TWO_OVER_PI: the bits of 2/pi behind the point, 64 a word.",
    ]
    lines += polynomials.rows("TL_ELEMENTARY", tables())
    M.mp.dps = 420
    x, words = 2 / M.pi, []
    for _ in range(20):
        x *= 2**64
        words.append(int(M.floor(x)))
        x -= words[-1]
    M.mp.dps = 60
    lines += ["#ifdef TL_TWO_OVER_PI"]
    lines += [f"TL_TWO_OVER_PI(0x{w:016x})" for w in words]
    lines += ["#endif"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    made = text()
    if sys.argv[1:] == ["--check"]:
        sys.exit(0 if OUT.read_text() == made else f"{OUT} is stale")
    OUT.write_text(made)
