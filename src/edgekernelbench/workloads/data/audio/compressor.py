"""Dynamic range compressor."""

import math

import torch


def compressor(x, *, BAR, RATIO, KNEE, MAKE, AT, RE):
    """Gain computer in decibels, branching smoother, make-up gain."""
    over = 20 * torch.log10(x.abs().amax(dim=0).clamp(min=1e-5)) - BAR
    knee = (over + KNEE / 2).clamp(0, KNEE).square() / (2 * KNEE)
    cut = (1 - 1 / RATIO) * (knee + torch.relu(over - KNEE / 2))
    slow, smoothed = 0.0, []
    for value in cut.tolist():
        weight = AT if value > slow else RE
        slow = weight * slow + (1 - weight) * value
        smoothed.append(slow)
    return x * torch.exp((MAKE - torch.tensor(smoothed)) * (math.log(10) / 20))
