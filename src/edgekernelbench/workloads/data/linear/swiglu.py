"""Gated feed-forward block of a Llama-like language model."""

import torch.nn.functional as F


def swiglu(x, wg, wu, wd):
    """Down projection of silu(gate) * up."""
    return F.linear(F.silu(F.linear(x, wg)) * F.linear(x, wu), wd)
