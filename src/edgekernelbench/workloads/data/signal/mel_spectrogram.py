"""Logarithmic mel spectrogram."""

import torch


def mel_spectrogram(x, fb, *, N, HOP, NF, FLOOR):
    """Window frames, take the power spectrum, apply the mel filters, take the logarithm."""
    frames = x.unfold(0, N, HOP) * torch.hann_window(N)
    power = torch.fft.rfft(frames, n=NF).abs().square()
    return torch.log((power @ fb.T).clamp(min=FLOOR))
