"""GELU in its approximation by tanh."""

import torch
from torch import Tensor, nn
from torch.nn import functional

ROWS = 64
WIDTH = 1024


class Model(nn.Module):
    """GELU in its approximation by tanh."""

    def forward(self, x: Tensor) -> Tensor:
        return functional.gelu(x, approximate="tanh")


def get_inputs() -> list[Tensor]:
    return [torch.randn(ROWS, WIDTH)]


def get_init_inputs() -> list[int]:
    return []
