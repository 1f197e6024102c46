"""Mel-frequency cepstral coefficients of 16-bit speech."""

import math

import torch


def mfcc(x, fb, *, N, HOP, NF, C):
    """Frames, pre-emphasis, power spectrum, mel filters, logarithm, cosine transform, lifter."""
    frames = x.float().unfold(0, N, HOP)
    frames = frames - frames.mean(dim=1, keepdim=True)
    frames = frames - 0.97 * torch.cat([frames[:, :1], frames[:, :-1]], dim=1)
    window = torch.hann_window(N, periodic=False).pow(0.85)
    power = torch.fft.rfft(frames * window, n=NF).abs().square()
    level = torch.log((power @ fb.T).clamp(min=torch.finfo(torch.float32).eps))
    bands = torch.arange(fb.shape[0]) + 0.5
    order = torch.arange(C)
    dct = torch.cos(math.pi / len(bands) * order[:, None] * bands) * math.sqrt(2 / len(bands))
    dct[0] /= math.sqrt(2)
    return level @ dct.T * (1 + 11 * torch.sin(math.pi / 22 * order))
