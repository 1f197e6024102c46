"""Correlation of beats with templates."""

import torch


def beat_template(x, peak, template, *, N):
    """Cut the beats out, centre both, normalised products."""
    beats = x[peak.long()[:, None] + torch.arange(N)]
    beats = beats - beats.mean(dim=1, keepdim=True)
    known = template - template.mean(dim=1, keepdim=True)
    energy = beats.square().sum(dim=1)[:, None] * known.square().sum(dim=1)
    corr = beats @ known.T / (energy + 1e-6).sqrt()
    return corr, corr.argmax(dim=1).int()
