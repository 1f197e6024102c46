"""MobileNetV2 block in int8, channels last."""

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


def inverted_residual_q8(x, we, be, me, se, wd, bd, md, sd, wp, bp, mp, sp, *, ZX, ZY, MP, MX):
    """Expand, filter, project, add the input."""
    centred = x.int() - ZX
    top = 127 - ZERO
    h = requantise((centred @ we.int().T), be, me, se).clamp(0, top)
    h = requantise(convolve(h, wd.permute(2, 0, 1)[:, None], 1, len(be)), bd, md, sd).clamp(0, top)
    h = requantise(h.int() @ wp.int().T, bp, mp, sp).clamp(-128, 127)
    return (((h * MP + centred * MX + 32768) >> 16) + ZY).clamp(-128, 127).to(torch.int8)
