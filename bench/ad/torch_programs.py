"""The programs of tests/oracle/jax_programs.py for PyTorch, eager: vectorised where the data is, loops in Python. PROGRAMS
says by how many of its first arguments each is differentiated."""
import torch
from torch import cos, einsum, exp, log, log1p, logsumexp, maximum, sigmoid, sin, sqrt, stack, tanh, where

torch.set_default_dtype(torch.float64)


def slope(f, x):
    """The gradient of f at x; it has one of its own where the caller is differentiated."""
    outer = torch.is_grad_enabled()
    with torch.enable_grad():
        x = x if outer else x.detach().requires_grad_()
        return torch.autograd.grad(f(x), x, create_graph=outer)[0]


def gmm(alpha, mean, icf, x):
    n, d = x.shape
    k = alpha.shape[0]
    below = [(i, j) for j in range(d) for i in range(j + 1, d)]
    rows, columns = torch.tensor([b[0] for b in below]), torch.tensor([b[1] for b in below])
    q = exp(icf[:, :d])
    factor = torch.diag_embed(q).index_put((torch.arange(k)[:, None], rows, columns), icf[:, d:])
    z = einsum("kij,nkj->nki", factor, x[:, None] - mean[None])
    t = alpha + icf[:, :d].sum(1) - 0.5 * (z * z).sum(-1)
    return logsumexp(t, 1).sum() - n * logsumexp(alpha, 0) + 0.5 * ((q * q).sum() + (icf[:, d:] ** 2).sum())


def lstm(main, extra, state, sequence):
    b, layers = extra.shape[1], main.shape[0] // 2
    s, total = list(state), 0.0
    for t in range(sequence.shape[0] - 1):
        x = sequence[t] * extra[0]
        for y in range(layers):
            h, c = s[2 * y], s[2 * y + 1]
            w, bias = main[2 * y].view(4, b), main[2 * y + 1].view(4, b)
            c = c * sigmoid(x * w[0] + bias[0]) + sigmoid(h * w[1] + bias[1]) * tanh(h * w[3] + bias[3])
            x = sigmoid(x * w[2] + bias[2]) * tanh(c)
            s[2 * y], s[2 * y + 1] = x, c
        y = x * extra[1] + extra[2]
        total = total + (sequence[t + 1] * (y - log(exp(y).sum() + 2))).sum()
    return -total / ((sequence.shape[0] - 1) * b)


def ba(v, feature):
    r, center, x, w = v[:3], v[3:6], v[11:14], v[14]
    d, square = x - center, (r * r).sum()
    turns = square > 0
    theta = sqrt(where(turns, square, 1.0))  # torch.func's vmap has no branch by data
    u = r / theta
    y = where(turns, d * cos(theta) + torch.linalg.cross(u, d) * sin(theta) + u * (u @ d) * (1 - cos(theta)),
              d + torch.linalg.cross(r, d))
    q = y[:2] / y[2]
    s = (q * q).sum()
    return w * (q * (1 + v[9] * s + v[10] * s * s) * v[6] + v[7:9] - feature)


def projectile(angle, speed):
    x, y, vx, vy = 0.0 * angle, 0.0 * angle, speed * cos(angle), speed * sin(angle)
    for _ in range(38):
        drag = 0.05 * sqrt(vx * vx + vy * vy)
        x, y, vx, vy = x + 0.025 * vx, y + 0.025 * vy, vx - 0.025 * drag * vx, vy - 0.025 * (9.81 + drag * vy)
    return (x - 5.0) ** 2 + y * y


def bgd_hyper_opt(rate, decay, w, x, y):
    half = x.shape[0] // 2

    def loss(w, x, y):
        z = x @ w
        return torch.mean(maximum(z, torch.zeros(())) - z * y + log1p(exp(-z.abs()))) + 0.01 * w @ w
    for _ in range(10):
        w, rate = w - rate * slope(lambda w: loss(w, x[:half], y[:half]), w), rate * decay
    return loss(w, x[half:], y[half:])


