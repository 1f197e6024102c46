"""Peaks of heat maps."""

import torch
import torch.nn.functional as F


def heatmap_peaks(heat, offset, *, M):
    """Places, scores and classes of the highest peaks; rows of -1 where there are fewer."""
    classes, height, width = heat.shape
    logits = heat.float()
    peak = F.max_pool2d(logits[None], 3, 1, 1)[0] == logits
    ranked = torch.where(peak, logits, -torch.inf).flatten().sort(descending=True, stable=True)
    value, place = ranked.values[:M], ranked.indices[:M]
    y, x = place // width % height, place % width
    rows = [
        x + offset[0, y, x].float(),
        y + offset[1, y, x].float(),
        value.sigmoid(),
        (place // (height * width)).float(),
    ]
    return torch.stack(rows, dim=1).masked_fill((value == -torch.inf)[:, None], -1.0)
