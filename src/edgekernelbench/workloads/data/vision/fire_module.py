"""Fire module of SqueezeNet."""

import torch
import torch.nn.functional as F


def fire_module(x, ws, bs, w1, b1, w3, b3):
    """Squeeze, expand twice, join."""
    bs, b1, b3 = (bias.to(x.dtype) for bias in (bs, b1, b3))
    squeezed = F.relu(F.conv2d(x[None], ws[:, :, None, None], bs))
    point = F.conv2d(squeezed, w1[:, :, None, None], b1)
    wide = F.conv2d(squeezed, w3, b3, padding=1)
    return F.relu(torch.cat([point, wide], dim=1))[0]
