"""Inverse square root of a matrix."""

import torch


def newton_schulz(a, *, S):
    """Coupled Newton-Schulz iteration on the matrix divided by its trace."""
    trace = a.trace()
    identity = torch.eye(len(a))
    y, z = a / trace, identity
    for _ in range(S):
        half = 1.5 * identity - 0.5 * (z @ y)
        y, z = y @ half, half @ z
    return z / trace.sqrt()
