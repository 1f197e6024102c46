"""Quantised 1x1 convolution, channels last, exact in integers."""


def pointwise_q8(x, w, bias, mul, shift, *, ZX, ZY, LOW, HIGH):
    """Mix channels about ZX, scale by mul / 2**31 >> shift with one rounding, clamp."""
    acc = (x.int() - ZX) @ w.int().T + bias
    scaled = (acc.long() * mul.long() + (1 << (30 + shift.long()))) >> (31 + shift.long())
    return (scaled + ZY).clamp(LOW, HIGH).to(x.dtype)
