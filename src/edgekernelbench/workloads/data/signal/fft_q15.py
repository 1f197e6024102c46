"""Fixed-point FFT, Q15, scaled by one half at every stage."""

import math

import torch


def fft_q15(re, im):
    """Radix 2, decimation in time; each stage on all blocks at once."""
    rows, points = re.shape
    order = torch.zeros(1, dtype=torch.long)
    while len(order) < points:
        order = torch.cat([2 * order, 2 * order + 1])
    zr, zi = re.int()[:, order], im.int()[:, order]
    half = 1
    while half < points:
        # A truncated product with -w is not minus that with w: both halves are computed.
        angle = -math.pi * torch.arange(2 * half, dtype=torch.float64) / half
        wr, wi = (32767 * angle.cos()).round().int(), (32767 * angle.sin()).round().int()
        ar, br = zr.view(rows, -1, 2, half).unbind(dim=2)
        ai, bi = zi.view(rows, -1, 2, half).unbind(dim=2)
        br, bi = br.repeat(1, 1, 2), bi.repeat(1, 1, 2)
        zr = (ar.repeat(1, 1, 2) + ((wr * br - wi * bi) >> 15)) >> 1
        zi = (ai.repeat(1, 1, 2) + ((wr * bi + wi * br) >> 15)) >> 1
        zr, zi = (z.clamp(-32768, 32767).reshape(rows, points) for z in (zr, zi))
        half *= 2
    return zr.to(torch.int16), zi.to(torch.int16)
