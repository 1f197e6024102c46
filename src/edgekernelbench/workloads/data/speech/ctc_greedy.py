"""Greedy decoding of connectionist temporal classification."""

import torch
import torch.nn.functional as F


def ctc_greedy(logit):
    """Argmax, merge repeats, drop blanks, pad."""
    merged = torch.unique_consecutive(logit.argmax(dim=1))
    tokens = merged[merged != 0].int()
    return F.pad(tokens, (0, len(logit) - len(tokens)), value=-1), torch.tensor(len(tokens), dtype=torch.int)
