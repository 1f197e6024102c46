"""Decision-directed Wiener gains."""

import torch


def wiener_gain(power, noise, *, ALPHA, FLOOR):
    """A priori ratio from the last frame, then the Wiener rule."""
    posteriori = (power / noise).clamp(max=100)
    fresh = (1 - ALPHA) * torch.relu(posteriori - 1)
    kept = torch.full_like(noise, ALPHA)
    gains = []
    for post, excess in zip(posteriori, fresh, strict=True):
        prio = kept + excess
        gain = (prio / (1 + prio)).clamp(min=FLOOR)
        kept = ALPHA * gain.square() * post
        gains.append(gain)
    return torch.stack(gains)
