"""Recurrence of DeltaNet."""

import torch


def delta_rule(q, k, v, beta, s0):
    """Correct the state token by token, read it with each query."""
    q, k = (x * torch.rsqrt(x.square().sum(-1, keepdim=True) + 1e-6) for x in (q, k))
    state, out = s0, []
    for qn, kn, vn, rate in zip(q, k, v, beta):
        miss = vn - torch.einsum("hed,hd->he", state, kn)
        state = state + torch.einsum("h,he,hd->hed", rate, miss, kn)
        out.append(torch.einsum("hed,hd->he", state, qn) * q.shape[-1] ** -0.5)
    return torch.stack(out), state
