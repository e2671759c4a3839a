"""The general programs of bench/programs.tsv as JAX functions; bench/beside_jax.py measures them.

Sizes are such that JAX needs 100 us or more on two cores. Everything is deterministic: arguments come from a seed, random
numbers from keys that are arguments.
"""
import csv, os, sys
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "oracle"))
import jax
jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
import numpy as np
from jax import lax, nn
import jax_programs

F32, F64, BF16 = jnp.float32, jnp.float64, jnp.bfloat16
PROGRAMS = {}  # name: (function, generator -> arguments)


def program(name, *shapes, **how):
    """Registers a function whose arguments are normal numbers of the shapes, f32 or as how["dtype"] says; a shape may be
    (shape, dtype), or a function of the generator."""
    def give(fn):
        PROGRAMS[name] = (fn, lambda r: [one(r, s, how.get("dtype", F32)) for s in shapes])
        return fn
    return give


def one(r, s, dtype):
    if callable(s):
        return s(r)
    if s and isinstance(s[0], tuple):
        s, dtype = s
    return r.normal(size=s).astype(dtype)


def integers(high, *shape, dtype=np.int32):
    return lambda r: r.integers(0, high, shape).astype(dtype)


def uniform(*shape, dtype=F32, low=0.0, high=1.0):
    return lambda r: r.uniform(low, high, shape).astype(dtype)


def key(r):
    return np.array([0, 42], np.uint32)


tree = jax.tree.map


# --- elementwise chains ------------------------------------------------------------------------------

@program("chain_f32", (1000000,), (1000000,))
def chain_f32(x, y):
    return jnp.tanh(jnp.maximum(jnp.exp(jnp.minimum((x + y) * x, 10)) - y, x))


@program("gelu_bf16", ((2048, 1024), BF16), ((1024,), BF16))
def gelu_bf16(x, b):
    x = x + b
    return 0.5 * x * (1 + jnp.tanh(0.7978845608 * (x + 0.044715 * x * x * x)))


@program("horner_f64", (1000000,), dtype=F64)
def horner_f64(x):
    y = jnp.zeros_like(x)
    for i in range(12):
        y = y * x + 1.0 / (i + 1)
    return y


@program("polar_f32", (500000,), (500000,))
def polar_f32(x, y):
    radius, angle = jnp.sqrt(x * x + y * y), jnp.arctan2(y, x)
    return radius * jnp.sin(2 * angle), radius * jnp.cos(2 * angle)


@program("broadcast_f32", (2048, 1024), (2048, 1), (1024,))
def broadcast_f32(x, column, row):
    y = (x - column) * row
    return jnp.where(y > 0, y, 0.01 * y) + column


@program("mix_u32", integers(2**32, 4000000, dtype=np.uint32))
def mix_u32(x):
    for shift, factor in ((16, 0x7feb352d), (15, 0x846ca68b)):
        x = (x ^ (x >> np.uint32(shift))) * np.uint32(factor)
    return x ^ (x >> np.uint32(16))


# --- reductions --------------------------------------------------------------------------------------

@program("sum_rows", (2048, 2048))
def sum_rows(x):
    return x.sum(1)


@program("sum_columns", (2048, 2048))
def sum_columns(x):
    return x.sum(0)


@program("sum_all_f64", (4000000,), dtype=F64)
def sum_all_f64(x):
    return x.sum()


@program("max_middle", (64, 512, 256))
def max_middle(x):
    return x.max(1)


@program("argmax_rows", (1024, 2048))
def argmax_rows(x):
    return jnp.argmax(x, 1).astype(np.int32)


@program("sum_outer_bf16", ((128, 256, 512), BF16))
def sum_outer_bf16(x):
    return x.sum((0, 2), dtype=F32)


@program("mean_variance", (4096, 1024))
def mean_variance(x):
    return x.mean(0), x.var(0)


# --- softmax -----------------------------------------------------------------------------------------

@program("softmax_rows", (4096, 512))
def softmax_rows(x):
    return nn.softmax(x)


@program("softmax_causal", (8, 512, 512))
def softmax_causal(x):
    return nn.softmax(jnp.where(jnp.tril(jnp.ones((512, 512), bool)), 0.125 * x, -jnp.inf))


