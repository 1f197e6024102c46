"""Surprise of a text under a language model."""

import math

import torch.nn.functional as F


def cross_entropy(x, label):
    """Bits for each token, and their mean."""
    bits = F.cross_entropy(x.float(), label.long(), reduction="none") / math.log(2)
    return bits, bits.mean()
