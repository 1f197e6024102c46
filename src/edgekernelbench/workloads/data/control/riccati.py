"""Finite-horizon linear-quadratic gains."""

import torch


def riccati(a, b, q, r, *, T):
    """Backward recursion for all systems at once."""
    weight = torch.diag(q)
    p = weight.expand_as(a)
    gains = []
    for _ in range(T):
        bp = b.transpose(1, 2) @ p
        gain = torch.linalg.solve(bp @ b + torch.diag(r), bp @ a)
        p = weight + a.mT @ p @ a - (bp @ a).mT @ gain
        p = (p + p.mT) / 2
        gains.append(gain)
    return torch.stack(gains, dim=1)
