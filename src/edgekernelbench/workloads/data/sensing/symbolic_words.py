"""Symbolic aggregate approximation."""

import torch


def symbolic_words(x, *, W, P):
    """Standard scores, means of pieces, letters, packed words."""
    centred = x - x.mean(dim=1, keepdim=True)
    pieces = centred.view(-1, W, P).mean(dim=2)
    score = pieces / (centred.square().mean(dim=1, keepdim=True) + 1e-8).sqrt()
    letter = torch.bucketize(score, torch.tensor([-0.6745, 0.0, 0.6745]), right=True)
    word = (letter << (2 * torch.arange(W))).sum(dim=1)
    return letter.to(torch.uint8), word.int()
