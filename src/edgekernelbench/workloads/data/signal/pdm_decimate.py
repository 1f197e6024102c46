"""Decimation of 1-bit PDM microphones."""

import torch
import torch.nn.functional as F


def pdm_decimate(bits, h, *, D, SHIFT):
    """Unpack bits to +-1, filter with a stride of D words."""
    signs = ((bits.long()[:, :, None] >> torch.arange(32)) & 1) * 2 - 1
    acc = F.conv1d(signs.flatten(1).double()[:, None], h.double().flatten()[None, None], stride=32 * D)[:, 0]
    return (acc.long() >> SHIFT).clamp(-32768, 32767).to(torch.int16)
