"""Normalised autocorrelation of frames."""

import torch


def autocorrelation(x, *, L):
    """Autocorrelation at lags 0 to L - 1 over the energy, by way of the power spectrum."""
    spectrum = torch.fft.rfft(x, n=2 * x.shape[1])
    acf = torch.fft.irfft(spectrum.abs().square())[:, :L]
    return acf / (acf[:, :1] + 1e-6)
