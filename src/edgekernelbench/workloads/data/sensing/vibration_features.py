"""Condition indicators of vibration windows."""

import torch


def vibration_features(x, *, N, HOP):
    """Moments and extremes of centred windows."""
    windows = x.float().unfold(1, N, HOP)
    centred = windows - windows.mean(dim=2, keepdim=True)
    rms = (centred.square().mean(dim=2) + 1e-6).sqrt()
    low, high = centred.aminmax(dim=2)
    crest = torch.maximum(high, -low) / rms
    skewness = centred.pow(3).mean(dim=2) / rms**3
    kurtosis = centred.pow(4).mean(dim=2) / rms**4
    return torch.stack([rms, high - low, crest, skewness, kurtosis], dim=2)
