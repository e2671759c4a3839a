#!/usr/bin/env python3
"""Does jaxlib's MLIR accept our text?

usage: jaxlib_verify.py FILE.mlir [FILE.mlir ...]

Each file is parsed and verified by the parser that JAX itself uses; the first refusal is printed and ends with exit
status 1. A control comes first: a module with a type error and one with a syntax error must be refused, or else a
verifier that accepts everything would pass. Without jaxlib the script says so and exits 77 (a skip).
"""
import sys

try:
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import chlo, sdy, stablehlo
    from jaxlib.mlir._mlir_libs import _jax_mlir_ext
except ImportError as problem:
    print(f"skipped: jaxlib is not here ({problem})")
    sys.exit(77)

BROKEN = {
    "a type error": """
        func.func @main(%0: tensor<2xf32>) -> tensor<3xf32> {
          %1 = stablehlo.reshape %0 : (tensor<2xf32>) -> tensor<3xf32>
          return %1 : tensor<3xf32>
        }""",
    "a syntax error": "func.func @main(%0: tensor<2xf32>) -> { return %0 }",
}


def context():
    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    ctx = ir.Context()
    ctx.append_dialect_registry(registry)
    ctx.load_all_available_dialects()
    for dialect in (stablehlo, chlo, sdy):
        dialect.register_dialect(ctx)
    return ctx


def refusal(text):
    """None, or what the parser or the verifier said."""
    try:
        ir.Module.parse(text).operation.verify()
    except Exception as problem:  # MLIRError, and whatever older versions raise
        return str(problem)
    return None


def main(paths):
    if not paths:
        print(__doc__.strip().splitlines()[2])
        return 2
    with context():
        for what, text in BROKEN.items():
            if refusal(text) is None:
                print(f"control failed: {what} was accepted")
                return 1
        for path in paths:
            with open(path, encoding="utf-8") as file:
                problem = refusal(file.read())
            if problem is not None:
                print(f"{path}: refused\n{problem}")
                return 1
    print(f"jaxlib accepts {len(paths)} file{'' if len(paths) == 1 else 's'}; {len(BROKEN)} broken modules were refused")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
