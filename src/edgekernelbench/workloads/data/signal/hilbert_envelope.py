"""Envelope by an FIR Hilbert transformer."""

import math

import torch
import torch.nn.functional as F


def hilbert_envelope(x, *, L):
    """Quadrature part by convolution, magnitude with the delayed signal."""
    half = L // 2
    places = half - torch.arange(L)
    ideal = torch.where(places % 2 == 0, 0.0, 2 / (math.pi * places.float()))
    taps = torch.where(places % 2 == 0, 0.0, ideal * torch.hamming_window(L, periodic=False))
    quadrature = F.conv1d(x[:, None], taps[None, None])[:, 0]
    return torch.hypot(x[:, half:-half], quadrature)
