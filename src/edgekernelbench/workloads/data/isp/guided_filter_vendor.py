"""Guided filter with means of rows, then of columns."""

import torch
import torch.nn.functional as F


def guided_filter(p, g, *, R, EPS):
    """Windows are rectangles, cut or not, so that a mean of means is their mean."""
    target, guide = p.float(), g.float()
    size = 2 * R + 1

    def mean(*images):
        rows = F.avg_pool2d(torch.stack(images)[None], (1, size), 1, (0, R), count_include_pad=False)
        return F.avg_pool2d(rows, (size, 1), 1, (R, 0), count_include_pad=False)[0]

    guide_mean, mean_p, product, square = mean(guide, target, guide * target, guide * guide)
    a = (product - guide_mean * mean_p) / (square - guide_mean.square() + EPS)
    slope, offset = mean(a, mean_p - a * guide_mean)
    return (slope * guide + offset).to(p.dtype)
