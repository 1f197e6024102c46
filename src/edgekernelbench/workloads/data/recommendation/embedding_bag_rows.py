"""Weighted embedding bag over quantised rows."""

import torch


def embedding_bag_rows(ids, w, table, scale, bias):
    """Dequantise the rows that are looked up, sum them by weight."""
    ids = ids.long()
    rows = table[ids].float() * scale[ids].float()[:, :, None] + bias[ids].float()[:, :, None]
    return torch.einsum("bl,bld->bd", w, rows)
