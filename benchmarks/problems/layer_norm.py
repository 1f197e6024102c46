"""Layer normalisation with scale and shift."""

import torch
from torch import Tensor, nn

ROWS = 128
WIDTH = 256


class Model(nn.Module):
    """Layer normalisation with scale and shift."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        nn.init.normal_(self.norm.weight)
        nn.init.normal_(self.norm.bias)

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.norm(x)
        return y


def get_inputs() -> list[Tensor]:
    return [torch.randn(ROWS, WIDTH)]


def get_init_inputs() -> list[int]:
    return [WIDTH]
