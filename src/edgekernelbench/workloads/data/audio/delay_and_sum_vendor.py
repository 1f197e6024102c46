"""Delay-and-sum beamformer as shipped: delays are filters of two taps, all of them one convolution."""

import torch
import torch.nn.functional as F


def delay_and_sum(x, whole, part, *, Z):
    """One filter of Z + 1 taps for each direction and microphone; they depend on constants alone."""
    places = torch.arange(Z + 1)
    early = (places == whole[:, :, None]) * (1 - part)[:, :, None]
    late = (places == whole[:, :, None] + 1) * part[:, :, None]
    return F.conv1d(x[None], (early + late) / len(x))[0]
