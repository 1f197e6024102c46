"""Product of two square matrices."""

import torch
from torch import Tensor, nn

N = 256


class Model(nn.Module):
    """Product of two square matrices."""

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        return a @ b


def get_inputs() -> list[Tensor]:
    return [torch.randn(N, N), torch.randn(N, N)]


def get_init_inputs() -> list[int]:
    return []
