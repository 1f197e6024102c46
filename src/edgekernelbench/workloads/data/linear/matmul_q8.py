"""Quantised dense layer, exact in integers."""

import torch


def matmul_q8(x, w, bias, mul, shift, *, ZX, ZY):
    """Multiply int8 codes about their zero point, then scale by mul / 2**31 >> shift with one rounding."""
    # Weights of both signs keep sums below 2**24, so float32 holds them exactly.
    acc = ((x.float() - ZX) @ w.float().T).long() + bias
    scaled = (acc * mul.long() + (1 << (30 + shift.long()))) >> (31 + shift.long())
    return (scaled + ZY).clamp(-128, 127).to(torch.int8)
