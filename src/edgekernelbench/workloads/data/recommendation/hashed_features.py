"""Logistic regression on hashed features."""

import torch


def hashed_features(raw, w, bias):
    """Mix field and value, look the weights up, sum, squash."""
    low = 0xFFFFFFFF
    h = (raw.long() + 2654435769 * torch.arange(1, raw.shape[1] + 1)) & low
    # Products are taken by halves, since 64 bits are signed here.
    for shift, factor in ((16, 2246822507), (13, 3266489909)):
        h = h ^ (h >> shift)
        h = ((h & 0xFFFF) * factor + (((h >> 16) * factor & 0xFFFF) << 16)) & low
    return torch.sigmoid(w[(h ^ (h >> 16)) & (len(w) - 1)].sum(1) + bias)
