"""Residual block of a temporal convolutional network."""

import torch.nn.functional as F


def tcn_block(x, w1, b1, w2, b2, *, D):
    """Two dilated causal convolutions with ReLU, added to the input."""
    left = (w1.shape[2] - 1) * D
    h = F.relu(F.conv1d(F.pad(x[None], (left, 0)), w1, b1, dilation=D))
    h = F.relu(F.conv1d(F.pad(h, (left, 0)), w2, b2, dilation=D))
    return F.relu(h[0] + x)
