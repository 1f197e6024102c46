"""Tridiagonal systems by elimination, all systems at once."""

import torch


def thomas(a, b, c, d):
    """Forwards and backwards over the rows; no library has a banded solver for batches."""
    upper, right = [c[0] / b[0]], [d[0] / b[0]]
    for i in range(1, len(b)):
        pivot = b[i] - a[i] * upper[-1]
        right.append((d[i] - a[i] * right[-1]) / pivot)
        upper.append(c[i] / pivot)
    x = [right[-1]]
    for i in range(len(b) - 2, -1, -1):
        x.append(right[i] - upper[i] * x[-1])
    return torch.stack(x[::-1])
