"""Pooled, normalised sentence embeddings."""

import torch
import torch.nn.functional as F


def masked_mean_embedding(x, count):
    """Mean over the tokens that count, then unit length."""
    mask = torch.arange(x.shape[1]) < count[:, None]
    mean = (x.float() * mask[:, :, None]).sum(1) / count[:, None]
    return F.normalize(mean, dim=-1)
