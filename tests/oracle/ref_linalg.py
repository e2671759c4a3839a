"""Writes tests/ref/ops/linalg.json: linear algebra as numpy, scipy and mpmath have it, found without src/ref.

Matrices come from a seed. LU with the pivots and the permutation that follow from scipy's getrf; what is not unique is put
into the form that op_docs.def states. f32 inputs are factored at f64 and rounded, so that `tol` is the whole error that the op
may have.

    python tests/oracle/ref_linalg.py tests/ref/ops/linalg.json
"""
import json, sys
import numpy as np
import scipy, scipy.linalg
from importlib.metadata import version

SEED = 20240611
rng = np.random.default_rng(SEED)
NP = {"f32": np.float32, "f64": np.float64, "i32": np.int32}
TOL = {"f32": 2e-6, "f64": 4e-15}  # of the largest entry, for matrices of condition below 100
cases = []


def tensor(dtype, values):
    a = np.asarray(values)
    return {"type": dtype, "dims": list(a.shape), "data": a.astype(NP[dtype]).tobytes().hex()}


def case(op, ins, outs, attrs=None, **more):
    cases.append({"op": op, "in": ins, "out": outs, "attrs": attrs or {}, **more})


def matrix(dtype, *dims):  # entries of both signs, well away from singular
    a = rng.uniform(-2, 2, dims)
    for i in range(min(dims[-2:])):
        a[..., i, i] += 3
    return a.astype(NP[dtype]).astype(np.float64)


def batched(f, a, *more):
    lead = a.shape[:-2]
    flat = a.reshape((-1,) + a.shape[-2:])
    outs = [f(x) for x in flat]
    return [np.stack([o[i] for o in outs]).reshape(lead + outs[0][i].shape) for i in range(len(outs[0]))]


def lu(a):
    m, n = a.shape
    f, piv = scipy.linalg.lapack.dgetrf(a)[:2]
    perm = np.arange(m)
    for j, p in enumerate(piv):
        perm[[j, p]] = perm[[p, j]]
    return f, piv, perm


for dtype in ("f32", "f64"):
    for dims in ((4, 4), (2, 3, 5), (6, 3), (2, 2, 3, 3), (1, 1), (1, 5), (17, 17)):
        a = rng.permutation(matrix(dtype, *dims), axis=-2)
        f, piv, perm = batched(lu, a)
        case("lu", [tensor(dtype, a)], [tensor(dtype, f), tensor("i32", piv), tensor("i32", perm)], tol=TOL[dtype])
    # By hand: a column of zeros stays, ties take the first, NaN is never chosen before a number.
    nan = float("nan")
    for a, f, piv, perm in [
        ([[0, 2], [0, 3]], [[0, 2], [0, 3]], [0, 1], [0, 1]),
        ([[1, 2], [-1, 3]], [[1, 2], [-1, 5]], [0, 1], [0, 1]),
        ([[nan, 2], [4, 3]], [[4, 3], [nan, nan]], [1, 1], [1, 0]),
        ([[0, 0], [0, 0]], [[0, 0], [0, 0]], [0, 1], [0, 1]),
    ]:
        case("lu", [tensor(dtype, a)], [tensor(dtype, f), tensor("i32", piv), tensor("i32", perm)])
    for dims in ((0, 3), (3, 0), (0, 2, 2), (0, 0)):
        k = min(dims[-2:])
        case("lu", [tensor(dtype, np.zeros(dims))],
             [tensor(dtype, np.zeros(dims)), tensor("i32", np.zeros(dims[:-2] + (k,))),
              tensor("i32", np.broadcast_to(np.arange(dims[-2]), dims[:-1]))])

