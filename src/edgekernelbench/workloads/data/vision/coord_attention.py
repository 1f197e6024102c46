"""Coordinate attention."""

import torch
import torch.nn.functional as F


def coord_attention(x, w1, b1, wy, by, wx, bx):
    """Gate rows and columns of each channel."""
    image = x.float()
    height = x.shape[1]
    lines = torch.cat([image.mean(2), image.mean(1)], dim=1)
    hidden = F.hardswish(w1 @ lines + b1[:, None])
    rows = torch.sigmoid(wy @ hidden[:, :height] + by[:, None])
    columns = torch.sigmoid(wx @ hidden[:, height:] + bx[:, None])
    return (image * rows[:, :, None] * columns[:, None]).to(x.dtype)
