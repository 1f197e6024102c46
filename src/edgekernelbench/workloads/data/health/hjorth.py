"""Hjorth parameters and line length."""

import torch


def hjorth(x, *, N, HOP):
    """Variances of the signal and of its first two differences."""
    windows = x.unfold(1, N, HOP)
    first = windows.diff(dim=2)
    activity = windows.var(dim=2, correction=0)
    slope = first.square().mean(dim=2)
    bend = first.diff(dim=2).square().mean(dim=2)
    mobility = (slope / (activity + 1e-6)).sqrt()
    complexity = (bend / (slope + 1e-6)).sqrt() / (mobility + 1e-3)
    return torch.stack([activity, mobility, complexity, first.abs().mean(dim=2)], dim=2)
