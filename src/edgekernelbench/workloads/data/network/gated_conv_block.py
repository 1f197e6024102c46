"""Gated short convolution of a hybrid language model."""

import torch.nn.functional as F


def gated_conv_block(x, g, win, wc, wout, *, K, EPS):
    """Norm, gate, causal depthwise convolution, gate, projection."""
    normed = F.rms_norm(x, g.shape, g, EPS)
    b, c, h = (F.linear(normed, weight) for weight in win)
    taps = F.conv1d(F.pad((b * h).T, (K - 1, 0)), wc[:, None], groups=len(wc)).T
    return x + F.linear(c * taps, wout)
