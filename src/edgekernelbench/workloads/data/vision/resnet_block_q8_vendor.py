"""Residual block in int8, channels last: each convolution an integer product of patches."""

import torch
import torch.nn.functional as F

ZERO = -128  # zero point after every ReLU


def layer(x, w, bias, mantissa, shift):
    """3x3 convolution of codes; the zero point, which also pads, is a correction of the bias."""
    padded = F.pad(x, (0, 0, 1, 1, 1, 1), value=ZERO)
    patches = padded.unfold(0, 3, 1).unfold(1, 3, 1).permute(0, 1, 3, 4, 2).reshape(-1, w[0].numel())
    filters = w.flatten(1)
    acc = (torch._int_mm(patches, filters.T) + (bias - ZERO * filters.sum(1, dtype=torch.int32))).long()
    return (acc * mantissa.long() + (1 << (30 + shift.long()))) >> (31 + shift.long())


def resnet_block_q8(x, w1, b1, m1, s1, w2, b2, m2, s2, *, MY, MX):
    """Two convolutions around a shortcut."""
    h = (layer(x, w1, b1, m1, s1).clamp(0, 127 - ZERO) + ZERO).to(torch.int8).view_as(x)
    y = layer(h, w2, b2, m2, s2).clamp(-128, 127).view_as(x)
    total = ((y * MY + (x.int() - ZERO) * MX + 32768) >> 16).clamp(min=0)
    return (total + ZERO).clamp(max=127).to(torch.int8)
