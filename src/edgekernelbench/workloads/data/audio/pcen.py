"""Per-channel energy normalisation."""

import torch


def pcen(e, alpha, delta, root, *, S, EPS):
    """Smooth each band, normalise by it, compress."""
    slow = [e[0]]
    for frame in e[1:]:
        slow.append(torch.lerp(slow[-1], frame, S))
    gain = torch.exp(-alpha * torch.log(torch.stack(slow) + EPS))
    return (e * gain + delta) ** root - delta**root
