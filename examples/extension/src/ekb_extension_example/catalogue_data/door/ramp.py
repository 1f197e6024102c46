"""Scaled rows without what is below 0."""

import torch


def ramp(x, w):
    """Multiply each row by w, then cut off below 0."""
    return torch.relu(x * w)
