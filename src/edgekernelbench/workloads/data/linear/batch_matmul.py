"""Batched matrix product with a transposed right side."""

import torch


def batch_matmul(a, b):
    """Multiply each matrix of a by the transpose of that of b."""
    return torch.bmm(a, b.transpose(1, 2))
