"""Depthwise-separable convolution."""

import torch.nn.functional as F


def separable_conv(x, wd, bd, wp, bp, *, S):
    """Filter each channel, then mix the channels; ReLU6 after both."""
    spatial = F.conv2d(x[None], wd[:, None], bd.to(x.dtype), stride=S, padding=1, groups=len(wd))
    return F.relu6(F.conv2d(F.relu6(spatial), wp[:, :, None, None], bp.to(x.dtype)))[0]
