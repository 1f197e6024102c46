"""Lens undistortion."""

import torch


def undistort(img, *, FX, FY, CX, CY, K1, K2, P1, P2):
    """Read each pixel where the lens put it."""
    height, width = img.shape[1:]
    u = ((torch.arange(width) - CX) / FX)[None]
    v = ((torch.arange(height) - CY) / FY)[:, None]
    r2 = u * u + v * v
    ray = 1 + r2 * (K1 + r2 * K2)
    x = FX * (u * ray + 2 * P1 * u * v + P2 * (r2 + 2 * u * u)) + CX
    y = FY * (v * ray + P1 * (r2 + 2 * v * v) + 2 * P2 * u * v) + CY
    x, y = x.clamp(0, width - 1), y.clamp(0, height - 1)
    left, top = x.long(), y.long()
    right, low = (left + 1).clamp(max=width - 1), (top + 1).clamp(max=height - 1)
    tx, ty = x - left, y - top
    image = img.float()
    upper = (1 - tx) * image[:, top, left] + tx * image[:, top, right]
    lower = (1 - tx) * image[:, low, left] + tx * image[:, low, right]
    return ((1 - ty) * upper + ty * lower).to(img.dtype)
