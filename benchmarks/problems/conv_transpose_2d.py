"""A transposed convolution that doubles an image."""

import torch
from torch import Tensor, nn

BATCH = 1
CHANNELS = 32
SIDE = 16


class Model(nn.Module):
    """A transposed convolution that doubles an image."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.up = nn.ConvTranspose2d(channels, channels // 2, 4, stride=2, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.up(x)
        return y


def get_inputs() -> list[Tensor]:
    return [torch.randn(BATCH, CHANNELS, SIDE, SIDE)]


def get_init_inputs() -> list[int]:
    return [CHANNELS]
