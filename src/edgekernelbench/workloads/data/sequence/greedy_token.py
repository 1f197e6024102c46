"""Greedy choice of the next token."""

import torch
import torch.nn.functional as F


def greedy_token(x, g, e, *, EPS):
    """Normalise, score every token, take the best."""
    logits = e.float() @ F.rms_norm(x.float(), g.shape, g.float(), EPS)
    token = torch.argmax(logits)
    return token.to(torch.int32), logits[token]
