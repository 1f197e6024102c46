"""A dilated convolution over time."""

import torch
from torch import Tensor, nn

BATCH = 2
CHANNELS = 24
LENGTH = 200


class Model(nn.Module):
    """A dilated convolution over time."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv = nn.Conv1d(channels, 2 * channels, 3, stride=2, dilation=2)

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.conv(x)
        return y


def get_inputs() -> list[Tensor]:
    return [torch.randn(BATCH, CHANNELS, LENGTH)]


def get_init_inputs() -> list[int]:
    return [CHANNELS]
