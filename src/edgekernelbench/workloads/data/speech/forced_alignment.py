"""Forced alignment by Viterbi in integers."""

import torch

NEVER = -1_000_000_000


def forced_alignment(score, label):
    """Forward over all label positions, then back from the last."""
    local = score.long()[:, label.long()]
    best = torch.full_like(local[0], NEVER)
    best[0] = local[0, 0]
    moves = []
    for frame in local[1:]:
        move = torch.cat([torch.tensor([NEVER]), best[:-1]])
        moves.append(move > best)
        best = (torch.maximum(best, move) + frame).clamp(min=NEVER)
    spot = len(label) - 1
    path = [spot]
    for moved in reversed(moves):
        spot -= int(moved[spot])
        path.append(spot)
    return torch.tensor(path[::-1], dtype=torch.int), best[-1].int()
