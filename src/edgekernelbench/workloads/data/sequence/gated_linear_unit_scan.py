"""Real-gated linear recurrent unit."""

import torch
import torch.nn.functional as F


def gated_linear_unit_scan(x, ga, gx, decay):
    """Gates for all tokens at once, then the recurrence."""
    log_a = -8 * F.softplus(decay) * torch.sigmoid(ga)
    inflow = torch.sqrt(-torch.expm1(2 * log_a)) * torch.sigmoid(gx) * x
    state, out = torch.zeros_like(decay), []
    for keep, add in zip(torch.exp(log_a), inflow):
        state = keep * state + add
        out.append(state)
    return torch.stack(out)
