"""Squeeze and excitation."""

import torch
import torch.nn.functional as F


def squeeze_excite(x, w1, b1, w2, b2):
    """Gate the channels by their means."""
    image = x.float()
    hidden = F.relu(F.linear(image.mean((1, 2)), w1, b1))
    gate = torch.sigmoid(F.linear(hidden, w2, b2))
    return (image * gate[:, None, None]).to(x.dtype)
