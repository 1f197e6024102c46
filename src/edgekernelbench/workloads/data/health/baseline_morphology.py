"""Baseline removal by morphology."""

import torch
import torch.nn.functional as F


def baseline_morphology(x, *, W1, W2):
    """Opening, then closing, with repeated ends; subtract."""

    def dilate(h, width):
        half = width // 2
        return F.max_pool1d(F.pad(h[:, None], (half, half), mode="replicate"), width, stride=1)[:, 0]

    h = x.float()
    opened = dilate(-dilate(-h, W1), W1)
    closed = -dilate(-dilate(opened, W2), W2)
    return (h - closed).clamp(-32768, 32767).to(torch.int16)
