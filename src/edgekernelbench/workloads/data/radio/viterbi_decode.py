"""Viterbi decoder, rate 1/2, constraint length 7, soft decisions."""

import torch

GENERATORS = (0o155, 0o117)  # 133 and 171 with the newest bit lowest


def viterbi_decode(soft):
    """Forward over all states of all blocks, then trace back from state 0."""
    blocks = len(soft)
    register = torch.arange(128)
    parity = [sum((register & g) >> n & 1 for n in range(7)) & 1 for g in GENERATORS]
    signs = 1 - 2 * torch.stack(parity).view(2, 2, 64)
    metric = torch.full((blocks, 64), -1_000_000)
    metric[:, 0] = 0
    choices = []
    for pair in soft.long().unbind(dim=1):
        branch = (pair[:, :, None, None] * signs).sum(dim=1)
        paths = metric.view(blocks, 2, 32).repeat_interleave(2, dim=2) + branch
        choices.append((paths[:, 1] > paths[:, 0]).long())
        metric = paths.amax(dim=1)
    state = torch.zeros(blocks, 1, dtype=torch.long)
    bits = [state]
    for choice in choices[:0:-1]:
        state = (state >> 1) + 32 * choice.gather(1, state)
        bits.append(state & 1)
    return torch.cat(bits[::-1], dim=1).to(torch.uint8)
