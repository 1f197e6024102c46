"""Residual block in int8, channels last."""

import torch
import torch.nn.functional as F

ZERO = -128  # zero point after every ReLU


def requantise(acc, bias, mantissa, shift):
    """Multiply by mantissa / 2**31 >> shift with one rounding, half up."""
    product = (acc.long() + bias) * mantissa.long()
    return (product + (1 << (30 + shift.long()))) >> (31 + shift.long())


def convolve(x, w, padding=1, groups=1):
    """Convolve channels-last values; float64 holds these sums exactly."""
    planes = x.permute(2, 0, 1)[None].double()
    return F.conv2d(planes, w.double(), padding=padding, groups=groups)[0].permute(1, 2, 0)


def resnet_block_q8(x, w1, b1, m1, s1, w2, b2, m2, s2, *, MY, MX):
    """Two convolutions around a shortcut."""
    base = x.int() - ZERO
    h = requantise(convolve(base, w1.permute(0, 3, 1, 2)), b1, m1, s1).clamp(0, 127 - ZERO)
    y = requantise(convolve(h, w2.permute(0, 3, 1, 2)), b2, m2, s2).clamp(-128, 127)
    total = ((y * MY + base * MX + 32768) >> 16).clamp(min=0)
    return (total + ZERO).clamp(max=127).to(torch.int8)
