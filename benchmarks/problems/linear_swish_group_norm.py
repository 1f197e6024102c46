"""A linear layer, swish, a bias, and normalisation in groups."""

import torch
from torch import Tensor, nn

ROWS = 64
WIDTH = 128


class Model(nn.Module):
    """A linear layer, swish, a bias, and normalisation in groups."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.linear = nn.Linear(width, 2 * width)
        self.bias = nn.Parameter(torch.randn(2 * width))
        self.norm = nn.GroupNorm(8, 2 * width)

    def forward(self, x: Tensor) -> Tensor:
        y = self.linear(x)
        z: Tensor = self.norm(torch.sigmoid(y) * y + self.bias)
        return z


def get_inputs() -> list[Tensor]:
    return [torch.randn(ROWS, WIDTH)]


def get_init_inputs() -> list[int]:
    return [WIDTH]
