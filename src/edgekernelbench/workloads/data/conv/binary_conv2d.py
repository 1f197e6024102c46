"""Binary 3x3 convolution on packed signs."""

import torch
import torch.nn.functional as F

BITS = torch.arange(32)


def unpack(words):
    """Words of 32 signs along the last axis to that many values of 1 and -1; a set bit is -1."""
    bits = (words.to(torch.int64)[..., None] >> BITS) & 1
    return 1.0 - 2.0 * bits.flatten(-2).float()


def binary_conv2d(x, w, limit):
    """Convolve signs, compare the number of negative products with a limit, pack the results."""
    signs = F.pad(unpack(x).permute(2, 0, 1), (1, 1, 1, 1), value=1.0)
    filters = unpack(w).permute(0, 3, 1, 2)
    dot = F.conv2d(signs[None], filters)[0]
    negative = (filters[0].numel() - dot) / 2 > limit[:, None, None]
    bits = negative.permute(1, 2, 0).unflatten(2, (-1, 32)).to(torch.int64)
    return (bits << BITS).sum(3).to(torch.uint32)
