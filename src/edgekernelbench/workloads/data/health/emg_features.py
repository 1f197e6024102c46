"""Time-domain features of muscle signals."""

import torch


def emg_features(x, *, N, HOP, NOISE):
    """Four integer features of each window."""
    windows = x.int().unfold(1, N, HOP)
    steps = windows.diff(dim=2)
    loud = steps.abs() >= NOISE
    negative = windows < 0
    falling = steps < 0
    crossings = (negative[..., 1:] ^ negative[..., :-1]) & loud
    turns = (falling[..., 1:] ^ falling[..., :-1]) & (loud[..., 1:] | loud[..., :-1])
    return torch.stack(
        [windows.abs().sum(dim=2), steps.abs().sum(dim=2), crossings.sum(dim=2), turns.sum(dim=2)], dim=2
    ).int()
