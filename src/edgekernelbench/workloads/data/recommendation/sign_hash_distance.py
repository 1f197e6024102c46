"""Hamming distances of sign hashes."""

import torch


def sign_hash_distance(q, plane, code):
    """Pack the signs of the projections, exclusive-or with every code, count bits."""
    place = torch.arange(32)
    bits = ((plane @ q) >= 0).long()
    words = (bits << place).sum(-1)
    miss = ((code.long() ^ words)[:, :, None] >> place) & 1
    return miss.sum((1, 2)).to(torch.int32), words.to(torch.uint32)
