"""Dominant eigenpair."""

import torch


def power_iteration(a, v0, *, S):
    """Multiply and normalise S times, then the Rayleigh quotient."""
    v = v0
    for _ in range(S):
        v = torch.nn.functional.normalize(a @ v, dim=0)
    return v @ (a @ v), v
