"""Power spectral density by Welch's method."""

import torch


def welch_psd(x, *, N, RATE):
    """Mean periodogram of half-overlapping Hann-windowed segments."""
    window = torch.hann_window(N)
    segments = x.unfold(1, N, N // 2)
    segments = (segments - segments.mean(-1, keepdim=True)) * window
    power = torch.fft.rfft(segments).abs().square().mean(1) / (RATE * window.square().sum())
    power[:, 1:-1] *= 2
    return power
