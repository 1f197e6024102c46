"""Histogram equalisation of a grey image."""

import torch


def histogram_equalise(img):
    """Map each value to its share of the running count, 0 to 255."""
    cdf = torch.bincount(img.flatten().int(), minlength=256).cumsum(0)
    least = cdf[cdf > 0].min()
    span = (img.numel() - least).clamp(min=1)
    lut = ((cdf - least).clamp(min=0) * 255 + span // 2) // span
    return lut.to(torch.uint8)[img.int()]
