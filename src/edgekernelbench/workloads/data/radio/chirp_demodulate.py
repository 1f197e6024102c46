"""Demodulation of chirp symbols."""

import math

import torch


def chirp_demodulate(re, im):
    """De-chirp, transform, strongest bin."""
    chips = re.shape[1]
    place = torch.arange(chips)
    down = torch.polar(torch.ones(chips), -math.pi / chips * (place.square() % (2 * chips)))
    power = torch.fft.fft(torch.complex(re, im) * down, norm="ortho").abs().square()
    peak, symbol = power.max(dim=1)
    return symbol.int(), peak
