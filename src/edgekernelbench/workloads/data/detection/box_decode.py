"""Decode anchor offsets to boxes."""

import torch


def box_decode(loc, anchor):
    """Boxes x0 y0 x1 y1 in the unit square from offsets cy cx h w."""
    loc = loc.float()
    centre = loc[:, :2] * 0.1 * anchor[:, 2:] + anchor[:, :2]
    size = torch.exp(loc[:, 2:] * 0.2) * anchor[:, 2:]
    low, high = centre - size / 2, centre + size / 2
    return torch.cat([low.flip(1), high.flip(1)], dim=1).clamp(0.0, 1.0)
