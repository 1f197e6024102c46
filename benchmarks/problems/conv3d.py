"""A convolution in three dimensions and ReLU."""

import torch
from torch import Tensor, nn

CHANNELS = 8
DEPTH = 8
SIDE = 16


class Model(nn.Module):
    """A convolution in three dimensions and ReLU."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv = nn.Conv3d(channels, 2 * channels, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(self.conv(x))


def get_inputs() -> list[Tensor]:
    return [torch.randn(1, CHANNELS, DEPTH, SIDE, SIDE)]


def get_init_inputs() -> list[int]:
    return [CHANNELS]
