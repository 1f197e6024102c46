"""Magnitude of the short-time Fourier transform."""

import torch


def stft_magnitude(x, *, N, HOP):
    """Centred frames with reflected ends."""
    window = torch.hann_window(N)
    return torch.stft(x, N, HOP, window=window, center=True, pad_mode="reflect", return_complex=True).abs()
