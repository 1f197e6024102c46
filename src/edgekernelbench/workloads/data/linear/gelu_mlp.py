"""Feed-forward part of a transformer block."""

import torch.nn.functional as F


def gelu_mlp(x, w1, b1, w2, b2):
    """Dense layer, GELU, dense layer."""
    return F.linear(F.gelu(F.linear(x, w1, b1)), w2, b2)
