"""LU factorisation without pivoting."""

import torch


def lu(jac, c):
    """Eliminate column by column; the trailing block takes an outer product."""
    w = c[:, None, None] * torch.eye(jac.shape[-1]) - jac
    for k in range(jac.shape[-1] - 1):
        w[:, k + 1 :, k] /= w[:, k, k, None]
        w[:, k + 1 :, k + 1 :] -= w[:, k + 1 :, k, None] * w[:, None, k, k + 1 :]
    return w
