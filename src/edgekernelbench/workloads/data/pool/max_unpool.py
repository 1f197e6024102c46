"""Max unpooling with batch norm and ReLU."""

import torch.nn.functional as F
import torch


def max_unpool(x, spot, scale, shift):
    """Scatter the values, then normalise."""
    channels, height, width = x.shape
    code = spot.long()
    row = 2 * torch.arange(height)[:, None] + code // 2
    column = 2 * torch.arange(width) + code % 2
    spread = F.max_unpool2d(x[None].float(), (row * 2 * width + column)[None], 2)[0]
    return F.relu(spread * scale[:, None, None] + shift[:, None, None]).to(x.dtype)
