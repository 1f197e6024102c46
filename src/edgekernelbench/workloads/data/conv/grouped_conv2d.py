"""Grouped 3x3 convolution with bias and ReLU."""

import torch.nn.functional as F


def grouped_conv2d(x, w, b, *, S, G):
    """Convolve each group of channels on its own."""
    return F.relu(F.conv2d(x[None], w, b.to(x.dtype), stride=S, padding=1, groups=G))[0]
