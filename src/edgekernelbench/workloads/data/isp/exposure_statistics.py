"""Zone sums and green histogram of a raw frame."""

import torch


def exposure_statistics(raw, *, GY, GX, TH, TW):
    """Four sums a zone, 64 counts of green."""
    pixels = raw.int()
    zones = pixels.view(GY, TH // 2, 2, GX, TW // 2, 2)
    sums = zones.sum(dim=(1, 4), dtype=torch.int32).permute(0, 2, 1, 3).reshape(GY, GX, 4)
    green = torch.cat([pixels[0::2, 1::2].flatten(), pixels[1::2, 0::2].flatten()])
    return sums, torch.bincount(green // 16, minlength=64).int()
