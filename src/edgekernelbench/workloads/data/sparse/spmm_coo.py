"""Sparse-dense product from coordinates."""

import torch


def spmm_coo(x, v, row, col, *, R):
    """Gather the origins, weigh, add at the targets."""
    messages = v[:, None] * x[col.long()]
    return torch.zeros(R, x.shape[1]).index_add(0, row.long(), messages)
