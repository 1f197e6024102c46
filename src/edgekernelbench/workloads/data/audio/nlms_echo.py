"""Echo canceller by normalised LMS."""

import torch


def nlms_echo(far, mic, *, L, MU, EPS):
    """Predict the echo, send the error on, adapt by it."""
    windows = far.unfold(0, L, 1)
    steps = MU * windows / (windows.square().sum(dim=1, keepdim=True) + EPS)
    weights = torch.zeros(L)
    errors = []
    for window, step, sample in zip(windows, steps, mic, strict=True):
        error = sample - window @ weights
        weights = weights + error * step
        errors.append(error)
    return torch.stack(errors)
