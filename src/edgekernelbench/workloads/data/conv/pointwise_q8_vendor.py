"""Quantised 1x1 convolution, channels last, with integer products."""

import torch


def pointwise_q8(x, w, bias, mul, shift, *, ZX, ZY, LOW, HIGH):
    """A dense layer over pixels; the zero point of the input is a correction of the bias."""
    acc = (torch._int_mm(x.flatten(0, 1), w.T) + (bias - ZX * w.sum(1, dtype=torch.int32))).long()
    scaled = (acc * mul.long() + (1 << (30 + shift.long()))) >> (31 + shift.long())
    return (scaled + ZY).clamp(LOW, HIGH).to(torch.int8).unflatten(0, x.shape[:2])
