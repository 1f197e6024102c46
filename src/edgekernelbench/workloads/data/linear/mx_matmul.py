"""Product in the MXINT8 format."""

import torch


def mx_matmul(x, w, we):
    """Quantise blocks of activations to 8 bits with a shared exponent, multiply blocks, sum."""
    rows, blocks = we.shape
    tiles = x.view(len(x), blocks, -1)
    _, exponent = torch.frexp(tiles.abs().amax(-1))
    exponent = (exponent - 1).clamp(-57, 64)
    code = torch.ldexp(tiles, 6 - exponent[:, :, None]).round().clamp(-127, 127)
    dot = torch.einsum("igu,ngu->ing", code, w.float().view(rows, blocks, -1))
    return torch.ldexp(dot, exponent[:, None, :] + we.int() - 127 - 12).sum(-1)
