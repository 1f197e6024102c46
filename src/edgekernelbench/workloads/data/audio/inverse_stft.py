"""Inverse short-time Fourier transform by overlap-add."""

import torch


def inverse_stft(zr, zi, *, HOP):
    """Back to samples; frames were centred."""
    size = 2 * (zr.shape[0] - 1)
    return torch.istft(torch.complex(zr, zi), size, HOP, window=torch.hann_window(size), center=True)
