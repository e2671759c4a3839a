"""Modules of jax.shard_map and of shardings, as JAX lowers them, with JAX's own results as checks.

    python tests/oracle/jax_manual.py tests/suites/jax_manual.mlir
"""
import os, re, sys
os.environ['XLA_FLAGS'] = '--xla_force_host_platform_device_count=8'
import jax, jax.numpy as jnp, numpy as np, jaxlib
from jax import shard_map
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
mesh = Mesh(np.array(jax.devices()[:4]).reshape(2, 2), ('x', 'y'))
turned = Mesh(np.array(jax.devices()[:8])[[3, 1, 7, 5, 0, 2, 6, 4]].reshape(2, 4), ('x', 'y'))
rng = np.random.default_rng(7)
def arr(*s): return (rng.integers(-64, 64, s) / 16).astype(np.float32)
def collectives(a):
    return (jax.lax.psum(a, 'x'), jax.lax.pmax(a, ('x', 'y')), jax.lax.all_gather(a, 'y', axis=1, tiled=True),
            jax.lax.psum_scatter(a, 'x', scatter_dimension=0, tiled=True),
            jax.lax.all_to_all(a, 'y', split_axis=0, concat_axis=1, tiled=True),
            jax.lax.ppermute(a, 'x', [(0, 1), (1, 0)]), a + jax.lax.axis_index('x') * 10 + jax.lax.axis_index('y'))
specs = (P(None, 'y'), P(), P('x', None), P('x', 'y'), P('x', 'y'), P('x', 'y'), P('x', 'y'))
def sm(f, m, i, o, **k): return shard_map(f, mesh=m, in_specs=i, out_specs=o, check_vma=False, **k)
def loss(w, x, y):
    def local(w, x, y):
        r = jnp.tanh(x @ w) - y
        return jax.lax.pmean(jnp.mean(r * r), 'x')
    return sm(local, mesh, (P(), P('x'), P('x')), P())(w, x, y)
def matmul(a, b):
    return sm(lambda a, b: jax.lax.psum(a @ b, 'y'), turned, (P('x', 'y'), P('y', None)), P('x', None))(a, b)
def constrained(a, b):
    c = jax.lax.with_sharding_constraint(a @ b, NamedSharding(mesh, P('x', None)))
    return jax.lax.with_sharding_constraint(c * 2, NamedSharding(mesh, P(('y', 'x'))))
def nested(a):
    def body(i, v): return jax.lax.psum(v, 'x') * 0.25 + jax.lax.axis_index('y')
    return sm(lambda v: jax.lax.fori_loop(0, 3, body, v), mesh, P('x', 'y'), P('x', 'y'))(a)
cases = [
    ('collectives', sm(collectives, mesh, P('x', 'y'), specs), (arr(8, 8),), {}),
    ('turned', sm(lambda a: collectives(a)[:4], turned, P('x', 'y'), specs[:4]), (arr(8, 8),), {}),
    ('gradient', jax.grad(loss, argnums=(0, 1)), (arr(4, 3), arr(8, 4), arr(8, 3)), {}),
    ('matmul', matmul, (arr(4, 8), arr(8, 6)), {}),
    ('constrained', constrained, (arr(8, 4), arr(4, 8)),
     dict(in_shardings=(NamedSharding(mesh, P('x', 'y')), NamedSharding(mesh, P(None, 'y'))), out_shardings=NamedSharding(mesh, P('x')))),
    ('loop', nested, (arr(4, 4),), {}),
]
def ty(a): return 'tensor<' + ''.join(f'{d}x' for d in a.shape) + {'float32': 'f32', 'int32': 'i32'}[str(a.dtype)] + '>'
def const(a):
    if a.ndim == 0: return repr(float(a)).upper() if 'e' in repr(float(a)) else repr(float(a))
    return '[' + ', '.join(const(x) for x in a) + ']'
out = [f"// What JAX {jax.__version__} (jaxlib {jaxlib.__version__}) lowers shard_map and shardings to, with its own results on CPU devices; by\n// tests/oracle/jax_manual.py, seed 7."]
for name, f, args, kw in cases:
    j = jax.jit(f, **kw)
    text = j.lower(*args).as_text()
    res = jax.tree.leaves(j(*args))
    text = text.replace('func.func public @main(', 'func.func private @jax(').rstrip()
    assert text.endswith('}'), text[-20:]
    body = '  func.func @main() {\n'
    for i, a in enumerate(args): body += f'    %i{i} = stablehlo.constant dense<{const(a)}> : {ty(a)}\n'
    ins = ', '.join(f'%i{i}' for i in range(len(args)))
    tys = ', '.join(ty(np.asarray(r)) for r in res)
    body += f"    %r{':%d' % len(res) if len(res) > 1 else ''} = call @jax({ins}) : ({', '.join(ty(a) for a in args)}) -> " + (f'({tys})' if len(res) > 1 else tys) + '\n'
    for i, r in enumerate(res):
        r = np.asarray(r)
        body += f"    %w{i} = stablehlo.constant dense<{const(r)}> : {ty(r)}\n    check.expect_almost_eq %r{'#%d' % i if len(res) > 1 else ''}, %w{i}, tolerance = 0.00001 : {ty(r)}\n"
    body += '    return\n  }\n}\n'
    out.append(text[:-1] + body)
open(sys.argv[1], 'w').write('\n'.join([out[0]] + ['\n// -----\n\n'.join(out[1:])]))
