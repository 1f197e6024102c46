"""CRC-32 of Ethernet frames."""

import zlib

import torch


def crc32(data):
    """One checksum a frame, from the library that everybody has."""
    sums = [zlib.crc32(frame.numpy().tobytes()) for frame in data]
    return torch.tensor(sums, dtype=torch.uint32)
