"""From logits to sampling probabilities."""

import torch


def sampling_probabilities(z, recent, *, PENALTY, TEMPERATURE, MINP):
    """Penalise repeats, apply temperature and min-p, normalise."""
    z = z.float()
    seen = torch.zeros(len(z), dtype=torch.bool)
    seen[recent.long()] = True
    penalised = torch.where(z > 0, z / PENALTY, z * PENALTY)
    p = torch.exp((torch.where(seen, penalised, z) - torch.where(seen, penalised, z).max()) / TEMPERATURE)
    p = torch.where(p >= MINP, p, 0.0)
    return p / p.sum()
