"""ShuffleNetV2 unit of stride 1."""

import torch
import torch.nn.functional as F


def shufflenet_unit(x, w1, b1, wd, bd, w2, b2):
    """Split, transform one half, shuffle."""
    b1, bd, b2 = (bias.to(x.dtype) for bias in (b1, bd, b2))
    kept, h = x[None].chunk(2, dim=1)
    h = F.relu(F.conv2d(h, w1[:, :, None, None], b1))
    h = F.conv2d(h, wd[:, None], bd, padding=1, groups=len(wd))
    h = F.relu(F.conv2d(h, w2[:, :, None, None], b2))
    return F.channel_shuffle(torch.cat([kept, h], dim=1), 2)[0]
