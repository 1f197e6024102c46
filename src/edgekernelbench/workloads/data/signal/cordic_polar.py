"""Magnitude and phase by CORDIC in integers."""

import torch

TURNS = [
    2097152, 1238021, 654136, 332050, 166669, 83416, 41718, 20860, 10430, 5215, 2608, 1304, 652, 326, 163, 81,
]  # fmt: skip


def cordic_polar(re, im):
    """Rotate all samples onto the axis, halving the angle at every step."""
    left = re < 0
    x = re.int().abs() << 8
    y = torch.where(left, -im.int(), im.int()) << 8
    z = torch.where(left, 1 << 23, 0)
    for step, turn in enumerate(TURNS):
        sign = torch.where(y > 0, 1, -1)
        x, y = x + sign * (y >> step), y - sign * (x >> step)
        z = z + sign * turn
    return x.int() >> 8, ((z + 128) >> 8).to(torch.int16)
