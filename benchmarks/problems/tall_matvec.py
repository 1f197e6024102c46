"""A tall matrix times a vector."""

import torch
from torch import Tensor, nn

M = 4096
K = 256


class Model(nn.Module):
    """A tall matrix times a vector."""

    def forward(self, a: Tensor, v: Tensor) -> Tensor:
        return a @ v


def get_inputs() -> list[Tensor]:
    return [torch.randn(M, K), torch.randn(K)]


def get_init_inputs() -> list[int]:
    return []
