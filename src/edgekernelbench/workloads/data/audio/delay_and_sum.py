"""Delay-and-sum beamformer in the time domain."""

import torch


def delay_and_sum(x, whole, part, *, Z):
    """Read each microphone at its delay, interpolate, average."""
    length = x.shape[1] - Z
    times = torch.arange(length) + whole[:, :, None]
    microphones = torch.arange(x.shape[0])[None, :, None]
    early, late = x[microphones, times], x[microphones, times + 1]
    return torch.lerp(early, late, part[:, :, None]).mean(dim=1)
