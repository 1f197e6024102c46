"""Intersection over union of two sets of boxes."""

import torch


def iou_matrix(a, b):
    """One row a box of a, one column a box of b."""
    area_a = (a[:, 2] - a[:, 0]) * (a[:, 3] - a[:, 1])
    area_b = (b[:, 2] - b[:, 0]) * (b[:, 3] - b[:, 1])
    low = torch.maximum(a[:, None, :2], b[None, :, :2])
    high = torch.minimum(a[:, None, 2:], b[None, :, 2:])
    inter = (high - low).clamp(min=0).prod(dim=2)
    return inter / (area_a[:, None] + area_b[None] - inter)
