"""Cell-averaging CFAR detector on a range-Doppler map."""

import torch
import torch.nn.functional as F


def cfar(zr, zi, *, W, G, SCALE):
    """Mean over the ring about each cell, then the threshold."""
    power = zr.square() + zi.square()
    ring = torch.ones(2 * W + 1, 2 * W + 1)
    ring[W - G : W + G + 1, W - G : W + G + 1] = 0
    wrapped = F.pad(power[None, None], (0, 0, W, W), mode="circular")
    total = F.conv2d(wrapped, ring[None, None], padding=(0, W))[0, 0]
    count = F.conv2d(torch.ones_like(wrapped), ring[None, None], padding=(0, W))[0, 0]
    noise = total / count
    return (power > SCALE * noise).int(), noise