# Reflectors as LAPACK makes them, at f64.
lapack = scipy.linalg.lapack
for dtype in ("f32", "f64"):
    for dims in ((4, 4), (2, 5, 3), (3, 6), (1, 1), (1, 4), (4, 1), (70, 2), (2, 2, 3, 3)):
        a = matrix(dtype, *dims)
        packed, taus = batched(lambda x: lapack.dgeqrf(x)[:2], a)
        case("geqrf", [tensor(dtype, a)], [tensor(dtype, packed), tensor(dtype, taus)], tol=TOL[dtype])
        for full in (False, True) if dims[-2] < 20 else (False,):
            q, r = batched(lambda x: np.linalg.qr(x, mode="complete" if full else "reduced"), a)
            case("qr", [tensor(dtype, a)], [tensor(dtype, q), tensor(dtype, r)], {"full_matrices": full}, tol=TOL[dtype])
        if dims[-2] >= dims[-1]:
            # Factors of the type, so that the op and LAPACK start from the same numbers.
            p, t = packed.astype(NP[dtype]).astype(np.float64), taus.astype(NP[dtype]).astype(np.float64)
            lead, k = p.shape[:-2], t.shape[-1]
            qs = [lapack.dorgqr(x, y)[0] for x, y in zip(p.reshape((-1,) + p.shape[-2:]), t.reshape(-1, k))]
            case("householder_product", [tensor(dtype, p), tensor(dtype, t)],
                 [tensor(dtype, np.stack(qs).reshape(p.shape))], tol=TOL[dtype])
    # Squares that overflow or vanish; a column of zeros below the diagonal.
    big = {"f32": 1e30, "f64": 1e250}[dtype]
    for scale in (big, 1 / big):
        a = (matrix(dtype, 3, 3) * scale).astype(NP[dtype]).astype(np.float64)
        packed, taus = lapack.dgeqrf(a)[:2]
        case("geqrf", [tensor(dtype, a)], [tensor(dtype, packed), tensor(dtype, taus)], tol=TOL[dtype], f64=False)
    a = np.array([[-2.0, 1, 3], [0, 4, 5], [0, 0, 0]])
    case("geqrf", [tensor(dtype, a)], [tensor(dtype, a), tensor(dtype, np.zeros(3))])
    for dims in ((0, 3), (3, 0), (0, 2, 2)):
        k = min(dims[-2:])
        z = tensor(dtype, np.zeros(dims))
        case("geqrf", [z], [z, tensor(dtype, np.zeros(dims[:-2] + (k,)))])
        for side, full in ((k, False), (dims[-2], True)):
            q = np.broadcast_to(np.eye(dims[-2], side), dims[:-2] + (dims[-2], side))
            case("qr", [z], [tensor(dtype, q), tensor(dtype, np.zeros(dims[:-2] + (side, dims[-1])))],
                 {"full_matrices": full})

# Eigenvectors and singular vectors in the sign that op_docs.def states. Spectra that are given, so that no vector is near
# another: an orthogonal matrix from a QR, times what is wanted.
def orthogonal(n):
    return np.linalg.qr(rng.normal(size=(n, n)))[0]


def positive(v):
    """-1 for each column whose first largest entry is negative."""
    at = np.argmax(np.abs(v), axis=0)
    return np.where(v[at, np.arange(v.shape[1])] < 0, -1.0, 1.0)


def mirrored(a, lower):
    return np.tril(a) + np.tril(a, -1).T if lower else np.triu(a) + np.triu(a, 1).T


def eigh(a, lower):
    w, v = np.linalg.eigh(mirrored(a, lower))
    return w, v * positive(v)


def svd(a, full):
    u, s, vt = np.linalg.svd(a, full_matrices=full)
    k = len(s)
    sign = positive(vt[:k].T)
    u[:, :k] *= sign
    vt[:k] *= sign[:, None]
    return u, s, vt


def rounded(dtype, a):
    return np.asarray(a).astype(NP[dtype]).astype(np.float64)


