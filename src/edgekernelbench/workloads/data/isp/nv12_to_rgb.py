"""NV12 to RGB, BT.601 limited range."""

import torch


def nv12_to_rgb(y, uv):
    """Every chroma sample serves a block of four pixels."""
    luma = 298 * (y.int() - 16) + 128
    u, v = (uv.int() - 128).unbind(2)
    chroma = torch.stack([409 * v, -100 * u - 208 * v, 516 * u], dim=2)
    chroma = chroma.repeat_interleave(2, 0).repeat_interleave(2, 1)
    return ((luma[:, :, None] + chroma) >> 8).clamp(0, 255).to(torch.uint8)
