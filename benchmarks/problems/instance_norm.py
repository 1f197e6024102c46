"""Normalisation of every channel of every image."""

import torch
from torch import Tensor, nn

BATCH = 2
CHANNELS = 16
SIDE = 32


class Model(nn.Module):
    """Normalisation of every channel of every image."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.norm = nn.InstanceNorm2d(channels)

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.norm(x)
        return y


def get_inputs() -> list[Tensor]:
    return [torch.randn(BATCH, CHANNELS, SIDE, SIDE)]


def get_init_inputs() -> list[int]:
    return [CHANNELS]
