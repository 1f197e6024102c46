"""Likelihood of label sequences by connectionist temporal classification."""

import torch
import torch.nn.functional as F


def ctc_score(logp, label):
    """Score all sequences against the same frames."""
    frames = len(logp)
    count, length = label.shape
    batch = logp[:, None].expand(frames, count, logp.shape[1])
    return F.ctc_loss(
        batch,
        label.long(),
        torch.full((count,), frames),
        torch.full((count,), length),
        reduction="none",
    )
