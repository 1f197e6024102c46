"""Inverse half of baseline JPEG with products of floats, which hold these integers."""

import math

import torch

BASE = torch.tensor(
    [
        [
            round(2048 * math.cos((2 * j + 1) * v * math.pi / 16) * (math.sqrt(0.5) if v == 0 else 1))
            for j in range(8)
        ]
        for v in range(8)
    ],
    dtype=torch.float64,
)
# Places by diagonals, every other one upwards.
ORDER = sorted(
    ((u, v) for u in range(8) for v in range(8)),
    key=lambda p: (sum(p), p[0] if sum(p) % 2 else p[1]),
)
ZIGZAG = torch.tensor([ORDER.index((u, v)) for u in range(8) for v in range(8)])


def jpeg_inverse(coef, quant):
    """Pixels of all blocks, put together."""
    rows, columns, _ = coef.shape
    freq = (coef.int() * quant.int()).clamp(-1024, 1023)[:, :, ZIGZAG].unflatten(2, (8, 8))
    cols = torch.floor((BASE.T @ freq.double() + 256) / 512)
    pixels = torch.floor((cols @ BASE + 16384) / 32768) + 128
    return pixels.clamp(0, 255).to(torch.uint8).transpose(1, 2).reshape(8 * rows, 8 * columns)
