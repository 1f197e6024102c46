"""Layer normalisation of 8-bit codes."""

import torch


def layer_norm_q8(x, g, b, *, ZY):
    """Centre and scale each row of codes, apply g and b, quantise."""
    x = x.double()
    dev = x - x.mean(-1, keepdim=True)
    least = x.shape[-1] ** -2.0  # the smallest spread of unequal codes
    y = dev * torch.rsqrt(dev.square().mean(-1, keepdim=True).clamp(min=least)) * g + b
    return (torch.round(y) + ZY).clamp(-128, 127).to(torch.int8)
