"""Hamming distances of 32-bit words, bits counted in parallel within a word."""

import torch


def sign_hash_distance(q, plane, code):
    """Sums of pairs, of fours and of bytes: PyTorch has no population count."""
    bits = ((plane @ q) >= 0).long()
    words = (bits << torch.arange(32)).sum(-1)
    x = code.long() ^ words
    x = x - ((x >> 1) & 0x55555555)
    x = (x & 0x33333333) + ((x >> 2) & 0x33333333)
    x = (x + (x >> 4)) & 0x0F0F0F0F
    return (x * 0x01010101 >> 24 & 0xFF).sum(1).to(torch.int32), words.to(torch.uint32)
