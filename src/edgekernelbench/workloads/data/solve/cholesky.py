"""Cholesky factors of a batch of matrices."""

import torch


def cholesky(a):
    """Lower triangular factor of each matrix."""
    return torch.linalg.cholesky(a)
