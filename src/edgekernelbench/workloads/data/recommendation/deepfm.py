"""Factorisation machine with a deep component."""

import torch
import torch.nn.functional as F


def deepfm(ids, w, v, w1, b1, w2, b2, w3, b3):
    """Both components read the same embeddings; their sum is squashed."""
    fields = torch.arange(ids.shape[1])
    embedded = v[fields, ids.long()]
    pairs = (embedded.sum(1).square() - embedded.square().sum(1)).sum(1)
    hidden = F.relu(F.linear(embedded.flatten(1), w1.flatten(1), b1))
    deep = F.relu(F.linear(hidden, w2, b2)) @ w3
    return torch.sigmoid(w[fields, ids.long()].sum(1) + 0.5 * pairs + deep + b3)
