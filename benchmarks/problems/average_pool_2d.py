"""Mean over windows, stride 2, edges counted as they are."""

import torch
from torch import Tensor, nn

BATCH = 2
CHANNELS = 32
SIDE = 48


class Model(nn.Module):
    """Mean over windows, stride 2, edges counted as they are."""

    def __init__(self) -> None:
        super().__init__()
        self.pool = nn.AvgPool2d(3, stride=2, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.pool(x)
        return y


def get_inputs() -> list[Tensor]:
    return [torch.randn(BATCH, CHANNELS, SIDE, SIDE)]


def get_init_inputs() -> list[int]:
    return []
