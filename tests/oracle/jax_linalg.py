"""Writes tests/suites/linalg/*.mlir: linear algebra as JAX lowers it for the CPU, with JAX's own inputs and results.

    python tests/oracle/jax_linalg.py tests/suites/linalg

A file a function, a part a shape and element type; @main takes nothing and holds each result to what JAX gave
(check.expect_almost_eq). What is unique up to a sign or a phase is normalised in the function itself, so that the text that
runs says what is compared. Tolerances: TOL times the largest entry of the result, for matrices of condition below 100.
"""
import os, shutil, sys
import numpy as np
import jax, jax.numpy as jnp
import jax.scipy.linalg as jsl
from jax_harnesses import DTYPES, dense

jax.config.update("jax_enable_x64", True)
SEED = 20240612
LONG = 4000  # a text of more characters comes with one shape an element type; of three times as many, once
TOL = {"float32": 2e-5, "float64": 1e-12, "complex64": 2e-5, "complex128": 1e-12}


def conj(x):
    return jax.lax.complex(x.real, -x.imag) if jnp.iscomplexobj(x) else x


def square(x):
    return x.real * x.real + x.imag * x.imag


def signed(v):
    """Each column's largest entry positive."""
    if not jnp.iscomplexobj(v):
        at = jnp.argmax(jnp.abs(v), axis=-2, keepdims=True)
        largest = jnp.take_along_axis(v, at, axis=-2)
        return v * jnp.sign(largest)
    at = jnp.argmax(square(v), axis=-2, keepdims=True)
    largest = jnp.take_along_axis(v, at, axis=-2)
    return v * conj(largest) / jnp.sqrt(square(largest)).astype(v.dtype)


def svd(a, full):
    """Signs after vt; of what completes a basis its product with itself."""
    u, s, vt = jnp.linalg.svd(a, full_matrices=full)
    k = s.shape[-1]
    v = jnp.swapaxes(vt[..., :k, :], -1, -2)
    sign = jnp.sum(signed(v) * conj(v), axis=-2)
    more_u, more_v = u[..., k:], vt[..., k:, :]
    return (u[..., :k] * conj(sign)[..., None, :], s, vt[..., :k, :] * sign[..., None],
            more_u @ conj(jnp.swapaxes(more_u, -1, -2)), conj(jnp.swapaxes(more_v, -1, -2)) @ more_v)


def spd(a):
    return a @ jnp.conj(jnp.swapaxes(a, -1, -2)) + jnp.eye(a.shape[-1], dtype=a.dtype)


FUNCTIONS = {
    "cholesky": (lambda a: jnp.linalg.cholesky(spd(a)), "square"),
    "cholesky_not_definite": (lambda a: jnp.linalg.cholesky(-spd(a)), "square"),
    "lu": (lambda a: jax.lax.linalg.lu(a), "any"),
    "scipy_lu": (lambda a: jsl.lu(a), "any"),
    "lu_factor": (lambda a: jsl.lu_factor(a), "square"),
    "lu_solve": (lambda a: jsl.lu_solve(jsl.lu_factor(a), a[..., 0]), "one"),
    "solve": (lambda a: jnp.linalg.solve(a, a[..., :, :2] * 2 + 1), "square"),
    "inv": (lambda a: jnp.linalg.inv(a), "square"),
    "det": (lambda a: jnp.linalg.det(a), "square"),
    "slogdet": (lambda a: jnp.linalg.slogdet(a), "square"),
    "cho_solve": (lambda a: jsl.cho_solve(jsl.cho_factor(spd(a)), a[..., 0]), "one"),
    "solve_triangular": (lambda a: jsl.solve_triangular(a, a[:, :2] + 1, lower=True, trans=1), "one"),
    "solve_triangular_adjoint": (lambda a: jsl.solve_triangular(a, a[:, :2], trans=2), "one"),
    "triangular_solve": (lambda a: jax.lax.linalg.triangular_solve(a, a, left_side=False, unit_diagonal=True), "square"),
    "qr": (lambda a: jnp.linalg.qr(a), "any"),
    "qr_complete": (lambda a: jnp.linalg.qr(a, mode="complete"), "any"),
    "eigh": (lambda a: (lambda w, v: (w, signed(v)))(*jnp.linalg.eigh(a)), "square"),
    "eigvalsh": (lambda a: jnp.linalg.eigvalsh(a), "square"),
    "svd": (lambda a: svd(a, False), "any"),
    "svd_full": (lambda a: svd(a, True), "any"),
    "svdvals": (lambda a: jnp.linalg.svd(a, compute_uv=False), "any"),
    "pinv": (lambda a: jnp.linalg.pinv(a), "any"),
    "lstsq": (lambda a: jnp.linalg.lstsq(a, a[:, :1] + 1), "one"),
    "matrix_rank": (lambda a: jnp.linalg.matrix_rank(a), "any"),
    "cond": (lambda a: jnp.linalg.cond(a), "square"),
    "norm_2": (lambda a: jnp.linalg.norm(a, 2, axis=(-2, -1)), "any"),
    "norm_nuclear": (lambda a: jnp.linalg.norm(a, "nuc", axis=(-2, -1)), "any"),
    "scipy_eigh_upper": (lambda a: (lambda w, v: (w, signed(v)))(*jsl.eigh(a, lower=False)), "one"),
    "expm": (lambda a: jsl.expm(a * 0.1), "one"),
    "polar": (lambda a: jsl.polar(a), "one"),
}
COMPLEX = {"cholesky", "lu", "solve", "triangular_solve", "solve_triangular_adjoint", "qr", "qr_complete", "eigh", "svd",
           "svd_full", "svdvals"}
