"""Maximum over windows with padding and dilation."""

import torch
from torch import Tensor, nn

BATCH = 4
CHANNELS = 32
LENGTH = 256


class Model(nn.Module):
    """Maximum over windows with padding and dilation."""

    def __init__(self) -> None:
        super().__init__()
        self.pool = nn.MaxPool1d(4, stride=2, padding=2, dilation=3)

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.pool(x)
        return y


def get_inputs() -> list[Tensor]:
    return [torch.randn(BATCH, CHANNELS, LENGTH)]


def get_init_inputs() -> list[int]:
    return []
