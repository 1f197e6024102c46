"""Kronecker-structured transform."""

import torch


def kron_transform(x, a, b):
    """Multiply from the left by the transpose of a, from the right by b; sums in float32."""
    return torch.einsum("rkl,kp,lq->rpq", x.float(), a.float(), b.float()).to(x.dtype)
