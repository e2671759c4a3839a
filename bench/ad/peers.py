#!/usr/bin/env python3
"""A peer of bench/ad/compare.py: peers.py jax|torch DIR. Answers a line `NAME objective|gradient SECONDS` with the best and
the median time of a call in seconds, or `-` for what it does not have. PyTorch has ADBench's three objectives and the
Brachistochrone, eager, as one writes them there; JAX compiles all."""
import os, statistics, sys, time
import numpy as np
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


def timed(call, seconds):
    call()
    times, start = [], time.perf_counter()
    while len(times) < 3 or time.perf_counter() - start < seconds:
        a = time.perf_counter()
        call()
        times.append(time.perf_counter() - a)
    return min(times), statistics.median(times)


def with_jax():
    from record import PROGRAMS, Fn, arguments, chains
    import jax
    compiled = {}

    def get(name, what):
        fn, wrt, _, large = PROGRAMS[name]
        one, x = arguments(name, large)
        f = Fn(lambda *a: [fn(*a)], len(one), 1).chain(chains(name, wrt)[what == "gradient"])
        run, x = jax.jit(f.call), [jax.numpy.asarray(v) for v in x]
        return lambda: jax.block_until_ready(run(*x))

    def answer(name, what):
        if (name, what) not in compiled:
            compiled[name, what] = get(name, what)
        return compiled[name, what]
    return answer


def with_torch(folder):
    import torch
    torch.set_default_dtype(torch.float64)

    def values(name):
        with open(os.path.join(folder, name + ".txt"), encoding="utf-8") as file:
            ins = []
            for text in file:
                if text.startswith("// do gradient"):
                    break
                if text.startswith("// in "):
                    _, _, _, dims, data = text.split()
                    shape = [int(d) for d in dims.split("x")] if dims != "-" else []
                    ins.append(torch.from_numpy(np.frombuffer(bytes.fromhex(data)).reshape(shape).copy()))
            return ins

    def gmm(alpha, mean, icf, x):
        n, d = x.shape
        k = alpha.shape[0]
        below = [(i, j) for j in range(d) for i in range(j + 1, d)]
        rows, columns = torch.tensor([b[0] for b in below]), torch.tensor([b[1] for b in below])
        q = torch.exp(icf[:, :d])
        factor = torch.diag_embed(q).index_put((torch.arange(k)[:, None], rows, columns), icf[:, d:])
        z = torch.einsum("kij,nkj->nki", factor, x[:, None] - mean[None])
        t = alpha + icf[:, :d].sum(1) - 0.5 * (z * z).sum(-1)
        return torch.logsumexp(t, 1).sum() - n * torch.logsumexp(alpha, 0) + 0.5 * ((q * q).sum() + (icf[:, d:] ** 2).sum())

    def lstm(main, extra, state, sequence):
        b, layers = extra.shape[1], main.shape[0] // 2
        s, total = list(state), 0.0
        for t in range(sequence.shape[0] - 1):
            x = sequence[t] * extra[0]
            for y in range(layers):
                h, c = s[2 * y], s[2 * y + 1]
                w, bias = main[2 * y].view(4, b), main[2 * y + 1].view(4, b)
                c = c * torch.sigmoid(x * w[0] + bias[0]) + torch.sigmoid(h * w[1] + bias[1]) * torch.tanh(h * w[3] + bias[3])
                x = torch.sigmoid(x * w[2] + bias[2]) * torch.tanh(c)
                s[2 * y], s[2 * y + 1] = x, c
            y = x * extra[1] + extra[2]
            total = total + (sequence[t + 1] * (y - torch.log(torch.exp(y).sum() + 2))).sum()
        return -total / ((sequence.shape[0] - 1) * b)

    def brachistochrone(heights):
        n = heights.shape[0] + 1
        y = torch.cat([torch.ones(1), heights, torch.zeros(1)])
        v = torch.sqrt(2 * 9.81 * (1.0 + 1e-3 - y))
        return torch.sum(2 * torch.sqrt((1 / n) ** 2 + (y[1:] - y[:-1]) ** 2) / (v[1:] + v[:-1]))

    def ba(v, feature):
        r, center, x, w = v[:3], v[3:6], v[11:14], v[14]
        d = x - center
        theta = torch.sqrt((r * r).sum())
        u = r / theta
        y = d * torch.cos(theta) + torch.linalg.cross(u, d) * torch.sin(theta) + u * (u @ d) * (1 - torch.cos(theta))
        q = y[:2] / y[2]
        s = (q * q).sum()
        return w * (q * (1 + v[9] * s + v[10] * s * s) * v[6] + v[7:9] - feature)

    programs = {"gmm": (gmm, 3), "lstm": (lstm, 2), "brachistochrone": (brachistochrone, 1), "ba": (ba, 1)}
    ready = {}

    def answer(name, what):
        if name not in programs:
            return None
        if name not in ready:
            ready[name] = values(name)
        fn, n_wrt = programs[name]
        x = [v.requires_grad_(i < n_wrt and what == "gradient" and name != "ba") for i, v in enumerate(ready[name])]
        if name == "ba":
            f = torch.func.vmap(fn if what == "objective" else torch.func.jacfwd(fn))
            return lambda: f(*x)
        if what == "objective":
            def value():
                with torch.no_grad():
                    fn(*x)
            return value
        return lambda: torch.autograd.grad(fn(*x), x[:n_wrt])
    return answer


def main():
    answer = with_jax() if sys.argv[1] == "jax" else with_torch(sys.argv[2])
    for request in sys.stdin:
        name, what, seconds = request.split()
        call = answer(name, what)
        print("-" if call is None else "%.9g %.9g" % timed(call, float(seconds)), flush=True)


if __name__ == "__main__":
    main()
