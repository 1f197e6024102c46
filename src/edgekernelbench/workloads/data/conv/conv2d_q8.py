"""Quantised 2-D convolution, one multiplier a channel."""

import torch
import torch.nn.functional as F


def conv2d_q8(x, w, bias, mul, *, S, P, ZX, ZY, LOW, HIGH):
    """Convolve int8 values about the zero point ZX, requantise, clamp to the fused activation."""
    # Sums of both signs stay far below 2**24, where float32 is exact; what only the worst case loses, a step covers.
    acc = F.conv2d((x.float() - ZX)[None], w.float(), stride=S, padding=P)[0]
    real = (acc + bias[:, None, None]) * mul[:, None, None]
    return (torch.round(real) + ZY).clamp(LOW, HIGH).to(torch.int8)
