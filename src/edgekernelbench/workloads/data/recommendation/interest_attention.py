"""Attention of candidates over a user's history."""

import torch
import torch.nn.functional as F


def interest_attention(hist, count, cand, table, w1, b1, w2, b2, w3, b3, wt, bt, wo, bo):
    """Weigh the past items for each candidate, then score."""
    past, item = F.embedding(hist[: int(count)], table), F.embedding(cand, table)
    a, b = torch.broadcast_tensors(item[:, None], past)
    mixed = torch.cat([a, b, a - b, a * b], dim=-1)
    hidden = torch.sigmoid(F.linear(mixed, w1.flatten(1), b1))
    weight = torch.sigmoid(F.linear(hidden, w2, b2)) @ w3 + b3
    top = F.relu(F.linear(torch.cat([weight @ past, item], dim=-1), wt.flatten(1), bt))
    return torch.sigmoid(top @ wo + bo)
