"""Retrieval by inner product."""

import torch


def retrieve_top_k(q, items, scale, *, K):
    """Score all items, sort stably, keep the best."""
    score, best = torch.sort((items.float() @ q) * scale, descending=True, stable=True)
    return best[:K].to(torch.int32), score[:K]
