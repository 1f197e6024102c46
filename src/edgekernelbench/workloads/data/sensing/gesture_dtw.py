"""Dynamic time warping of a gesture against templates."""

import torch

FAR = 1_000_000


def gesture_dtw(a, b):
    """Sweep along anti-diagonals, all templates side by side."""
    cost = (a.int()[None, :, None] - b.int()[:, None]).abs().sum(dim=3)
    templates, rows, columns = cost.shape
    skewed = torch.full((templates, rows, rows + columns - 1), FAR)
    for row in range(rows):
        skewed[:, row, row : row + columns] = cost[:, row]
    edge = torch.full((templates, 1), FAR)
    older = last = torch.full((templates, rows), FAR)
    for step, local in enumerate(skewed.unbind(dim=2)):
        diagonal = torch.cat([edge, older[:, :-1]], dim=1)
        above = torch.cat([edge, last[:, :-1]], dim=1)
        best = torch.minimum(torch.minimum(last, above), diagonal)
        if step == 0:
            best = torch.zeros_like(best)
        older, last = last, torch.where(local >= FAR, FAR, best + local)
    dist = last[:, -1]
    return dist.int(), dist.argmin().int()
