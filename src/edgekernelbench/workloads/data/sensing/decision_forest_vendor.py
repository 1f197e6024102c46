"""Votes of a random forest, all rows and trees level by level."""

import torch
import torch.nn.functional as F


def decision_forest(x, feature, bar, label, *, K, DEPTH):
    """One step of all walks a level: a loop over the levels of the model, as over layers."""
    trees = torch.arange(len(feature))
    node = torch.zeros(len(x), len(feature), dtype=torch.long)
    for _ in range(feature.shape[1].bit_length()):
        value = x.gather(1, feature[trees, node].long())
        node = 2 * node + 1 + (value > bar[trees, node])
    classes = label[trees, node - feature.shape[1]].long()
    votes = F.one_hot(classes, K).sum(dim=1).int()
    return votes, votes.argmax(dim=1).int()
