"""Retrieval by inner product, the best by PyTorch's partial sort."""

import torch


def retrieve_top_k(q, items, scale, *, K):
    """Score all items, sort the best alone; items are widened ahead of time."""
    score, best = torch.topk((items.float() @ q) * scale, K)
    return best.to(torch.int32), score
