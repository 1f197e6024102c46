"""Oxygen saturation from red and infrared light."""

import torch


def pulse_oximetry(red, ir, *, N, HOP):
    """Remove the trend of each window; ratio of the perfusions; polynomial."""
    windows = torch.stack([red, ir]).double().unfold(1, N, HOP)
    level = windows.mean(dim=2, keepdim=True)
    part = (windows - level).float()
    time = torch.arange(N) - (N - 1) / 2
    rest = part - (part @ time / time.square().sum())[:, :, None] * time
    perfusion = rest.square().mean(dim=2).sqrt() / level[:, :, 0].float().clamp(min=1)
    ratio = (perfusion[0] / perfusion[1].clamp(min=1e-6)).clamp(0.02, 1.84)
    return (-45.06 * ratio + 30.354) * ratio + 94.845, ratio
