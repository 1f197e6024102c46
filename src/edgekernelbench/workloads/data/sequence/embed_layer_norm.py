"""Token and position embedding with layer normalisation."""

import torch.nn.functional as F


def embed_layer_norm(ids, table, places, g, b, *, EPS):
    """Look up, add positions, normalise."""
    embedded = F.embedding(ids, table).float() + places.float()
    return F.layer_norm(embedded, g.shape, g.float(), b.float(), EPS).to(table.dtype)
