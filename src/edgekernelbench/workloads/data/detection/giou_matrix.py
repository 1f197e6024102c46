"""Generalised intersection over union of two sets of boxes."""

import torch


def giou_matrix(a, b):
    """One row a box of a, one column a box of b."""
    area_a = (a[:, 2:] - a[:, :2]).prod(1)
    area_b = (b[:, 2:] - b[:, :2]).prod(1)
    low = torch.maximum(a[:, None, :2], b[None, :, :2])
    high = torch.minimum(a[:, None, 2:], b[None, :, 2:])
    inter = (high - low).clamp(min=0).prod(2)
    union = area_a[:, None] + area_b - inter
    least = torch.minimum(a[:, None, :2], b[None, :, :2])
    most = torch.maximum(a[:, None, 2:], b[None, :, 2:])
    hull = (most - least).prod(2)
    return inter / union - (hull - union) / hull
