"""Softmax over the last axis."""

import torch


def softmax(x):
    """Probabilities along the last axis."""
    return torch.softmax(x, dim=-1)
