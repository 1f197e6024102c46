"""Simple recurrent unit."""

import math

import torch
import torch.nn.functional as F


def sru(x, w, v, b, c0):
    """One product for all steps; only elementwise work step by step."""
    wide = x.float()
    joint = F.linear(wide, w.flatten(0, 1).float())
    cell, outs = c0, []
    for step, skip in zip(joint, wide, strict=True):
        fresh, forget, reset = step.chunk(3)
        forget = torch.sigmoid(forget + v[0] * cell + b[0])
        reset = torch.sigmoid(reset + v[1] * cell + b[1])
        cell = torch.lerp(fresh, cell, forget)
        outs.append(torch.lerp(skip * math.sqrt(3), cell, reset))
    return torch.stack(outs).to(x.dtype), cell
