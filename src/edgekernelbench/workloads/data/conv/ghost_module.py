"""Ghost module: half of the channels are cheap copies of the others."""

import torch
import torch.nn.functional as F


def ghost_module(x, wp, bp, wd, bd):
    """Primary 1x1 convolution, cheap depthwise 3x3, both with ReLU, concatenated."""
    primary = F.relu(F.conv2d(x[None], wp[:, :, None, None], bp.to(x.dtype)))
    cheap = F.relu(F.conv2d(primary, wd[:, None], bd.to(x.dtype), padding=1, groups=len(wd)))
    return torch.cat([primary, cheap], dim=1)[0]
