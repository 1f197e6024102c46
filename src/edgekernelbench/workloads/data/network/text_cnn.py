"""Convolutional sentence classifier."""

import torch
import torch.nn.functional as F


def text_cnn(ids, table, w3, w4, w5, bias, wf, bf):
    """Convolve the embedded sentence with three widths, pool over time, classify."""
    x = F.embedding(ids, table).T
    pooled = [F.relu(F.conv1d(x, w, b)).amax(1) for w, b in zip((w3, w4, w5), bias)]
    return torch.softmax(F.linear(torch.cat(pooled), wf.flatten(1), bf), dim=-1)
