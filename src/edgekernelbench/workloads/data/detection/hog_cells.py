"""Histograms of oriented gradients."""

import math

import torch
import torch.nn.functional as F


def hog_cells(img, *, CY, CX, EPS):
    """Block-normalised histograms of nine directions."""
    padded = F.pad(img.float()[None, None], (1, 1, 1, 1), mode="replicate")[0, 0]
    gx = padded[1:-1, 2:] - padded[1:-1, :-2]
    gy = padded[2:, 1:-1] - padded[:-2, 1:-1]
    magnitude = torch.hypot(gx, gy) / 255
    turn = torch.atan2(gy, gx) * (9 / math.pi)
    position = torch.where(turn < 0, turn + 9, turn)
    low, part = position.long() % 9, position - position.floor()
    votes = torch.zeros(9, *img.shape)
    votes.scatter_add_(0, low[None], (magnitude * (1 - part))[None])
    votes.scatter_add_(0, ((low + 1) % 9)[None], (magnitude * part)[None])
    cell = F.avg_pool2d(votes, 8, divisor_override=1).permute(1, 2, 0)
    block = torch.stack([cell[:-1, :-1], cell[:-1, 1:], cell[1:, :-1], cell[1:, 1:]], dim=2)
    return block * torch.rsqrt(block.square().sum(dim=(2, 3), keepdim=True) + EPS)
