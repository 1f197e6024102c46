"""Polyphase resampler."""

import torch


def resample_polyphase(x, h, *, UP, DOWN):
    """Windows of the input, each with the taps of its phase."""
    taps = h.shape[1]
    count = (x.shape[1] - taps + 1) * UP // DOWN
    place = torch.arange(count) * DOWN
    windows = x.float().unfold(1, taps, 1)[:, place // UP].flip(2)
    return (windows * h.float()[place % UP]).sum(dim=2).to(x.dtype)
