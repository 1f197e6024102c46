"""Max unpooling at the end of an up-sampling bottleneck."""

import torch
import torch.nn.functional as F


def max_unpool(x, spot, branch, slope):
    """Scatter the values, add the other branch; one negative slope a channel."""
    _, height, width = x.shape
    code = spot.long()
    row = 2 * torch.arange(height)[:, None] + code // 2
    column = 2 * torch.arange(width) + code % 2
    spread = F.max_unpool2d(x[None].float(), (row * 2 * width + column)[None], 2)
    return F.prelu(spread + branch.float(), slope)[0].to(x.dtype)
