"""Binary matrix product, bits in and bits out."""

import torch


def xnor_matmul(x, w, least, flip):
    """Unpack to signs, multiply exactly in float32, compare, pack."""
    place = torch.arange(32)

    def signs(words):
        return ((words.long()[:, :, None] >> place) & 1).flatten(1).float() * 2 - 1

    total = signs(x) @ signs(w).T
    bits = (total >= least).long().view(len(x), -1, 32)
    return ((bits << place).sum(-1) ^ flip.long()).to(torch.uint32)
