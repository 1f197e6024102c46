"""Spatial pyramid pooling in int8, channels last."""

import torch
import torch.nn.functional as F

ZERO = -128  # zero point after every ReLU


def requantise(acc, bias, mantissa, shift):
    """Multiply by mantissa / 2**31 >> shift with one rounding, half up."""
    product = (acc.long() + bias) * mantissa.long()
    return (product + (1 << (30 + shift.long()))) >> (31 + shift.long())


def sppf_q8(x, w1, b1, m1, s1, w2, b2, m2, s2):
    """Reduce, pool three times, join, expand."""
    top = 127 - ZERO
    h = requantise((x.int() - ZERO) @ w1.int().T, b1, m1, s1).clamp(0, top)
    levels = [h.permute(2, 0, 1).float()]
    for _ in range(3):
        levels.append(F.max_pool2d(levels[-1], 5, 1, 2))
    joined = torch.cat(levels).permute(1, 2, 0).int()
    h = requantise(joined @ w2.int().T, b2, m2, s2).clamp(0, top)
    return (h + ZERO).to(torch.int8)
