"""Votes of a random forest."""

import torch
import torch.nn.functional as F


def decision_forest(x, feature, bar, label, *, K, DEPTH):
    """Walk all rows down all trees, then count."""
    trees = torch.arange(len(feature))
    node = torch.zeros(len(x), len(feature), dtype=torch.long)
    for _ in range(DEPTH):
        value = x.gather(1, feature[trees, node].long())
        node = 2 * node + 1 + (value > bar[trees, node])
    classes = label[trees, node - feature.shape[1]].long()
    votes = F.one_hot(classes, K).sum(dim=1).int()
    return votes, votes.argmax(dim=1).int()
