"""Where the largest channel of every pixel is."""

import torch
from torch import Tensor, nn

BATCH = 2
CHANNELS = 20
SIDE = 48


class Model(nn.Module):
    """Where the largest channel of every pixel is."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.argmax(x, dim=1)


def get_inputs() -> list[Tensor]:
    return [torch.randn(BATCH, CHANNELS, SIDE, SIDE)]


def get_init_inputs() -> list[int]:
    return []
