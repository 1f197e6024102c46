"""Recurrence of DeltaNet."""

import torch


def delta_rule(q, k, v, beta, s0):
    """Correct the state token by token, read it with each query."""
    k = k * torch.rsqrt(k.square().sum(-1, keepdim=True) + 1e-6)
    state, out = s0, []
    for qn, kn, vn, rate in zip(q, k, v, beta):
        miss = vn - torch.einsum("hed,hd->he", state, kn)
        state = state + torch.einsum("h,he,hd->hed", rate, miss, kn)
        out.append(torch.einsum("hed,hd->he", state, qn))
    return torch.stack(out), state
