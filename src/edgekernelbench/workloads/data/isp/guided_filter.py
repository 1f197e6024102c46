"""Guided filter."""

import torch
import torch.nn.functional as F


def guided_filter(p, g, *, R, EPS):
    """Fit p as a line of g in every square, average the lines."""
    target, guide = p.float(), g.float()

    def mean(*images):
        return F.avg_pool2d(torch.stack(images)[None], 2 * R + 1, 1, R, count_include_pad=False)[0]

    guide_mean, mean_p, product, square = mean(guide, target, guide * target, guide * guide)
    a = (product - guide_mean * mean_p) / (square - guide_mean.square() + EPS)
    slope, offset = mean(a, mean_p - a * guide_mean)
    return (slope * guide + offset).to(p.dtype)
