"""Matrix profile by all dot products."""

import torch


def matrix_profile(x, *, W):
    """Scores of all windows, their products, the best beyond the exclusion zone."""
    windows = x.unfold(0, W, 1)
    centred = windows - windows.mean(dim=1, keepdim=True)
    scores = centred * torch.rsqrt(centred.square().sum(dim=1, keepdim=True) + 1e-4)
    place = torch.arange(len(scores))
    near = (place[:, None] - place).abs() < W // 4
    corr = (scores @ scores.T).masked_fill(near, -torch.inf)
    best, where = corr.max(dim=1)
    return (2 * W * (1 - best)).clamp(min=0).sqrt(), where.int()
