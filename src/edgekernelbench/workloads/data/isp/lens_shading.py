"""Lens-shading correction of a raw frame, in integers."""

import torch


def lens_shading(raw, grid, *, BLACK):
    """Interpolate the gains bilinearly between the corners of cells of 32 pixels."""
    height, width = raw.shape
    rows, columns = torch.arange(height)[:, None], torch.arange(width)[None]
    mesh = grid.int()
    colour = rows % 2 * 2 + columns % 2
    y, x = rows // 32, columns // 32
    fy, fx = rows % 32, columns % 32
    top = (32 - fx) * mesh[colour, y, x] + fx * mesh[colour, y, x + 1]
    bottom = (32 - fx) * mesh[colour, y + 1, x] + fx * mesh[colour, y + 1, x + 1]
    gain = ((32 - fy) * top + fy * bottom + 512) >> 10
    linear = (raw.int() - BLACK).clamp(min=0)
    return ((linear * gain + 512) >> 10).clamp(0, 4095).to(torch.uint16)
