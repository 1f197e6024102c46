"""Non-maximum suppression of each class."""

import torch


def class_nms(box, score, *, M, IOU, LEAST):
    """All classes step together; -1 once a class has nothing left."""
    area = (box[:, 2] - box[:, 0]) * (box[:, 3] - box[:, 1])
    rows = torch.arange(len(score))
    alive = score > LEAST
    picks = []
    for _ in range(M):
        best = torch.where(alive, score, -torch.inf).argmax(1)
        picks.append(torch.where(alive.any(1), best, -1))
        chosen = box[best]
        low = torch.maximum(box[None, :, :2], chosen[:, None, :2])
        high = torch.minimum(box[None, :, 2:], chosen[:, None, 2:])
        inter = (high - low).clamp(min=0).prod(2)
        alive = alive & (inter <= IOU * (area + area[best][:, None] - inter))
        alive[rows, best] = False
    return torch.stack(picks, dim=1).int()
