"""Quantised product with 2:4 sparse weights."""

import torch


def nm_sparse_matmul_q8(x, w, slot, bias, mul, *, K, ZX, ZY):
    """Spread the weights to dense rows, multiply exactly in float32, requantise."""
    at = (slot.long() + 4 * torch.arange(w.shape[1])[:, None]).flatten(1)
    dense = torch.zeros(len(w), K).scatter_add(1, at, w.float().flatten(1))
    acc = (x.float() - ZX) @ dense.T + bias
    return (torch.round(acc * mul) + ZY).clamp(-128, 127).to(torch.int8)
