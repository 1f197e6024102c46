"""Asymmetric distances to product-quantised vectors."""

import torch


def product_quantised_scores(q, book, code):
    """One table of distances a part, then a look-up for every code."""
    table = (q[:, None] - book).square().sum(-1)
    return table[torch.arange(len(q)), code.long()].sum(1)
