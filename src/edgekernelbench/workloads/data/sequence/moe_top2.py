"""Sparse mixture of experts."""

import torch
import torch.nn.functional as F


def moe_top2(x, wr, wg, wu, wd):
    """Route each token to two experts, weigh their outputs; in float32."""
    x32 = x.float()
    score, expert = torch.topk(x32 @ wr.float().T, 2, dim=-1)
    hidden = F.silu(torch.einsum("rd,rked->rke", x32, wg[expert].float()))
    hidden = hidden * torch.einsum("rd,rked->rke", x32, wu[expert].float())
    y = torch.einsum("rke,rkde->rkd", hidden, wd[expert].float())
    return (torch.softmax(score, dim=-1)[:, :, None] * y).sum(1).to(x.dtype)
