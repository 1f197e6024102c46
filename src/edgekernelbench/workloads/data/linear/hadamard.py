"""Fast Walsh-Hadamard transform."""

import torch


def hadamard(x, *, S, N):
    """Butterflies over pairs 1, 2, 4, ... apart, then scale."""
    y = x.float()
    for s in range(S):
        a, b = y.view(len(x), -1, 2, 1 << s).unbind(2)
        y = torch.stack([a + b, a - b], dim=2).view(len(x), N)
    return (y * N**-0.5).to(x.dtype)
