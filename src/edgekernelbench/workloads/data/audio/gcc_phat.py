"""Generalised cross-correlation with phase transform."""

import torch


def gcc_phat(a, b, *, N, L):
    """Whitened cross-spectrum, back to lags, maximum."""
    cross = torch.fft.rfft(a, n=2 * N) * torch.fft.rfft(b, n=2 * N).conj()
    corr = torch.fft.irfft(cross / (cross.abs() + 1e-3), n=2 * N)
    corr = torch.cat([corr[:, -L:], corr[:, : L + 1]], dim=1)
    return corr, corr.argmax(dim=1).int()
