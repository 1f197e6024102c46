"""RGB to NV12, BT.601 limited range."""

import torch


def rgb_to_nv12(rgb):
    """Full-size luma, half-size interleaved chroma."""
    pixels = rgb.int()
    y = ((pixels @ torch.tensor([66, 129, 25], dtype=torch.int32) + 128) >> 8) + 16
    block = pixels[0::2, 0::2] + pixels[0::2, 1::2] + pixels[1::2, 0::2] + pixels[1::2, 1::2]
    weights = torch.tensor([[-38, -74, 112], [112, -94, -18]], dtype=torch.int32)
    uv = ((block @ weights.T + 512) >> 10) + 128
    return y.to(torch.uint8), uv.to(torch.uint8)
