"""Product with a lower triangular matrix."""

import torch


def triangular_product(l, z):  # noqa: E741
    """Lower triangle of l times z."""
    return torch.tril(l) @ z