@program("softmax_columns", (1024, 1024))
def softmax_columns(x):
    return nn.softmax(x, axis=0)


@program("softmax_vocabulary_bf16", ((64, 32000), BF16))
def softmax_vocabulary_bf16(x):
    return nn.softmax(x)


@program("cross_entropy_gradient", (256, 8192), integers(8192, 256))
def cross_entropy_gradient(x, label):
    def loss(x):
        return -jnp.take_along_axis(nn.log_softmax(x), label[:, None], 1).mean()
    return jax.value_and_grad(loss)(x)


# --- layer norm --------------------------------------------------------------------------------------

def layer_norm(x, g, b):
    m = x.mean(-1, keepdims=True)
    return (x - m) * lax.rsqrt(((x - m) ** 2).mean(-1, keepdims=True) + 1e-5) * g + b


program("layer_norm", (4096, 768), (768,), (768,))(layer_norm)


@program("rms_norm_bf16", ((4096, 1024), BF16), ((1024,), BF16))
def rms_norm_bf16(x, g):
    y = x.astype(F32)
    return (y * lax.rsqrt((y * y).mean(-1, keepdims=True) + 1e-6)).astype(BF16) * g


@program("layer_norm_gradient", (2048, 768), (768,), (768,), (2048, 768))
def layer_norm_gradient(x, g, b, dy):
    return jax.vjp(layer_norm, x, g, b)[1](dy)


@program("group_norm", (8, 32, 32, 128), (128,), (128,))
def group_norm(x, g, b):
    y = x.reshape(8, 32 * 32, 16, 8)
    m = y.mean((1, 3), keepdims=True)
    y = (y - m) * lax.rsqrt(y.var((1, 3), keepdims=True) + 1e-5)
    return y.reshape(x.shape) * g + b


@program("residual_norm", (2048, 1024), (2048, 1024), (1024,), (1024,))
def residual_norm(x, y, g, b):
    x = x + y
    return x, layer_norm(x, g, b)


# --- matmul ------------------------------------------------------------------------------------------

def matmul(x, y):
    return lax.dot(x, y, preferred_element_type=x.dtype)


for name, a, b, dtype in (("square_f32", (768, 768), (768, 768), F32), ("tall_f32", (16384, 64), (64, 64), F32),
                          ("inner_f32", (64, 16384), (16384, 64), F32), ("outer_f32", (2048, 16), (16, 2048), F32),
                          ("vector_f32", (1, 4096), (4096, 4096), F32), ("square_bf16", (512, 512), (512, 512), BF16),
                          ("tall_bf16", (4096, 128), (128, 128), BF16), ("vector_bf16", (1, 2048), (2048, 2048), BF16),
                          ("square_f64", (512, 512), (512, 512), F64), ("wide_f64", (32, 512), (512, 4096), F64)):
    program("matmul_" + name, a, b, dtype=dtype)(matmul)


@program("matmul_batched_f32", (64, 128, 64), (64, 64, 128))
def matmul_batched_f32(x, y):
    return x @ y


@program("matmul_transposed_f64", (512, 256), (384, 512), dtype=F64)
def matmul_transposed_f64(x, y):
    return x.T @ y.T


# --- convolution -------------------------------------------------------------------------------------

def convolve(x, w, stride=1, padding="SAME", layout="NHWC", groups=1, dilation=1, spread=1):
    n = x.ndim - 2
    numbers = {"NHWC": ("NHWC", "HWIO", "NHWC"), "NCHW": ("NCHW", "OIHW", "NCHW"), "NWC": ("NWC", "WIO", "NWC")}[layout]
    return lax.conv_general_dilated(x, w, (stride,) * n, padding, (spread,) * n, (dilation,) * n, numbers, groups)


@program("convolution_3x3", (1, 56, 56, 64), (3, 3, 64, 64))
def convolution_3x3(x, w):
    return convolve(x, w)


@program("convolution_1x1", (4, 28, 28, 256), (1, 1, 256, 64))
def convolution_1x1(x, w):
    return convolve(x, w)


@program("convolution_stem", (1, 224, 224, 3), (7, 7, 3, 64))
def convolution_stem(x, w):
    return convolve(x, w, stride=2)


