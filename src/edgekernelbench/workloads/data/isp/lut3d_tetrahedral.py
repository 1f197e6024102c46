"""Three-dimensional colour table with tetrahedral interpolation."""

import torch


def lut3d_tetrahedral(rgb, lut):
    """Walk from the lower corner of the cell to the upper one, along the largest fraction first."""
    pixels = rgb.int()
    cell, part = pixels >> 4, pixels & 15
    order = part.argsort(dim=2, descending=True, stable=True)
    sizes = part.gather(2, order)
    unit = torch.nn.functional.one_hot(order, 3)
    corner = cell
    total = (16 - sizes[..., :1]) * lut[tuple(corner.unbind(2))].int()
    for n in range(3):
        corner = corner + unit[:, :, n]
        weight = sizes[..., n : n + 1] - (sizes[..., n + 1 : n + 2] if n < 2 else 0)
        total = total + weight * lut[tuple(corner.unbind(2))].int()
    return ((total + 8) >> 4).to(torch.uint8)
