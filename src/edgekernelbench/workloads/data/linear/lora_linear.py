"""Dense layer with a low-rank adapter."""

import torch.nn.functional as F


def lora_linear(x, w, a, b, *, ALPHA, Q):
    """Add the adapter's product to that of the frozen weights."""
    return F.linear(x, w) + F.linear(F.linear(x, a), b) * (ALPHA / Q)
