"""Products of pairs of matrices."""

import torch
from torch import Tensor, nn

BATCH = 8
M = 64
K = 96
N = 48


class Model(nn.Module):
    """Products of pairs of matrices."""

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        return torch.bmm(a, b)


def get_inputs() -> list[Tensor]:
    return [torch.randn(BATCH, M, K), torch.randn(BATCH, K, N)]


def get_init_inputs() -> list[int]:
    return []
