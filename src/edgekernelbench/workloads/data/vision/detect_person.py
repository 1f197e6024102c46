"""Detector head of one class with non-maximum suppression."""

import torch
import torch.nn.functional as F


def detect_person(x, wd, bd, wp, bp, wo, bo, *, M, STRIDE, IOU, LEAST):
    """Boxes and scores of up to M persons."""
    _, height, width = x.shape
    h = F.relu(F.conv2d(x[None], wd[:, None], bd, padding=1, groups=len(wd)))
    h = F.relu(F.conv2d(h, wp[:, :, None, None], bp))
    raw = F.conv2d(h, wo[:, :, None, None], bo)[0].flatten(1)
    score, side = torch.sigmoid(raw[0]), torch.exp(raw[1:].clamp(-4, 4))
    cy, cx = torch.meshgrid(torch.arange(height) + 0.5, torch.arange(width) + 0.5, indexing="ij")
    centre = torch.stack([cx.flatten(), cy.flatten()])
    box = STRIDE * torch.cat([centre - side[:2], centre + side[2:]]).T
    area = (box[:, 2:] - box[:, :2]).prod(1)
    alive = score > LEAST
    out = torch.full((M, 5), -1.0)
    for t in range(M):
        if not alive.any():
            break
        best = torch.where(alive, score, -torch.inf).argmax()
        out[t] = torch.cat([box[best], score[best, None]])
        low, high = torch.maximum(box[:, :2], box[best, :2]), torch.minimum(box[:, 2:], box[best, 2:])
        inter = (high - low).clamp(min=0).prod(1)
        alive &= inter <= IOU * (area + area[best] - inter)
        alive[best] = False
    return out
