"""Whole programs for jax_ad.py, ad_objectives.py and bench/ad: ADBench's three objectives, a thrown projectile in 38 Euler steps, and the
six differentiable simulations that the literature on coarsening (Shen et al., OOPSLA 2021) measures, written anew from
their descriptions and sized by their arguments: what they share with the originals is the problem, not the constants.

Each is a plain function of arrays; PROGRAMS gives its arguments at a size for tests and at a size for measurements.
"""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, nn
from jax.scipy import special

DT = 0.05


# --- ADBench -----------------------------------------------------------------------------------------

def gmm(alpha, mean, icf, x):
    """Log likelihood of points x [n, d] under k Gaussians: log weights alpha [k], mean [k, d], icf [k, d + d(d-1)/2] the
    inverse Cholesky factors (log of the diagonal, then the columns below it), with a Wishart prior (gamma 1, m 0)."""
    n, d = x.shape
    k = alpha.shape[0]
    below = [(i, j) for j in range(d) for i in range(j + 1, d)]
    rows, columns = np.array([b[0] for b in below], int), np.array([b[1] for b in below], int)
    q = jnp.exp(icf[:, :d])
    factor = jnp.zeros((k, d, d), x.dtype).at[:, rows, columns].set(icf[:, d:]) + q[:, :, None] * jnp.eye(d)
    z = jnp.einsum("kij,nkj->nki", factor, x[:, None] - mean[None])
    t = alpha + icf[:, :d].sum(1) - 0.5 * (z * z).sum(-1)
    prior = 0.5 * ((q * q).sum() + (icf[:, d:] ** 2).sum())
    return special.logsumexp(t, axis=1).sum() - n * special.logsumexp(alpha) + prior


def lstm(main, extra, state, sequence):
    """Loss of a diagonal LSTM: main [2l, 4b] weights and biases of l layers, extra [3, b] of the ends, state [2l, b],
    sequence [c, b] of characters in bits."""
    b, layers = extra.shape[1], main.shape[0] // 2

    def step(s, t):
        now, then = t
        x, new = now * extra[0], []
        for y in range(layers):
            h, c = s[2 * y], s[2 * y + 1]
            w, bias = main[2 * y].reshape(4, b), main[2 * y + 1].reshape(4, b)
            forget, keep = nn.sigmoid(x * w[0] + bias[0]), nn.sigmoid(h * w[1] + bias[1])
            c = c * forget + keep * jnp.tanh(h * w[3] + bias[3])
            x = nn.sigmoid(x * w[2] + bias[2]) * jnp.tanh(c)
            new += [x, c]
        y = x * extra[1] + extra[2]
        return jnp.stack(new), (then * (y - jnp.log(jnp.exp(y).sum() + 2))).sum()
    losses = lax.scan(step, state, (sequence[:-1], sequence[1:]))[1]
    return -losses.sum() / ((sequence.shape[0] - 1) * b)


def ba(v, feature):
    """Residuals [2] of one observation: v = camera [11], point [3], weight [1]; feature [2] where it was seen."""
    r, center, x, w = v[:3], v[3:6], v[11:14], v[14]

    def turned(r, d):
        theta = jnp.sqrt((r * r).sum())
        u = r / theta
        return d * jnp.cos(theta) + jnp.cross(u, d) * jnp.sin(theta) + u * (u @ d) * (1 - jnp.cos(theta))
    y = lax.cond((r * r).sum() > 0, turned, lambda r, d: d + jnp.cross(r, d), r, x - center)
    q = y[:2] / y[2]
    s = (q * q).sum()
    return w * (q * (1 + v[9] * s + v[10] * s * s) * v[6] + v[7:9] - feature)


# --- Simulations -------------------------------------------------------------------------------------

def projectile(angle, speed):
    """Squared miss, at a target 5 m away, of a ball thrown with drag: 38 explicit Euler steps."""
    def step(i, s):
        x, y, vx, vy = s
        drag = 0.05 * jnp.sqrt(vx * vx + vy * vy)
        return x + 0.025 * vx, y + 0.025 * vy, vx - 0.025 * drag * vx, vy - 0.025 * (9.81 + drag * vy)
    x, y, _, _ = lax.fori_loop(0, 38, step, (0.0 * angle, 0.0 * angle, speed * jnp.cos(angle), speed * jnp.sin(angle)))
    return (x - 5.0) ** 2 + y * y


