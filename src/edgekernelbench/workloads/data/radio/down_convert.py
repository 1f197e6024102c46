"""Digital down-converter in fixed point."""

import math

import torch
import torch.nn.functional as F


def down_convert(x, h, *, D, STEP):
    """Mix with a table-driven oscillator, then filter and decimate."""
    table = (32767 * torch.cos(math.pi / 128 * torch.arange(256, dtype=torch.float64))).round().int()
    spot = (torch.arange(len(x)) * STEP % 2**32) >> 24
    cosine, minus_sine = table[spot], table[(spot + 64) % 256]
    mixed = torch.stack([x * cosine, x * minus_sine]) >> 15
    acc = F.conv1d(mixed.double()[:, None], h.double()[None, None], stride=D)[:, 0].long()
    low = ((acc + 16384) >> 15).clamp(-32768, 32767).to(torch.int16)
    return low[0], low[1]
