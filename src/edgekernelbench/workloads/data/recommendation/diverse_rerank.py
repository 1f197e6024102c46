"""Maximal marginal relevance."""

import torch


def diverse_rerank(rel, e, *, K, LAMBDA):
    """Greedy choice by relevance and distance from what is chosen."""
    similar = e @ e.T
    near, taken = torch.zeros_like(rel), torch.zeros_like(rel)
    picks, gains = [], []
    for r in range(K):
        value = LAMBDA * rel - (1 - LAMBDA) * near + taken
        pick = torch.argmax(value)
        picks.append(pick)
        gains.append(value[pick])
        taken[pick] = -torch.inf
        near = torch.maximum(near, similar[pick]) if r else similar[pick]
    return torch.stack(picks).to(torch.int32), torch.stack(gains)
