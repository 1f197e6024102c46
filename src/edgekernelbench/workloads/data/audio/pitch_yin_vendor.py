"""Pitch by YIN as shipped: differences from energies and a correlation by fast transforms."""

import torch


def pitch_yin(x, *, W, L, LOW, BAR):
    """Periods and depths of all frames; float64 rounds back to the exact integers."""
    wide = x.double()
    size = W + L
    spectrum = torch.fft.rfft(wide, n=size)
    head = torch.fft.rfft(wide[:, :W], n=size)
    cross = torch.fft.irfft(spectrum * head.conj(), n=size)[:, :L].round()
    running = torch.nn.functional.pad(wide.square().cumsum(dim=1), (1, 0))
    energy = running[:, W : W + L] - running[:, :L]
    diff = (energy[:, :1] + energy - 2 * cross).long()
    lags = torch.arange(L)
    cmn = (diff * lags).float() / diff.cumsum(dim=1).clamp(min=1).float()
    cmn[:, 0] = 1
    dips = torch.zeros_like(cmn, dtype=torch.bool)
    dips[:, LOW:-1] = (cmn[:, LOW:-1] < BAR) & (cmn[:, LOW:-1] <= cmn[:, LOW + 1 :])
    least = cmn[:, LOW:].argmin(dim=1) + LOW
    lag = torch.where(dips.any(dim=1), dips.int().argmax(dim=1), least)
    return lag.int(), cmn.gather(1, lag[:, None])[:, 0]