@program("convolution_depthwise", (1, 112, 112, 96), (3, 3, 1, 96))
def convolution_depthwise(x, w):
    return convolve(x, w, groups=96)


@program("convolution_dilated_nchw", (2, 32, 48, 48), (64, 32, 3, 3))
def convolution_dilated_nchw(x, w):
    return convolve(x, w, layout="NCHW", dilation=2)


@program("convolution_audio", (4, 16000, 32), (9, 32, 32))
def convolution_audio(x, w):
    return convolve(x, w, layout="NWC", padding=[(8, 0)])


# --- gather, scatter ---------------------------------------------------------------------------------

@program("gather_rows", (50000, 64), integers(50000, 20000))
def gather_rows(x, i):
    return x[i]


@program("gather_elements", (2048, 1024), integers(1024, 2048, 512))
def gather_elements(x, i):
    return jnp.take_along_axis(x, i, 1)


@program("scatter_add_rows", (5000, 64), integers(5000, 20000), (20000, 64))
def scatter_add_rows(x, i, u):
    return x.at[i].add(u)


@program("histogram", integers(1024, 500000))
def histogram(i):
    return jnp.zeros(1024, np.int32).at[i].add(1)


@program("scatter_set", (1000000,), integers(1000000, 100000), (100000,))
def scatter_set(x, i, u):
    return x.at[i].max(u)


@program("segment_gather_gradient", (20000, 32), integers(20000, 60000), integers(20000, 60000))
def segment_gather_gradient(x, a, b):
    return jax.grad(lambda x: jnp.sum(jnp.tanh(x[a] * x[b])))(x)


# --- sort --------------------------------------------------------------------------------------------

@program("sort_f32", (200000,))
def sort_f32(x):
    return jnp.sort(x)


@program("sort_rows", (1000, 500))
def sort_rows(x):
    return jnp.sort(x, 1)


@program("argsort", (100000,))
def argsort(x):
    return jnp.argsort(x).astype(np.int32)


@program("top_k", (64, 8192))
def top_k(x):
    return lax.top_k(x, 40)


@program("median_columns", (501, 400))
def median_columns(x):
    return jnp.sort(x, 0)[250]


# --- cumsum ------------------------------------------------------------------------------------------

@program("cumsum", (500000,))
def cumsum(x):
    return jnp.cumsum(x)


@program("cumsum_rows", (1024, 1024))
def cumsum_rows(x):
    return jnp.cumsum(x, 1)


@program("cumsum_columns_f64", (1024, 512), dtype=F64)
def cumsum_columns_f64(x):
    return jnp.cumsum(x, 0)


@program("cummax", (512, 2048))
def cummax(x):
    return lax.cummax(x, axis=1)


@program("linear_recurrence", uniform(256, 2048, low=0.5), (256, 2048))
def linear_recurrence(a, b):
    return lax.associative_scan(lambda s, t: (s[0] * t[0], s[1] * t[0] + t[1]), (a, b), axis=1)[1]


# --- FFT ---------------------------------------------------------------------------------------------

def complex_normal(*shape, dtype=np.complex64):
    return lambda r: (r.normal(size=shape) + 1j * r.normal(size=shape)).astype(dtype)


@program("fft_rows", complex_normal(256, 1024))
def fft_rows(x):
    return jnp.fft.fft(x)


@program("fft_long_c128", complex_normal(131072, dtype=np.complex128))
def fft_long_c128(x):
    return jnp.fft.fft(x)


@program("rfft_image", (512, 512))
def rfft_image(x):
    return jnp.fft.rfft2(x)


@program("fft_odd", complex_normal(100, 1155))
def fft_odd(x):
    return jnp.fft.ifft(x)


@program("fft_convolution", (16, 8192), (8192,))
def fft_convolution(x, w):
    return jnp.fft.irfft(jnp.fft.rfft(x) * jnp.fft.rfft(w), 8192)


# --- random numbers ----------------------------------------------------------------------------------

@program("random_bits", key)
def random_bits(k):
    return jax.random.bits(k, (500000,), np.uint32)


@program("random_uniform", key)
def random_uniform(k):
    return jax.random.uniform(k, (500000,), F32)


