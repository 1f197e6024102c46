"""Region-of-interest align."""

import torch
import torch.nn.functional as F


def roi_align(x, roi, *, P, SCALE):
    """Crop each box to P by P bins of 2 by 2 samples."""
    channels, height, width = x.shape
    steps = (torch.arange(2 * P) + 0.5) / (2 * P)
    box = roi * SCALE - 0.5
    py = box[:, 1, None] + steps * (box[:, 3] - box[:, 1])[:, None]
    px = box[:, 0, None] + steps * (box[:, 2] - box[:, 0])[:, None]
    outside = ((py < -1) | (py > height))[:, :, None] | ((px < -1) | (px > width))[:, None, :]
    py, px = py.clamp(0, height - 1), px.clamp(0, width - 1)
    top, left = py.long(), px.long()
    ty, tx = (py - top)[:, :, None], (px - left)[:, None, :]
    low, right = (top + 1).clamp(max=height - 1), (left + 1).clamp(max=width - 1)
    image = x.float()

    def read(rows, columns):
        return image[:, rows[:, :, None], columns[:, None, :]]

    upper = (1 - tx) * read(top, left) + tx * read(top, right)
    lower = (1 - tx) * read(low, left) + tx * read(low, right)
    taps = ((1 - ty) * upper + ty * lower).masked_fill(outside, 0.0)
    return F.avg_pool2d(taps.transpose(0, 1), 2).to(x.dtype)
