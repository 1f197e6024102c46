"""MobileNetV2 block in int8, channels last, with integer products."""

import torch
import torch.nn.functional as F

ZERO = -128  # zero point after every ReLU


def requantise(acc, mantissa, shift):
    """Multiply by mantissa / 2**31 >> shift with one rounding, half up."""
    return (acc.long() * mantissa.long() + (1 << (30 + shift.long()))) >> (31 + shift.long())


def dense(x, w, bias, zero):
    """Products of codes; the zero point is a correction of the bias."""
    return torch._int_mm(x, w.T) + (bias - zero * w.sum(1, dtype=torch.int32))


def inverted_residual_q8(x, we, be, me, se, wd, bd, md, sd, wp, bp, mp, sp, *, ZX, ZY, MP, MX):
    """Expand, filter, project, add the input; float32 holds nine products exactly."""
    h = requantise(dense(x.flatten(0, 1), we, be, ZX), me, se).clamp(0, 127 - ZERO)
    planes = h.float().T.unflatten(1, x.shape[:2])[None]
    filters = wd.permute(2, 0, 1)[:, None].float()
    acc = F.conv2d(planes, filters, bd.float(), padding=1, groups=len(be))[0].flatten(1).T
    h = requantise(acc, md, sd).clamp(0, 127 - ZERO)
    h = requantise(dense((h + ZERO).to(torch.int8), wp, bp, ZERO), mp, sp).clamp(-128, 127)
    centred = x.flatten(0, 1).int() - ZX
    return (((h * MP + centred * MX + 32768) >> 16) + ZY).clamp(-128, 127).to(torch.int8).view_as(x)
