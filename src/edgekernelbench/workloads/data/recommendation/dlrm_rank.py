"""Small deep-learning recommendation model, one score a candidate."""

import torch
import torch.nn.functional as F


def dlrm_rank(dense, ids, table, w1, b1, w2, b2, wx, wp, b3, w4, b4):
    """Bottom MLP, look-ups, dot products of all pairs, top MLP."""
    bottom = F.relu(F.linear(F.relu(F.linear(dense, w1, b1)), w2, b2))
    fields = torch.arange(ids.shape[1])
    vectors = torch.cat([bottom[:, None], table[fields, ids.long()]], dim=1)
    dots = vectors @ vectors.transpose(1, 2)
    row, column = torch.tril_indices(dots.shape[1], dots.shape[1], offset=-1)
    pairs = F.linear(dots[:, row, column], wp[:, row, column])
    hidden = F.relu(F.linear(bottom, wx) + pairs + b3)
    return torch.sigmoid(hidden @ w4 + b4)
