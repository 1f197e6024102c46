"""Decimation of 1-bit PDM microphones in float32."""

import torch
import torch.nn.functional as F


def pdm_decimate(bits, h, *, D, SHIFT):
    """Sums of up to 512 taps of 16 bits are exact in float32, whatever the taps."""
    signs = ((bits.int()[:, :, None] >> torch.arange(32, dtype=torch.int)) & 1) * 2 - 1
    acc = F.conv1d(signs.flatten(1).float()[:, None], h.float().flatten()[None, None], stride=32 * D)[:, 0]
    return (acc.int() >> SHIFT).clamp(-32768, 32767).to(torch.int16)