def bgd_hyper_opt(rate, decay, w, x, y):
    """BGDHyperOpt: validation loss after batch gradient descent on a logistic regression, as a function of the rate, its
    decay and the first weights: a gradient through 10 steps that are gradients themselves."""
    half = x.shape[0] // 2

    def loss(w, x, y):
        z = x @ w
        return jnp.mean(jnp.maximum(z, 0) - z * y + jnp.log1p(jnp.exp(-jnp.abs(z)))) + 0.01 * w @ w

    def step(i, s):
        w, r = s
        return w - r * jax.grad(loss)(w, x[:half], y[:half]), r * decay
    return loss(lax.fori_loop(0, 10, step, (w, rate))[0], x[half:], y[half:])


def brachistochrone(heights):
    """Time of a frictionless slide from (0, 1) to (1, 0) along a path of straight pieces through the given heights."""
    n = heights.shape[0] + 1
    y = jnp.concatenate([jnp.ones(1), heights, jnp.zeros(1)])
    v = jnp.sqrt(2 * 9.81 * (1.0 + 1e-3 - y))
    return jnp.sum(2 * jnp.sqrt((1 / n) ** 2 + (y[1:] - y[:-1]) ** 2) / (v[1:] + v[:-1]))


def cart_pole(w, b, v, state):
    """CartPole: cost of 20 steps under a controller of one hidden layer; state = position, velocity, angle, its rate."""
    def step(s, _):
        force = 10.0 * jnp.tanh(jnp.tanh(w @ s + b) @ v)
        sin, cos = jnp.sin(s[2]), jnp.cos(s[2])
        push = (force + 0.05 * s[3] ** 2 * sin) / 1.1
        spin = (9.8 * sin - cos * push) / (0.5 * (4 / 3 - 0.1 * cos * cos / 1.1))
        s = s + 0.02 * jnp.stack([s[1], push - 0.05 * spin * cos / 1.1, s[3], spin])
        return s, s[0] ** 2 + 10 * s[2] ** 2 + 0.001 * force * force
    return lax.scan(step, state, None, 20)[1].sum()


def hmc(q, p, size, scale):
    """Hamiltonian Monte Carlo: the change of energy over 8 leapfrog steps on a curved density (a banana in two
    coordinates, normal in the others), whose force is a gradient."""
    def energy(q):
        return 0.5 * (q[0] ** 2 / scale + (q[1] - 0.5 * q[0] ** 2) ** 2 + jnp.sum(q[2:] ** 2))
    force = jax.grad(energy)

    def step(i, s):
        q, p = s
        p = p - 0.5 * size * force(q)
        q = q + size * p
        return q, p - 0.5 * size * force(q)
    new_q, new_p = lax.fori_loop(0, 8, step, (q, p))
    return energy(new_q) + 0.5 * new_p @ new_p - energy(q) - 0.5 * p @ p


def hookean_spring(x, rest, stiffness):
    """HookeanSpring: energy after 6 steps of descent of a chain of masses x [n, 2] held at its first, with the springs'
    rest lengths and stiffnesses [n-1]."""
    def energy(x):
        d = x[1:] - x[:-1]
        length = jnp.sqrt(jnp.sum(d * d, -1) + 1e-9)
        return 0.5 * jnp.sum(stiffness * (length - rest) ** 2) + 0.1 * 9.81 * jnp.sum(x[:, 1])
    free = jnp.ones_like(x).at[0].set(0.0)
    return energy(lax.fori_loop(0, 6, lambda i, x: x - 0.02 * free * jax.grad(energy)(x), x))


