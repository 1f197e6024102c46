"""One step of beam search by PyTorch's partial sort."""

import torch


def beam_step(z, score, done, *, EOS):
    """Sum log-probabilities; sort those that reach the last of the best, which keeps the order of equals."""
    beams, size = z.shape
    stay = torch.full_like(z, -torch.inf)
    stay[:, EOS] = 0.0
    step = torch.where(done[:, None] != 0, stay, torch.log_softmax(z, dim=-1))
    joint = (score[:, None] + step).flatten()
    least = torch.topk(joint, beams).values[-1]
    places = torch.nonzero(joint >= least)[:, 0]
    total, order = torch.sort(joint[places], descending=True, stable=True)
    pick = places[order[:beams]].to(torch.int32)
    return pick // size, pick % size, total[:beams]
