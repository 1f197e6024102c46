"""Partial convolution of FasterNet."""

import torch
import torch.nn.functional as F


def partial_conv2d(x, w):
    """Convolve the leading channels, keep the others."""
    first, rest = x.split([len(w), len(x) - len(w)])
    return torch.cat([F.conv2d(first[None], w, padding=1)[0], rest])
