"""Range image of a rotating LiDAR."""

import torch


def range_image(dist, azimuth, ring, *, H, W):
    """Nearest return of every cell."""
    far = 1 << 16
    cell = ring.long() * W + azimuth.long() * W // 36000
    near = torch.where(dist.int() > 0, dist.int(), far)
    image = torch.full((H * W,), far, dtype=torch.int).scatter_reduce(0, cell, near, "amin")
    return torch.where(image < far, image, 0).view(H, W)
