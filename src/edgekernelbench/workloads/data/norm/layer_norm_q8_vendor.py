"""Layer normalisation of int8 codes by PyTorch's operator."""

import torch
import torch.nn.functional as F


def layer_norm_q8(x, g, b, *, ZY):
    """Normalise in float32; the eps is far below the variance of unequal codes."""
    y = F.layer_norm(x.float(), g.shape, g, b, eps=1e-9)
    return (torch.round(y) + ZY).clamp(-128, 127).to(torch.int8)
