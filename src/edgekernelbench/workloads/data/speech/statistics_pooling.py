"""Attentive statistics pooling."""

import torch
import torch.nn.functional as F


def statistics_pooling(x, w1, b1, w2, b2):
    """Attention over time for every channel, then weighted mean and deviation; sums in float32."""
    frames = x.float()
    hidden = torch.tanh(F.linear(frames.T, w1.float(), b1)).to(x.dtype).float()
    weight = torch.softmax(F.linear(hidden, w2.float(), b2), dim=0).T
    mean = (weight * frames).sum(dim=1)
    spread = (weight * (frames - mean[:, None]).square()).sum(dim=1)
    return torch.stack([mean, (spread + 1e-6).sqrt()], dim=1).to(x.dtype)
