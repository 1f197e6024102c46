"""Greedy non-maximum suppression."""

import torch


def nms(box, score, *, M, IOU, LEAST):
    """Take the best box, drop what overlaps it by more than IOU, repeat; -1 once nothing is left."""
    area = (box[:, 2] - box[:, 0]) * (box[:, 3] - box[:, 1])
    alive = score > LEAST
    pick = torch.full((M,), -1, dtype=torch.int32)
    for r in range(M):
        if not alive.any():
            break
        best = int(torch.where(alive, score, -torch.inf).argmax())
        pick[r] = best
        top_left = torch.maximum(box[:, :2], box[best, :2])
        bottom_right = torch.minimum(box[:, 2:], box[best, 2:])
        inter = (bottom_right - top_left).clamp(min=0).prod(dim=1)
        alive &= inter <= IOU * (area + area[best] - inter)
        alive[best] = False
    return pick
