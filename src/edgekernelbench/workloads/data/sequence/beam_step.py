"""One step of beam search."""

import torch


def beam_step(z, score, done, *, EOS):
    """Sum log-probabilities, take the best continuations of all hypotheses."""
    beams, size = z.shape
    stay = torch.full_like(z, -torch.inf)
    stay[:, EOS] = 0.0
    step = torch.where(done[:, None] != 0, stay, torch.log_softmax(z, dim=-1))
    total, pick = torch.sort((score[:, None] + step).flatten(), descending=True, stable=True)
    pick = pick[:beams].to(torch.int32)
    return pick // size, pick % size, total[:beams]
