"""Convolutional encoder, rate 1/2, constraint length 7."""

import torch
import torch.nn.functional as F

TAPS = [[1, 0, 1, 1, 0, 1, 1], [1, 1, 1, 1, 0, 0, 1]]  # 133 and 171, newest bit first


def convolutional_encode(bit):
    """Convolve with both generators, modulo two."""
    taps = torch.tensor(TAPS, dtype=torch.float32).flip(1)[:, None]
    sums = F.conv1d(F.pad(bit.float()[:, None], (6, 0)), taps)
    return (sums.long() & 1).to(torch.uint8).transpose(1, 2)
