"""Ordered dithering, packed to bits."""

import torch
import torch.nn.functional as F


def bayer():
    """The threshold matrix of side 8, by doubling that of side 1."""
    matrix = torch.zeros(1, 1, dtype=torch.int32)
    for _ in range(3):
        upper = torch.cat([4 * matrix, 4 * matrix + 2], dim=1)
        lower = torch.cat([4 * matrix + 3, 4 * matrix + 1], dim=1)
        matrix = torch.cat([upper, lower])
    return matrix


def ordered_dither(img):
    """Compare with the repeated matrix and pack the bits."""
    height, width = img.shape
    rows, columns = torch.arange(height) % 8, torch.arange(width) % 8
    bits = img.int() > 4 * bayer()[rows][:, columns] + 2
    padded = F.pad(bits, (0, -width % 8)).unflatten(1, (-1, 8))
    return (padded * (128 >> torch.arange(8))).sum(2).to(torch.uint8)
