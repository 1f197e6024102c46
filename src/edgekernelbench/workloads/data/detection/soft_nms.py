"""Soft non-maximum suppression."""

import torch


def soft_nms(box, score, *, M, SIGMA):
    """Scores of the picks, in the order in which they are picked."""
    area = (box[:, 2] - box[:, 0]) * (box[:, 3] - box[:, 1])
    live, best = score.clone(), []
    for _ in range(M):
        value, index = live.max(0)
        best.append(value)
        low = torch.maximum(box[:, :2], box[index, :2])
        high = torch.minimum(box[:, 2:], box[index, 2:])
        inter = (high - low).clamp(min=0).prod(1)
        iou = inter / (area + area[index] - inter)
        live = live * torch.exp(-iou.square() / SIGMA)
        live[index] = -1.0
    return torch.stack(best)
