"""Hashed character n-grams."""

import torch


def ngram_hash(text, *, V):
    """FNV-1a of every window of 3, 4 and 5 bytes, counted by bucket."""
    counts = torch.zeros(V, dtype=torch.int64)
    for n in (3, 4, 5):
        h = torch.full((len(text) - n + 1,), 2166136261)
        for letter in text.long().unfold(0, n, 1).unbind(1):
            h = (h ^ letter) * 16777619 & 0xFFFFFFFF
        counts += torch.bincount(h & (V - 1), minlength=V)
    return counts.to(torch.int32)
