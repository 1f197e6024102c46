"""Node of a bidirectional feature pyramid."""

import torch.nn.functional as F


def bifpn_node(x, y, mix, wd, wp, b):
    """Weighted fusion of two levels and a separable convolution."""
    positive = F.relu(mix)
    share = positive / (positive.sum() + 1e-4)
    height, width = x.shape[1:]
    big = y.repeat_interleave(2, 1).repeat_interleave(2, 2)[:, :height, :width]
    h = F.silu(share[0] * x.float() + share[1] * big.float()).to(x.dtype)
    h = F.conv2d(h[None], wd[:, None], padding=1, groups=len(wd))
    return F.conv2d(h, wp[:, :, None, None], b.to(x.dtype))[0]
