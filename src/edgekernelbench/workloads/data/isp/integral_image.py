"""Summed-area table."""

import torch


def integral_image(img):
    """Sum of the rectangle from the origin to each pixel."""
    return img.cumsum(1, dtype=torch.int32).cumsum(0, dtype=torch.int32)