@program("random_normal", key)
def random_normal(k):
    return jax.random.normal(k, (300000,), F32)


@program("random_categorical", key, (64, 4096))
def random_categorical(k, logits):
    return jax.random.categorical(k, logits, shape=(64,)).astype(np.int32)


@program("dropout", key, (512, 1024))
def dropout(k, x):
    return jnp.where(jax.random.bernoulli(k, F32(0.9), x.shape), x / F32(0.9), 0)


# --- training steps ----------------------------------------------------------------------------------

def momentum(loss, params, speed, *data):
    value, g = jax.value_and_grad(loss)(params, *data)
    speed = tree(lambda s, g: 0.9 * s + g, speed, g)
    return value, tree(lambda p, s: p - 0.01 * s, params, speed), speed


def adam(loss, params, m, v, *data):
    value, g = jax.value_and_grad(loss)(params, *data)
    g = tree(lambda g: g.astype(F32), g)
    m, v = tree(lambda m, g: 0.9 * m + 0.1 * g, m, g), tree(lambda v, g: 0.999 * v + 0.001 * g * g, v, g)
    new = tree(lambda p, m, v: (p.astype(F32) - 1e-3 * (m / 0.1) / (jnp.sqrt(v / 0.001) + 1e-8)).astype(p.dtype), params, m, v)
    return value, new, m, v


def scaled(*shape):
    return lambda r: (r.normal(size=shape) / np.sqrt(np.prod(shape[:-1]))).astype(F32)


def zeros_of(makers):
    return filled(0.0, makers)


def filled(value, makers):
    """A second moment that has seen gradients: from none, Adam's first step is their sign, however small they are."""
    return lambda r: [np.full_like(np.asarray(p, F32), value) for p in makers(r)]


def weights(*shapes, dtype=F32):
    return lambda r: [scaled(*s)(r).astype(dtype) for s in shapes]


def negative_log(logits, label):
    return -jnp.take_along_axis(nn.log_softmax(logits.astype(F32)), label[:, None], 1).mean()


def mlp_loss(p, x, label):
    for w in p[:-1]:
        x = nn.relu(x @ w)
    return negative_log(x @ p[-1], label)


MLP = ((784, 256), (256, 256), (256, 10))


@program("train_mlp", weights(*MLP), zeros_of(weights(*MLP)), (128, 784), integers(10, 128))
def train_mlp(p, s, x, label):
    return momentum(mlp_loss, p, s, x, label)


@program("train_mlp_bf16", weights(*MLP, dtype=BF16), zeros_of(weights(*MLP)), filled(1e-4, weights(*MLP)), ((256, 784), BF16),
         integers(10, 256))
def train_mlp_bf16(p, m, v, x, label):
    return adam(mlp_loss, p, m, v, x, label)


