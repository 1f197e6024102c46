"""Bilateral filter of a grey image."""

import torch
import torch.nn.functional as F


def bilateral_filter(x, *, R, KS, KV):
    """Average neighbours, weighted by distance and by difference of value; the border is repeated."""
    size = 2 * R + 1
    image = x.float()
    padded = F.pad(image[None, None], (R, R, R, R), mode="replicate")
    near = F.unfold(padded, size).view(size * size, *x.shape)
    offset = torch.arange(size) - R
    distance = (offset[:, None] ** 2 + offset[None] ** 2).flatten()[:, None, None]
    weight = torch.exp(-KS * distance - KV * (near - image) ** 2)
    return ((weight * near).sum(0) / weight.sum(0)).to(x.dtype)
