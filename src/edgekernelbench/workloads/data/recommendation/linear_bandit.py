"""Scores of a linear bandit."""

import torch


def linear_bandit(x, inv, b, *, ALPHA):
    """Mean and width of each arm's confidence bound."""
    mean = torch.einsum("aij,aj,ai->a", inv, b, x)
    width = torch.einsum("ai,aij,aj->a", x, inv, x).sqrt()
    bound = mean + ALPHA * width
    return bound, torch.argmax(bound).to(torch.int32)
