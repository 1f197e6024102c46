"""Multi-task ranking with shared experts."""

import torch
import torch.nn.functional as F


def multi_gate_experts(x, we, be, wg, wt, bt, wo, bo):
    """Experts, one softmax gate a task, towers."""
    experts = F.relu(torch.einsum("bd,nhd->bnh", x, we) + be)
    gates = torch.softmax(torch.einsum("bd,tnd->btn", x, wg), dim=-1)
    tower = F.relu(torch.einsum("bth,tgh->btg", gates @ experts, wt) + bt)
    return torch.sigmoid((tower * wo).sum(-1) + bo)