SHAPES = {"square": [(4, 4), (2, 3, 3)], "one": [(4, 4), (3, 3)], "any": [(5, 3), (2, 3, 4)]}


def check(text, args, results, tol):
    body, names, kinds = "", [], []
    for i, a in enumerate(args):
        line, kind = dense(a, f"%in{i}")
        body, names, kinds = body + line, names + [f"%in{i}"], kinds + [kind]
    wants, out_kinds = "", []
    for i, r in enumerate(results):
        line, kind = dense(r, f"%want{i}")
        wants, out_kinds = wants + line, out_kinds + [kind]
        got = "%got" if len(results) == 1 else f"%got#{i}"
        if r.dtype.name not in TOL:
            wants += f"    check.expect_eq {got}, %want{i} : {kind}\n"
        else:
            finite = np.abs(r[np.isfinite(r)])
            within = float(f"{max(finite.max() if finite.size else 1, 1e-3) * tol:.1e}")
            wants += f"    check.expect_almost_eq {got}, %want{i}, tolerance = {within:.6e} : {kind}\n"
    n = "" if len(results) == 1 else f":{len(results)}"
    outs = out_kinds[0] if len(results) == 1 else "(" + ", ".join(out_kinds) + ")"
    main = (f"  func.func public @main() {{\n{body}    %got{n} = call @jax({', '.join(names)}) : ({', '.join(kinds)})"
            f" -> {outs}\n{wants}    return\n  }}\n")
    at = text.index("  func.func public @main(")
    text = text.replace("func.func public @main(", "func.func private @jax(")
    return text[:at] + main + text[at:]


def main(out, dtypes, complexes):
    rng = np.random.default_rng(SEED)
    shutil.rmtree(out, ignore_errors=True)
    os.makedirs(out)
    for name, (f, kind) in FUNCTIONS.items():
        parts = []
        for dtype in dtypes + (complexes if name in COMPLEX else []):
            for shape in SHAPES[kind]:
                a = rng.uniform(-2, 2, shape)
                if dtype.startswith("complex"):
                    a = a + 1j * rng.uniform(-2, 2, shape)
                for i in range(min(shape[-2:])):
                    a[..., i, i] += 3
                a = a.astype(dtype)
                lowered = jax.jit(f).lower(a)
                results = [np.asarray(r) for r in jax.tree.leaves(lowered.compile()(a))]
                if dtype.startswith("complex") and (shape == SHAPES[kind][0]) != (dtype == "complex64"):
                    continue
                if len(lowered.as_text()) > LONG and (shape == SHAPES[kind][0]) != ("32" in dtype):
                    continue
                if len(lowered.as_text()) > 3 * LONG and "32" in dtype:
                    continue
                tol = TOL[dtype]
                parts.append(f"// {dtype} {list(shape)}, jax {jax.__version__}, seed {SEED}\n"
                             + check(lowered.as_text(), [a], results, tol))
        with open(f"{out}/{name}.mlir", "w", encoding="utf-8") as file:
            file.write("// -----\n".join(parts))


if __name__ == "__main__":
    main(sys.argv[1], ["float32", "float64"], ["complex64", "complex128"])
