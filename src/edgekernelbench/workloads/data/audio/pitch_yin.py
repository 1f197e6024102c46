"""Pitch by YIN."""

import torch


def pitch_yin(x, *, W, L, LOW, BAR):
    """Periods and depths of all frames; integer differences are exact."""
    wide = x.long()
    shifted = wide.unfold(1, W, 1)[:, :L]
    diff = (shifted - wide[:, None, :W]).square().sum(dim=2)
    lags = torch.arange(L)
    cmn = (diff * lags).float() / diff.cumsum(dim=1).clamp(min=1).float()
    cmn[:, 0] = 1
    dips = torch.zeros_like(cmn, dtype=torch.bool)
    dips[:, LOW:-1] = (cmn[:, LOW:-1] < BAR) & (cmn[:, LOW:-1] <= cmn[:, LOW + 1 :])
    least = cmn[:, LOW:].argmin(dim=1) + LOW
    lag = torch.where(dips.any(dim=1), dips.int().argmax(dim=1), least)
    return lag.int(), cmn.gather(1, lag[:, None])[:, 0]
