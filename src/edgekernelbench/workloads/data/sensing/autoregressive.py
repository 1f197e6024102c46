"""Recursive autoregressive forecasts."""

import torch


def autoregressive(x, a, bias, *, H):
    """Feed every forecast back into its model."""
    order = a.flip(1)
    values = x
    for _ in range(H):
        step = (values[:, -x.shape[1] :] * order).sum(dim=1) + bias
        values = torch.cat([values, step[:, None]], dim=1)
    return values[:, x.shape[1] :]
