"""Quantised depthwise convolution, channels last, exact in integers."""

import torch
import torch.nn.functional as F


def depthwise2d_q8(x, w, bias, mul, shift, *, S, PA, PB, ZX):
    """Convolve int8 codes about ZX, scale by mul / 2**31 >> shift with one rounding, apply ReLU."""
    centred = F.pad(x.permute(2, 0, 1).float() - ZX, (PA, PB, PA, PB))
    filters = w.permute(2, 0, 1)[:, None].float()
    acc = F.conv2d(centred[None], filters, stride=S, groups=x.shape[2])[0].permute(1, 2, 0)
    scaled = ((acc.long() + bias) * mul.long() + (1 << (30 + shift.long()))) >> (31 + shift.long())
    return (scaled.clamp(min=0) - 128).clamp(-128, 127).to(torch.int8)
