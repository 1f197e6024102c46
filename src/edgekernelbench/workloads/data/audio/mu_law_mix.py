"""Conference bridge on mu-law samples."""

import torch


def mu_law_mix(code):
    """Expand, mix all but oneself, compress."""
    bits = 255 - torch.arange(256)
    magnitude = ((((bits & 15) << 3) + 132) << ((bits >> 4) & 7)) - 132
    table = torch.where(bits >= 128, -magnitude, magnitude)
    line = table[code.long()]
    other = line.sum(dim=0) - line
    loud = other.abs().clamp(max=32635) + 132
    segment = torch.bucketize(loud, 2 ** torch.arange(8, 15), right=True)
    mantissa = (loud >> (segment + 3)) & 15
    return (255 - (((other < 0).long() << 7) + (segment << 4) + mantissa)).to(torch.uint8)
