"""Softmax over the last axis."""

import torch
from torch import Tensor, nn

ROWS = 128
WIDTH = 512


class Model(nn.Module):
    """Softmax over the last axis."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.softmax(x, dim=-1)


def get_inputs() -> list[Tensor]:
    return [torch.randn(ROWS, WIDTH)]


def get_init_inputs() -> list[int]:
    return []
