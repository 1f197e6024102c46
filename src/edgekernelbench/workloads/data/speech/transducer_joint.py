"""Joint network of a transducer."""

import torch
import torch.nn.functional as F


def transducer_joint(enc, pred, w, b):
    """All pairs of frames and label positions; sums in float32."""
    hidden = torch.tanh(enc.float()[:, None] + pred.float()).to(enc.dtype)
    logits = F.linear(hidden.float(), w.float(), b)
    return torch.log_softmax(logits, dim=2).to(enc.dtype)
