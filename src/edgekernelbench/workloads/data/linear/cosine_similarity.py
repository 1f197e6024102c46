"""Matrix of cosines."""

import torch.nn.functional as F


def cosine_similarity(a, b, *, EPS):
    """Normalise the rows of both, multiply."""
    rows = F.normalize(a.float(), dim=-1, eps=EPS)
    columns = F.normalize(b.float(), dim=-1, eps=EPS)
    return (rows @ columns.T).to(a.dtype)
