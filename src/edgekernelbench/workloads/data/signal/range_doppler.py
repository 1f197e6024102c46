"""Range-Doppler map of a chirp radar."""

import torch


def range_doppler(x):
    """Two windowed transforms, power over receivers, decibels."""
    _, chirps, samples = x.shape
    fast = torch.fft.rfft(x.float() / 2048 * torch.hann_window(samples), dim=2)[:, :, : samples // 2]
    slow = torch.fft.fft(fast * torch.hann_window(chirps)[:, None], dim=1)
    power = torch.fft.fftshift(slow, dim=1).abs().square().sum(dim=0)
    return 10 * torch.log10(power + 1e-3)