def brachistochrone(heights):
    n = heights.shape[0] + 1
    y = torch.cat([torch.ones(1), heights, torch.zeros(1)])
    v = sqrt(2 * 9.81 * (1.0 + 1e-3 - y))
    return torch.sum(2 * sqrt((1 / n) ** 2 + (y[1:] - y[:-1]) ** 2) / (v[1:] + v[:-1]))


def cart_pole(w, b, v, state):
    s, cost = state, 0.0
    for _ in range(20):
        force = 10.0 * tanh(tanh(w @ s + b) @ v)
        sine, cosine = sin(s[2]), cos(s[2])
        push = (force + 0.05 * s[3] ** 2 * sine) / 1.1
        spin = (9.8 * sine - cosine * push) / (0.5 * (4 / 3 - 0.1 * cosine * cosine / 1.1))
        s = s + 0.02 * stack([s[1], push - 0.05 * spin * cosine / 1.1, s[3], spin])
        cost = cost + s[0] ** 2 + 10 * s[2] ** 2 + 0.001 * force * force
    return cost


def hmc(q, p, size, scale):
    def energy(q):
        return 0.5 * (q[0] ** 2 / scale + (q[1] - 0.5 * q[0] ** 2) ** 2 + torch.sum(q[2:] ** 2))
    new_q, new_p = q, p
    for _ in range(8):
        new_p = new_p - 0.5 * size * slope(energy, new_q)
        new_q = new_q + size * new_p
        new_p = new_p - 0.5 * size * slope(energy, new_q)
    return energy(new_q) + 0.5 * new_p @ new_p - energy(q) - 0.5 * p @ p


def hookean_spring(x, rest, stiffness):
    def energy(x):
        d = x[1:] - x[:-1]
        length = sqrt(torch.sum(d * d, -1) + 1e-9)
        return 0.5 * torch.sum(stiffness * (length - rest) ** 2) + 0.1 * 9.81 * torch.sum(x[:, 1])
    free = torch.ones(x.shape[0], 1)
    free[0] = 0.0
    for _ in range(6):
        x = x - 0.02 * free * slope(energy, x)
    return energy(x)


def qwop(torque, phase):
    upper, lower = torch.tensor([0, 1, 0, 3]), torch.tensor([1, 2, 3, 4])
    x = torch.tensor([[0.0, 1.0], [0.1, 0.55], [0.0, 0.05], [-0.1, 0.55], [0.0, 0.05]])
    v, miss = torch.zeros(5, 2), 0.0
    muscles = torque * sin(phase + torch.arange(torque.shape[0], dtype=torch.float64)[:, None])
    for t in muscles:
        d = x[lower] - x[upper]
        length = sqrt(torch.sum(d * d, -1) + 1e-9)
        rest = 0.48 + 0.1 * tanh(t)
        pull = (60.0 * (length - rest) / length)[:, None] * d
        f = torch.zeros(5, 2).index_add(0, upper, pull).index_add(0, lower, -pull)
        depth = maximum(-x[:, 1], torch.zeros(()))
        f = f + stack([-8.0 * depth * v[:, 0], 400.0 * depth - 9.81 - 2.0 * where(depth > 0, v[:, 1], 0.0)], 1)
        v = 0.98 * (v + 0.01 * f)
        x = x + 0.01 * v
        miss = miss + (x[0, 1] - 1.0) ** 2
    return x[0, 0] + v[0, 0] - miss


PROGRAMS = {"gmm": (gmm, 3), "lstm": (lstm, 2), "ba": (ba, 1), "projectile": (projectile, 2), "bgd_hyper_opt": (bgd_hyper_opt, 3),
            "brachistochrone": (brachistochrone, 1), "cart_pole": (cart_pole, 3), "hmc": (hmc, 4), "hookean_spring": (hookean_spring, 3),
            "qwop": (qwop, 2)}