def qwop(torque, phase):
    """QWOP: how far a runner of point masses gets. Five masses (hip, knees, feet), springs between them, a torque of
    four muscles in time [steps, 4] that sets the springs' rest lengths, a ground that pushes back and holds."""
    bones = np.array([[0, 1], [1, 2], [0, 3], [3, 4]])
    start = jnp.array([[0.0, 1.0], [0.1, 0.55], [0.0, 0.05], [-0.1, 0.55], [0.0, 0.05]])

    def step(s, t):
        x, v = s
        d = x[bones[:, 1]] - x[bones[:, 0]]
        length = jnp.sqrt(jnp.sum(d * d, -1) + 1e-9)
        rest = 0.48 + 0.1 * jnp.tanh(t)
        pull = (60.0 * (length - rest) / length)[:, None] * d
        f = jnp.zeros_like(x).at[bones[:, 0]].add(pull).at[bones[:, 1]].add(-pull)
        depth = jnp.maximum(-x[:, 1], 0.0)
        f = f + jnp.stack([-8.0 * depth * v[:, 0], 400.0 * depth - 9.81 - 2.0 * jnp.where(depth > 0, v[:, 1], 0.0)], 1)
        v = 0.98 * (v + 0.01 * f)
        x = x + 0.01 * v
        return (x, v), x[0, 1]
    (x, v), hip = lax.scan(step, (start, jnp.zeros_like(start)), torque * jnp.sin(phase + jnp.arange(torque.shape[0])[:, None]))
    return x[0, 0] + v[0, 0] - jnp.sum((hip - 1.0) ** 2)


# --- Arguments ---------------------------------------------------------------------------------------

def gmm_args(n, d, k):
    return lambda r: (r.normal(size=k), r.uniform(size=(k, d)), r.normal(size=(k, d * (d + 1) // 2)), r.normal(size=(n, d)))


def lstm_args(layers, b, c):
    return lambda r: (r.uniform(-1, 1, (2 * layers, 4 * b)), r.uniform(-1, 1, (3, b)), r.uniform(-1, 1, (2 * layers, b)),
                      (r.uniform(size=(c, b)) < 0.4) * 1.0)


def ba_args(r):
    camera = [r.normal(size=3) * 0.3, r.normal(size=3) * 0.2, 400 + r.normal(size=1), r.normal(size=2), r.normal(size=2) * 1e-3]
    point = [r.normal(size=2), 5 + r.uniform(size=1), r.uniform(0.5, 1.5, size=1)]
    return np.concatenate(camera + point), r.normal(size=2) * 50


def bgd_args(n, d):
    return lambda r: (np.array(0.5), np.array(0.9), r.normal(size=d) * 0.1, r.normal(size=(n, d)), (r.uniform(size=n) < 0.5) * 1.0)


def cart_args(hidden):
    return lambda r: (r.normal(size=(hidden, 4)), r.normal(size=hidden), r.normal(size=hidden), np.array([0.1, 0.0, 0.2, 0.0]))


def hmc_args(d, size=0.1):  # a short step keeps the energy but for what is lost in its rounding
    return lambda r: (r.normal(size=d), r.normal(size=d), np.array(size), np.array(2.0))


def spring_args(n):
    return lambda r: (np.stack([np.arange(n) * 0.5, np.zeros(n)], 1) + r.normal(size=(n, 2)) * 0.05, r.uniform(0.3, 0.5, n - 1),
                      r.uniform(5, 10, n - 1))


# name: (function, arguments to differentiate by, arguments for tests, for measurements)
PROGRAMS = {
    "gmm": (gmm, (0, 1, 2), gmm_args(4, 3, 2), gmm_args(1000, 10, 25)),
    "lstm": (lstm, (0, 1), lstm_args(2, 2, 5), lstm_args(2, 14, 1024)),
    "ba": (ba, (0,), ba_args, ba_args),
    "projectile": (projectile, (0, 1), lambda r: (np.array(0.62), np.array(6.4)),) + (lambda r: (np.array(0.62), np.array(6.4)),),
    "bgd_hyper_opt": (bgd_hyper_opt, (0, 1, 2), bgd_args(6, 3), bgd_args(256, 32)),
    "brachistochrone": (brachistochrone, (0,), lambda r: (np.sort(r.uniform(0.1, 0.9, 7))[::-1].copy(),), lambda r: (np.sort(r.uniform(0.1, 0.9, 999))[::-1].copy(),)),
    "cart_pole": (cart_pole, (0, 1, 2), cart_args(2), cart_args(32)),
    "hmc": (hmc, (0, 1, 2, 3), hmc_args(3), hmc_args(64, 0.5)),
    "hookean_spring": (hookean_spring, (0, 1, 2), spring_args(4), spring_args(256)),
    "qwop": (qwop, (0, 1), lambda r: (r.normal(size=(6, 4)), np.array(0.3)), lambda r: (r.normal(size=(200, 4)), np.array(0.3))),
}
