"""SVDF layer in integers."""

import torch
import torch.nn.functional as F


def rescale(acc, mantissa, shift):
    """Multiply by mantissa / 2**31 >> shift, rounding half up."""
    shift = shift.long()
    return (acc.long() * mantissa.long() + (1 << (30 + shift))) >> (31 + shift)


def svdf_q8(x, wf, wt, bias, m1, s1, m2, s2, *, K, ZX, ZY):
    """Feature filters, then filters over time, summed over the rank; float64 holds the sums exactly."""
    features = (x.double() - ZX) @ wf.double().T
    state = rescale(features, m1, s1).clamp(-32768, 32767)
    filters, memory = wt.shape
    padded = F.pad(state.T.double()[None], (memory - 1, 0))
    acc = F.conv1d(padded, wt.double()[:, None], groups=filters)[0].view(-1, K, len(x)).sum(dim=1).T
    y = rescale(acc + bias, m2, s2).clamp(min=0) + ZY
    return y.clamp(-128, 127).to(torch.int8)
