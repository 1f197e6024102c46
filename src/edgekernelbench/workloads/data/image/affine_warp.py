"""Affine warp in fixed point."""

import torch


def affine_warp(img, a, t, *, OH, OW):
    """Coordinates with 5 fractional bits, bilinear weights, border repeated."""
    height, width = img.shape
    row, column = torch.arange(OH)[:, None], torch.arange(OW)
    places = a[:, :1, None] * column + a[:, 1:, None] * row + t[:, None, None]
    qx, qy = (places + 16) >> 5
    tx, ty = qx & 31, qy & 31
    left, top = qx >> 5, qy >> 5
    image = img.int()

    def read(dy, dx):
        return image[(top + dy).clamp(0, height - 1), (left + dx).clamp(0, width - 1)]

    upper = (32 - tx) * read(0, 0) + tx * read(0, 1)
    lower = (32 - tx) * read(1, 0) + tx * read(1, 1)
    return (((32 - ty) * upper + ty * lower + 512) >> 10).to(torch.uint8)
