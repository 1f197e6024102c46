"""Grey-world white balance."""

import torch


def grey_world(rgb):
    """Scale each channel by the ratio of its mean to that of green."""
    pixels = rgb.long()
    total = pixels[pixels.amax(2) < 250].sum(0)
    gain = ((total[1] * 256 + total // 2) // total.clamp(min=1)).clamp(max=1024)
    return ((pixels * gain + 128) >> 8).clamp(max=255).to(torch.uint8)
