"""Forward half of baseline JPEG, in integers."""

import math

import torch

BASE = torch.tensor(
    [
        [
            round(4096 * math.cos((2 * j + 1) * v * math.pi / 16) * (math.sqrt(0.5) if v == 0 else 1))
            for j in range(8)
        ]
        for v in range(8)
    ],
    dtype=torch.int32,
)


def jpeg_forward(img, quant):
    """Quantised coefficients of each block."""
    height, width = img.shape
    blocks = img.int().view(height // 8, 8, width // 8, 8).transpose(1, 2) - 128
    rows = (blocks @ BASE.T + 1024) >> 11
    freq = (BASE @ rows + 16384) >> 15
    steps = quant.int()
    return (freq.sign() * ((freq.abs() + steps // 2) // steps)).to(torch.int16)
