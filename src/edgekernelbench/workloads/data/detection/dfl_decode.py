"""Boxes from distributions over distances."""

import torch


def dfl_decode(raw, centre, stride, *, B):
    """Expected distance to each side, taken from the centres."""
    distance = torch.einsum("sbn,b->sn", raw.float().softmax(1), torch.arange(float(B)))
    corners = torch.cat([centre - distance[:2], centre + distance[2:]])
    return (corners * stride).T
