"""Writes tests/ref/ops/dynamic.json: ops whose shapes are operands, by the formulas of the static ops in plain Python.

Examples marked "spec" are the StableHLO specification's own.

    python tests/oracle/ref_dynamic.py tests/ref
"""
import itertools, json, platform, sys
import numpy as np

SEED = 20261130
rng = np.random.default_rng(SEED)
NP = {"i8": np.int8, "i32": np.int32, "i64": np.int64, "ui16": np.uint16, "ui32": np.uint32, "f32": np.float32, "f64": np.float64}
cases = []


def T(dtype, values, dims=None):
    a = np.asarray(values, NP[dtype])
    return {"type": dtype, "dims": list(a.shape) if dims is None else dims, "data": np.ascontiguousarray(a).tobytes().hex()}


def case(op, ins, outs, attrs=None, **more):
    cases.append({"op": op, "in": ins, "out": outs, "attrs": attrs or {}, **more})


def some(dtype, *dims):
    return rng.integers(-9, 10, dims).astype(NP[dtype])


# --- get_dimension_size, set_dimension_size ---
case("get_dimension_size", [T("i64", [[1, 2, 3], [4, 5, 6]])], [T("i32", 3)], {"dimension": 1}, source="spec")
for dims in ((4,), (2, 0, 3), (1, 7, 2)):
    for d, n in enumerate(dims):
        case("get_dimension_size", [T("f32", some("f32", *dims))], [T("i32", n)], {"dimension": d})
for dims, d, n in (((4, 2), 0, 3), ((4, 2), 1, 0), ((3, 5, 2), 1, 5), ((3, 5, 2), 1, 2)):
    x = some("f32", *dims)
    case("set_dimension_size", [T("f32", x), T("i32", n)], [T("f32", x[tuple(slice(n if i == d else None) for i in range(len(dims)))])], {"dimension": d})

# --- dynamic_reshape, dynamic_iota, dynamic_broadcast_in_dim ---
case("dynamic_reshape", [T("i64", [[1, 2, 3], [4, 5, 6]]), T("i64", [3, 2])], [T("i64", [[1, 2], [3, 4], [5, 6]])], source="spec")
for a, b in (((2, 3), (6,)), ((4,), (2, 1, 2)), ((0, 3), (3, 0)), ((1,), ()), ((), (1, 1))):
    for index in ("i32", "i64", "ui16"):
        x = some("f64", *a)
        case("dynamic_reshape", [T("f64", x), T(index, np.array(b, int))], [T("f64", x.reshape(b))])
case("dynamic_iota", [T("i64", [4, 5])], [T("i64", np.arange(4)[:, None] + np.zeros((1, 5), int))], {"iota_dimension": 0}, source="spec")
for dims, d in (((4, 5), 1), ((3,), 0), ((2, 0, 3), 2), ((2, 3, 4), 1)):
    for dtype in ("i8", "f32", "ui32"):
        v = np.arange(dims[d]).reshape([-1 if i == d else 1 for i in range(len(dims))])
        case("dynamic_iota", [T("i32", dims)], [T(dtype, np.broadcast_to(v, dims))], {"iota_dimension": d})
case("dynamic_broadcast_in_dim", [T("i64", [[1, 2, 3]]), T("i64", [2, 3, 2])],
     [T("i64", [[[1, 1], [2, 2], [3, 3]], [[1, 1], [2, 2], [3, 3]]])],
     {"broadcast_dimensions": [2, 1], "known_expanding_dimensions": [0], "known_nonexpanding_dimensions": [1]}, source="spec")
for a, b, dims in (((), (2, 3), []), ((3,), (2, 3), [1]), ((3, 1), (4, 3, 2), [1, 2]), ((2, 3), (3, 2), [1, 0]), ((1,), (0,), [0])):
    x = some("f32", *a)
    v = np.transpose(x, np.argsort(dims)) if dims else x
    at = sorted(dims)
    v = v.reshape([v.shape[at.index(i)] if i in at else 1 for i in range(len(b))])
    case("dynamic_broadcast_in_dim", [T("f32", x), T("i32", b)], [T("f32", np.broadcast_to(v, b))], {"broadcast_dimensions": dims})

