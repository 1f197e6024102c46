"""A depthwise convolution, then one over channels."""

import torch
from torch import Tensor, nn
from torch.nn import functional

BATCH = 1
CHANNELS = 32
SIDE = 32


class Model(nn.Module):
    """A depthwise convolution, then one over channels."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.depthwise = nn.Conv2d(channels, channels, 5, padding=2, groups=channels)
        self.pointwise = nn.Conv2d(channels, 2 * channels, 1)

    def forward(self, x: Tensor) -> Tensor:
        y: Tensor = self.pointwise(functional.hardswish(self.depthwise(x)))
        return y


def get_inputs() -> list[Tensor]:
    return [torch.randn(BATCH, CHANNELS, SIDE, SIDE)]


def get_init_inputs() -> list[int]:
    return [CHANNELS]
