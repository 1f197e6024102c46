"""1x1 convolution with 4-bit weights and 8-bit pixels."""


def pointwise_w4a8(x, w, bias, mul, shift):
    """Multiply, scale by mul / 2**31 >> shift rounding half up, ReLU; w holds one 4-bit value an element."""
    acc = (x.int() @ w.int().T + bias).long()
    scaled = (acc * mul.long() + (1 << (30 + shift.long()))) >> (31 + shift.long())
    return scaled.clamp(0, 127).to(x.dtype)