for dtype in ("f32", "f64"):
    for n in (1, 2, 3, 5, 8, 16):
        q = orthogonal(n)
        a = q @ np.diag(np.linspace(-3, 4, n)) @ q.T
        a = rounded(dtype, np.triu((a + a.T) / 2) + np.tril(rng.uniform(-1, 1, (n, n)), -1))  # garbage below
        w, v = eigh(a, False)
        case("eigh", [tensor(dtype, a)], [tensor(dtype, w), tensor(dtype, v)], {"lower": False}, tol=5 * TOL[dtype])
        w, v = eigh(a.T, True)
        case("eigh", [tensor(dtype, a.T)], [tensor(dtype, w), tensor(dtype, v)], tol=5 * TOL[dtype])
    a = rounded(dtype, np.stack([np.diag([2.0, -1, 5]), np.array([[2.0, 1, 0], [1, 2, 0], [0, 0, 7]])]))
    w, v = batched(lambda x: eigh(x, True), a)
    case("eigh", [tensor(dtype, a)], [tensor(dtype, w), tensor(dtype, v)], tol=TOL[dtype])
    big = {"f32": 1e30, "f64": 1e250}[dtype]
    for scale in (big, 1 / big):
        a = rounded(dtype, np.array([[2.0, 1, 0], [1, 3, 1], [0, 1, 5]]) * scale)
        w, v = eigh(a, True)
        case("eigh", [tensor(dtype, a)], [tensor(dtype, w), tensor(dtype, v)], tol=TOL[dtype], f64=False)
    for bad in (np.nan, np.inf):
        case("eigh", [tensor(dtype, [[bad, 1], [1, 2]])],
             [tensor(dtype, np.full(2, np.nan)), tensor(dtype, np.full((2, 2), np.nan))])
        case("svd", [tensor(dtype, [[bad, 1], [1, 2]])],
             [tensor(dtype, np.full((2, 2), np.nan)), tensor(dtype, np.full(2, np.nan)),
              tensor(dtype, np.full((2, 2), np.nan))])
    case("eigh", [tensor(dtype, np.zeros((2, 2)))], [tensor(dtype, np.zeros(2)), tensor(dtype, np.eye(2))])
    for m, n in ((1, 1), (3, 3), (5, 2), (2, 5), (8, 8), (20, 4), (3, 1), (1, 3)):
        k = min(m, n)
        a = rounded(dtype, orthogonal(m)[:, :k] @ np.diag(np.linspace(4, 0.5, k)) @ orthogonal(n)[:k])
        u, s, vt = svd(a, False)
        case("svd", [tensor(dtype, a)], [tensor(dtype, u), tensor(dtype, s), tensor(dtype, vt)], tol=5 * TOL[dtype])
        case("singular_values", [tensor(dtype, a)], [tensor(dtype, s)], tol=5 * TOL[dtype])
    # Full: one column that completes a basis is unique but for its sign, which these have as the op makes it.
    a = rounded(dtype, [[3.0, 0], [0, 2], [0, 0]])
    for x in (a, a.T):
        u, s, vt = svd(x, True)
        case("svd", [tensor(dtype, x)], [tensor(dtype, u), tensor(dtype, s), tensor(dtype, vt)],
             {"full_matrices": True}, tol=TOL[dtype])
    for dims in ((0, 3), (2, 3, 0)):
        m, n = dims[-2:]
        eyes = [tensor(dtype, np.broadcast_to(np.eye(x), dims[:-2] + (x, x))) for x in (m, n)]
        s = tensor(dtype, np.zeros(dims[:-2] + (0,)))
        case("svd", [tensor(dtype, np.zeros(dims))], [eyes[0], s, eyes[1]], {"full_matrices": True})
        case("singular_values", [tensor(dtype, np.zeros(dims))], [s])
    case("eigh", [tensor(dtype, np.zeros((0, 0)))], [tensor(dtype, np.zeros(0)), tensor(dtype, np.zeros((0, 0)))])

for dtype in ("f32", "f64"):
    for dims in ((4, 4), (2, 3, 3), (1, 1), (16, 16)):
        a = rng.permutation(matrix(dtype, *dims), axis=-2)
        b = rounded(dtype, rng.uniform(-2, 2, dims[:-1] + (3,)))
        case("solve", [tensor(dtype, a), tensor(dtype, b)], [tensor(dtype, np.linalg.solve(a, b))], tol=20 * TOL[dtype])
        case("solve", [tensor(dtype, a), tensor(dtype, b)], [tensor(dtype, np.linalg.solve(np.swapaxes(a, -1, -2), b))],
             {"transpose_a": True}, tol=20 * TOL[dtype])
        sign, log = np.linalg.slogdet(a)
        case("det", [tensor(dtype, a)], [tensor(dtype, np.linalg.det(a))], tol=5 * TOL[dtype])
        case("slogdet", [tensor(dtype, a)], [tensor(dtype, sign), tensor(dtype, log)], tol=TOL[dtype])
    a = tensor(dtype, [[1, 2], [2, 4]])
    case("det", [a], [tensor(dtype, 0)], ulp=1)  # of either sign
    case("slogdet", [a], [tensor(dtype, 0), tensor(dtype, -np.inf)], ulp=1)
    z = tensor(dtype, np.zeros((2, 0, 0)))
    case("det", [z], [tensor(dtype, [1, 1])])
    case("slogdet", [z], [tensor(dtype, [1, 1]), tensor(dtype, [0, 0])])
    case("solve", [tensor(dtype, np.zeros((0, 0))), tensor(dtype, np.zeros((0, 2)))], [tensor(dtype, np.zeros((0, 2)))])

out = {"made_by": "tests/oracle/ref_linalg.py",
       "versions": {"numpy": version("numpy"), "scipy": version("scipy"), "python": sys.version.split()[0], "seed": SEED}}
with open(sys.argv[1], "w") as f:
    f.write(json.dumps(out)[:-1] + ',\n "cases": [\n' + ",\n".join(json.dumps(c) for c in cases) + "\n]}\n")
print(len(cases), "cases")
