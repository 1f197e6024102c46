"""Residual addition with normalisation."""

import torch.nn.functional as F


def add_rms_norm(x, res, g, *, EPS):
    """Add, then normalise; returns both."""
    stream = x + res
    return F.rms_norm(stream.float(), g.shape, g.float(), EPS).to(x.dtype), stream
