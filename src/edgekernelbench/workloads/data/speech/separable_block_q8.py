"""Separable convolution with a residual branch, int8."""

import torch
import torch.nn.functional as F


def separable_block_q8(x, wd, bd, md, wp, bp, mp, wr, br, mr):
    """Integer sums are exact in float32; both branches meet before one rounding."""
    values = x.float() + 128
    spread = F.conv1d(values, wd.float()[:, None], padding=wd.shape[1] // 2, groups=len(wd))
    mid = ((spread.int() + bd[:, None]).float() * md[:, None]).round().clamp(-128, 127)
    main = ((wp.float() @ mid).int() + bp[:, None]).float() * mp[:, None]
    side = ((wr.float() @ values).int() + br[:, None]).float() * mr[:, None]
    return ((main + side).round().clamp(0, 255) - 128).to(torch.int8)