def pool(x):
    return lax.reduce_window(x, np.array(-np.inf, x.dtype), lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def convnet_loss(p, x, label):
    x = pool(nn.relu(convolve(x, p[0])))
    x = pool(nn.relu(convolve(x, p[1])))
    return mlp_loss(p[2:], x.reshape(x.shape[0], -1), label)


CONVNET = ((3, 3, 1, 16), (3, 3, 16, 32), (7 * 7 * 32, 10))


@program("train_convnet", weights(*CONVNET), zeros_of(weights(*CONVNET)), (32, 28, 28, 1), integers(10, 32))
def train_convnet(p, s, x, label):
    return momentum(convnet_loss, p, s, x, label)


def batch_norm(x, g):
    m = x.mean((0, 1, 2))
    return (x - m) * lax.rsqrt(((x - m) ** 2).mean((0, 1, 2)) + 1e-5) * g[0] + g[1]


def residual_loss(p, x, label):
    x = convolve(x, p[0])
    for a, b, g, h in (p[1:5], p[5:9]):
        x = x + convolve(nn.relu(batch_norm(convolve(nn.relu(batch_norm(x, g)), a), h)), b)
    return negative_log(x.mean((1, 2)) @ p[9], label)


RESIDUAL = ((3, 3, 3, 32),) + 2 * ((3, 3, 32, 32), (3, 3, 32, 32), (2, 32), (2, 32)) + ((32, 10),)


@program("train_residual", weights(*RESIDUAL), zeros_of(weights(*RESIDUAL)), (8, 32, 32, 3), integers(10, 8))
def train_residual(p, s, x, label):
    return momentum(residual_loss, p, s, x, label)


def transformer_loss(p, ids):
    """Two layers, four heads, pre-norm, tied embedding; p = embedding, then qkv, output, up, down, two norms a layer."""
    n, t = ids.shape
    x, d = p[0][ids], p[0].shape[1]
    mask = jnp.tril(jnp.ones((t, t), bool))
    for i in range(1, len(p), 6):
        qkv, out, up, down, g, h = p[i:i + 6]
        q, k, v = jnp.split((layer_norm(x, g[0], g[1]) @ qkv).reshape(n, t, 3, 4, d // 4).transpose(2, 0, 3, 1, 4), 3)
        s = jnp.einsum("bhtd,bhsd->bhts", q[0], k[0]) * (d // 4) ** -0.5
        s = nn.softmax(jnp.where(mask, s, -1e9).astype(F32)).astype(x.dtype)
        x = x + jnp.einsum("bhts,bhsd->bhtd", s, v[0]).transpose(0, 2, 1, 3).reshape(n, t, d) @ out
        x = x + nn.gelu(layer_norm(x, h[0], h[1]) @ up) @ down
    logits = (x @ p[0].T)[:, :-1].reshape(-1, p[0].shape[0])
    return negative_log(logits, ids[:, 1:].reshape(-1))


def transformer(vocabulary, d):
    return ((vocabulary, d),) + 2 * ((d, 3 * d), (d, d), (d, 4 * d), (4 * d, d), (2, d), (2, d))


SMALL = transformer(512, 128)


@program("train_transformer", weights(*SMALL), zeros_of(weights(*SMALL)), filled(1e-4, weights(*SMALL)), integers(512, 4, 64))
def train_transformer(p, m, v, ids):
    return adam(transformer_loss, p, m, v, ids)


@program("train_transformer_bf16", weights(*SMALL, dtype=BF16), zeros_of(weights(*SMALL)), filled(1e-4, weights(*SMALL)),
         integers(512, 4, 64))
def train_transformer_bf16(p, m, v, ids):
    return adam(transformer_loss, p, m, v, ids)


# --- scans of small steps ----------------------------------------------------------------------------

@program("scan_gru", (2000, 16), scaled(16, 96), scaled(32, 96))
def scan_gru(x, w, u):
    def step(h, x):
        a, b = x @ w, h @ u
        r, z = nn.sigmoid(a[:32] + b[:32]), nn.sigmoid(a[32:64] + b[32:64])
        h = z * h + (1 - z) * jnp.tanh(a[64:] + r * b[64:])
        return h, h
    return lax.scan(step, jnp.zeros(32, F32), x)


@program("scan_kalman", (500, 2), dtype=F64)
def scan_kalman(y):
    f = jnp.eye(4) + 0.1 * jnp.eye(4, k=2)
    h = jnp.eye(2, 4)

    def step(s, y):
        x, p = s
        x, p = f @ x, f @ p @ f.T + 0.01 * jnp.eye(4)
        e = h @ p @ h.T + 0.1 * jnp.eye(2)
        inverse = jnp.array([[e[1, 1], -e[0, 1]], [-e[1, 0], e[0, 0]]]) / (e[0, 0] * e[1, 1] - e[0, 1] * e[1, 0])
        gain = p @ h.T @ inverse
        x = x + gain @ (y - h @ x)
        return (x, (jnp.eye(4) - gain @ h) @ p), x
    return lax.scan(step, (jnp.zeros(4), jnp.eye(4)), y)


@program("scan_scalars", (100000,))
def scan_scalars(x):
    def step(s, x):
        mean, size = s
        mean = 0.99 * mean + 0.01 * x
        size = 0.99 * size + 0.01 * (x - mean) ** 2
        return (mean, size), (x - mean) * lax.rsqrt(size + 1e-3)
    return lax.scan(step, (F32(0), F32(1)), x)[1]


@program("scan_rnn_gradient", (1000, 32), scaled(32, 32), scaled(32, 32))
def scan_rnn_gradient(x, w, u):
    def loss(w, u):
        def step(h, x):
            h = jnp.tanh(x @ w + h @ u)
            return h, h.sum()
        return lax.scan(step, jnp.zeros(32, F32), x)[1].mean()
    return jax.grad(loss, (0, 1))(w, u)


@program("scan_viterbi", (1000, 24), (24, 24))
def scan_viterbi(score, move):
    def step(s, y):
        t = s[:, None] + move
        return t.max(0) + y, jnp.argmax(t, 0).astype(np.int32)
    best, back = lax.scan(step, score[0], score[1:])

    def trace(i, b):
        return b[i], i
    last, path = lax.scan(trace, jnp.argmax(best).astype(np.int32), back, reverse=True)
    return best.max(), last, path


# --- ODE integrators ---------------------------------------------------------------------------------

def runge_kutta(f, y, h):
    a = f(y)
    b = f(y + 0.5 * h * a)
    c = f(y + 0.5 * h * b)
    return y + h / 6 * (a + 2 * b + 2 * c + f(y + h * c))


def lorenz(y):
    return jnp.stack([10 * (y[1] - y[0]), y[0] * (28 - y[2]) - y[1], y[0] * y[1] - 8 / 3 * y[2]])


@program("ode_lorenz", (3,), dtype=F64)
def ode_lorenz(y):
    return lax.fori_loop(0, 10000, lambda i, y: runge_kutta(lorenz, y, 0.0005), y)


@program("ode_lorenz_many", (3, 4096))
def ode_lorenz_many(y):
    return lax.fori_loop(0, 50, lambda i, y: runge_kutta(lorenz, y, F32(0.005)), y)


@program("ode_adaptive", uniform(2, dtype=F64, low=0.5, high=2.0))
def ode_adaptive(y):
    """Lotka and Volterra's equations by an embedded pair (Bogacki and Shampine's 3(2)), the step following the error."""
    def f(y):
        return jnp.stack([1.5 * y[0] - y[0] * y[1], y[0] * y[1] - 3 * y[1]])

    def step(s):
        t, y, h, n = s
        h = jnp.minimum(h, 20.0 - t)
        a = f(y)
        b = f(y + 0.5 * h * a)
        c = f(y + 0.75 * h * b)
        new = y + h / 9 * (2 * a + 3 * b + 4 * c)
        d = f(new)
        error = jnp.max(jnp.abs(h * (-5 / 72 * a + b / 12 + c / 9 - d / 8)))
        good = error < 1e-9
        return jnp.where(good, t + h, t), jnp.where(good, new, y), h * jnp.clip(0.9 * (1e-9 / error) ** (1 / 3), 0.3, 3.0), n + 1
    return lax.while_loop(lambda s: (s[0] < 20.0) & (s[3] < 10000), step, (0.0, y, 0.01, 0))


@program("ode_heat", (128, 128))
def ode_heat(u):
    def step(i, u):
        p = jnp.pad(u, 1)
        return u + F32(0.2) * (p[2:, 1:-1] + p[:-2, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2] - 4 * u)
    return lax.fori_loop(0, 100, step, u)


@program("ode_stiff", uniform(3, dtype=F64, low=0.1, high=0.9))
def ode_stiff(y):
    """Robertson's reaction by implicit Euler: four Newton steps each, the 3x3 system by Cramer's rule."""
    def f(y):
        a, b, c = 0.04 * y[0], 1e4 * y[1] * y[2], 3e7 * y[1] * y[1]
        return jnp.stack([b - a, a - b - c, c])

    def solve(m, r):
        x, y, z = m.T
        volume = jnp.dot(x, jnp.cross(y, z))
        return jnp.stack([jnp.dot(r, jnp.cross(y, z)), jnp.dot(x, jnp.cross(r, z)), jnp.dot(x, jnp.cross(y, r))]) / volume

    def step(i, y):
        def newton(j, x):
            return x - solve(jnp.eye(3) - 1e-4 * jax.jacfwd(f)(x), x - y - 1e-4 * f(x))
        return lax.fori_loop(0, 4, newton, y)
    return lax.fori_loop(0, 2000, step, y)


# --- N-body ------------------------------------------------------------------------------------------

def pull(x, m, eps=1e-2):
    d = x[None] - x[:, None]
    r = (d * d).sum(-1) + eps
    return (d * (m[None] * lax.rsqrt(r) / r)[..., None]).sum(1)


@program("nbody_leapfrog", (256, 3), (256, 3), uniform(256))
def nbody_leapfrog(x, v, m):
    def step(i, s):
        x, v = s
        v = v + F32(0.001) * pull(x, m)
        return x + F32(0.001) * v, v
    return lax.fori_loop(0, 10, step, (x, v))


@program("nbody_forces_f64", (768, 3), uniform(768, dtype=F64), dtype=F64)
def nbody_forces_f64(x, m):
    return pull(x, m)


@program("nbody_gradient", (512, 3), uniform(512))
def nbody_gradient(x, m):
    def energy(x):
        d = x[None] - x[:, None]
        return -0.5 * jnp.sum(m[None] * m[:, None] * lax.rsqrt((d * d).sum(-1) + F32(1e-2)))
    return jax.value_and_grad(energy)(x)


@program("nbody_planets", (9, 3), (9, 3), uniform(9, dtype=F64), dtype=F64)
def nbody_planets(x, v, m):
    def step(s, _):
        x, v = s
        v = v + 0.001 * pull(x, m)
        x = x + 0.001 * v
        return (x, v), x[0]
    return lax.scan(step, (x, v), None, 500)


@program("nbody_molecules", uniform(400, 3, high=8.0), (400, 3))
def nbody_molecules(x, v):
    """Lennard-Jones in a periodic box of 8, cut off at 2.5, forces from the gradient, two steps of velocity Verlet."""
    def energy(x):
        d = x[None] - x[:, None]
        d = d - 8 * jnp.round(d / 8)
        r = jnp.maximum((d * d).sum(-1), F32(0.7)) + 100 * jnp.eye(400, dtype=F32)
        s = 1 / (r * r * r)
        return 2 * jnp.sum(jnp.where(r < 6.25, s * s - s, 0))
    force = jax.grad(energy)

    def step(i, s):
        x, v, g = s
        v = v - F32(5e-5) * g
        x = x + F32(1e-4) * v
        g = force(x)
        return x, v - F32(5e-5) * g, g
    return lax.fori_loop(0, 2, step, (x, v, force(x)))[:2]


# --- ADBench's gradients -----------------------------------------------------------------------------

def objective(name, fn, n_wrt, make):
    PROGRAMS[name] = (jax.value_and_grad(fn, tuple(range(n_wrt))), lambda r: [np.asarray(v, np.float64) for v in make(r)])


objective("gmm_1k", jax_programs.gmm, 3, jax_programs.gmm_args(1000, 10, 5))
objective("gmm_10k", jax_programs.gmm, 3, jax_programs.gmm_args(10000, 2, 5))
objective("lstm_2x14", jax_programs.lstm, 2, jax_programs.lstm_args(2, 14, 1024))
objective("lstm_4x32", jax_programs.lstm, 2, jax_programs.lstm_args(4, 32, 256))


def many_observations(r):
    x = [jax_programs.ba_args(r) for _ in range(10000)]
    return [np.stack(v) for v in zip(*x)]


PROGRAMS["ba_10k"] = (jax.vmap(jax.jacfwd(jax_programs.ba)), many_observations)


# --- the table ---------------------------------------------------------------------------------------

def table():
    """Rows of programs.tsv as dictionaries; refuses where table and functions differ."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "programs.tsv"), encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    listed, defined = [r["name"] for r in rows], list(PROGRAMS)
    if sorted(listed) != sorted(defined):
        sys.exit(f"programs.py: programs.tsv and this file differ in {sorted(set(listed) ^ set(defined))}")
    return rows


def flat(name):
    """The program as a function of a flat list of arrays, and that list."""
    fn, make = PROGRAMS[name]
    leaves, shape = jax.tree.flatten(make(np.random.default_rng(7)))

    def call(*leaves):
        return jax.tree.leaves(fn(*jax.tree.unflatten(shape, leaves)))
    call.__name__ = name
    return call, [np.asarray(v) for v in leaves]
