"""Unpacking of MIPI RAW10."""

import torch


def mipi_raw10_unpack(line, *, W):
    """Five bytes to four pixels."""
    groups = line[:, : W // 4 * 5].int().unflatten(1, (-1, 5))
    low = (groups[:, :, 4:] >> torch.tensor([0, 2, 4, 6], dtype=torch.int32)) & 3
    return ((groups[:, :, :4] << 2) | low).flatten(1).to(torch.uint16)
