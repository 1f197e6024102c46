"""Product with a Monarch matrix."""

import torch


def monarch_matmul(x, w1, w2):
    """Two batched products with a transpose of the blocks between them."""
    mid = torch.bmm(x.transpose(0, 1), w1.transpose(1, 2))
    return torch.bmm(mid.permute(2, 1, 0), w2.transpose(1, 2)).permute(1, 2, 0)