# --- dynamic_pad, real_dynamic_slice ---
def pad(x, v, low, high, inner):
    dims = [l + h + n + max(n - 1, 0) * i for n, l, h, i in zip(x.shape, low, high, inner)]
    out = np.full(dims, v, x.dtype)
    for at in np.ndindex(*x.shape):
        to = [l + a * (i + 1) for a, l, i in zip(at, low, inner)]
        if all(0 <= t < d for t, d in zip(to, dims)): out[tuple(to)] = x[at]
    return out


spec_x = np.array([[1, 2, 3], [4, 5, 6]])
case("dynamic_pad", [T("i64", spec_x), T("i64", 0), T("i64", [0, 1]), T("i64", [2, 1]), T("i64", [1, 2])],
     [T("i64", pad(spec_x, 0, (0, 1), (2, 1), (1, 2)))], source="spec")
for low, high, inner in (((1, -1), (1, -1), (0, 1)), ((-2, 0), (0, 0), (0, 0)), ((0, 3), (-1, 0), (2, 0)), ((-1, -1), (-1, -2), (0, 0))):
    x = some("f32", 4, 3)
    case("dynamic_pad", [T("f32", x), T("f32", -7), T("i32", low), T("i32", high), T("i32", inner)], [T("f32", pad(x, -7, low, high, inner))])
for start, limit, step in (((0, 0), (5, 4), (1, 1)), ((1, 2), (5, 3), (2, 1)), ((2, 0), (2, 4), (1, 3)), ((0, 1), (5, 4), (4, 2))):
    x = some("f32", 5, 4)
    for index in ("i32", "i64"):
        case("real_dynamic_slice", [T("f32", x), T(index, start), T(index, limit), T(index, step)],
             [T("f32", x[start[0]:limit[0]:step[0], start[1]:limit[1]:step[1]])])

# --- dynamic_gather: the specification's formula, element by element ---
def gather(x, idx, sizes, offset, collapsed, index_map, vec):
    vectors = idx if vec < idx.ndim else idx[..., None]
    vectors = np.moveaxis(vectors, vec, -1)
    batch = vectors.shape[:-1]
    inner = [s for d, s in enumerate(sizes) if d not in collapsed]
    rank = len(batch) + len(offset)
    dims, b, o = [], iter(batch), iter(inner)
    for d in range(rank): dims.append(next(o) if d in offset else next(b))
    out = np.zeros(dims, x.dtype)
    for at in np.ndindex(*dims):
        start = [0] * x.ndim
        for k, d in enumerate(index_map): start[d] = int(vectors[tuple(a for i, a in enumerate(at) if i not in offset)][k])
        start = [min(max(s, 0), n - z) for s, n, z in zip(start, x.shape, sizes)]
        inside = iter(a for i, a in enumerate(at) if i in offset)
        out[at] = x[tuple(s if d in collapsed else s + next(inside) for d, s in enumerate(start))]
    return out


spec_g = np.arange(1, 25).reshape(3, 4, 2)
spec_i = np.array([[[0, 0], [1, 0], [2, 1]], [[0, 1], [1, 1], [0, 2]]])
def gather_case(dtype, x, idx, sizes, offset, collapsed, index_map, vec, **more):
    case("dynamic_gather", [T(dtype, x), T("i64", idx), T("i64", sizes)], [T(dtype, gather(x, idx, sizes, offset, collapsed, index_map, vec))],
         {"offset_dims": offset, "collapsed_slice_dims": collapsed, "start_index_map": index_map, "index_vector_dim": vec}, **more)


gather_case("i64", spec_g, spec_i, [1, 2, 2], [2, 3], [0], [1, 0], 2, source="spec")
gather_case("f32", some("f32", 5, 3), np.array([4, -1, 9, 2]), [1, 3], [1], [0], [0], 1)
gather_case("f32", some("f32", 5, 3), np.array([[3, 0], [1, 2]]), [2, 2], [0, 1], [], [0, 1], 0)
gather_case("f32", some("f32", 5, 3), np.array([4, 0]), [2, 3], [0, 1], [], [0], 1)

# --- dynamic_conv: one sum an output, integers ---
def conv(x, w, stride, padding, lhs_dil, rhs_dil):  # [b, h, w, f] x [h, w, i, o]
    n = 2
    pad_x = x
    for d in range(n):
        size = max((x.shape[1 + d] - 1) * lhs_dil[d] + 1, 0)
        dilated = np.zeros([size if i == 1 + d else s for i, s in enumerate(pad_x.shape)], x.dtype)
        dilated[(slice(None),) * (1 + d) + (slice(None, None, lhs_dil[d]),)] = pad_x
        pad_x = pad(dilated, 0, [padding[d][0] if i == 1 + d else 0 for i in range(4)], [padding[d][1] if i == 1 + d else 0 for i in range(4)], [0] * 4)
    out_dims = [max((pad_x.shape[1 + d] - ((w.shape[d] - 1) * rhs_dil[d] + 1)) // stride[d] + 1, 0) for d in range(n)]
    out = np.zeros([x.shape[0], *out_dims, w.shape[3]], x.dtype)
    for b, i, j, o in np.ndindex(*out.shape):
        for ki, kj, f in itertools.product(range(w.shape[0]), range(w.shape[1]), range(w.shape[2])):
            out[b, i, j, o] += pad_x[b, i * stride[0] + ki * rhs_dil[0], j * stride[1] + kj * rhs_dil[1], f] * w[ki, kj, f, o]
    return out


NUMBERS = {"input_batch_dimension": 0, "input_feature_dimension": 3, "input_spatial_dimensions": [1, 2], "kernel_input_feature_dimension": 2,
           "kernel_output_feature_dimension": 3, "kernel_spatial_dimensions": [0, 1], "output_batch_dimension": 0, "output_feature_dimension": 3,
           "output_spatial_dimensions": [1, 2]}
for stride, padding, ld, rd in (((4, 4), ((1, 1), (1, 1)), (2, 2), (1, 1)), ((1, 2), ((0, 2), (1, 0)), (1, 1), (1, 2)), ((2, 1), ((-1, 0), (0, -1)), (1, 2), (1, 1))):
    x, w = some("i64", 2, 4, 5, 2), some("i64", 2, 3, 2, 3)
    case("dynamic_conv", [T("i64", x), T("i64", w), T("i32", padding)], [T("i64", conv(x, w, stride, padding, ld, rd))],
         {**NUMBERS, "window_strides": list(stride), "lhs_dilation": list(ld), "rhs_dilation": list(rd)})
x = np.array([[1, 2, 5, 6], [3, 4, 7, 8], [10, 11, 14, 15], [12, 13, 16, 17]]).reshape(1, 4, 4, 1)
case("dynamic_conv", [T("i64", x), T("i64", np.ones((3, 3, 1, 1))), T("i64", [[1, 1], [1, 1]])], [T("i64", np.array([1, 5, 10, 14]).reshape(1, 2, 2, 1))],
     {**NUMBERS, "window_strides": [4, 4], "lhs_dilation": [2, 2]}, source="spec")

versions = {"numpy": np.__version__, "python": platform.python_version(), "seed": SEED}
with open(sys.argv[1] + "/ops/dynamic.json", "w") as f:
    f.write('{"versions": %s,\n "script": "tests/oracle/ref_dynamic.py",\n "tensors": [],\n "cases": [\n' % json.dumps(versions))
    f.write(",\n".join(json.dumps(c) for c in cases) + "\n]}\n")
