"""Edge convolution on a point cloud."""

import torch
import torch.nn.functional as F


def edge_conv(x, near, wc, wd, b):
    """Join each point with the differences to its neighbours, one dense layer, maximum."""
    wide = x.float()
    difference = wide[near.long()] - wide[:, None]
    edges = torch.cat([wide[:, None].expand_as(difference), difference], dim=2)
    weights = torch.cat([wc, wd], dim=1).float()
    return F.leaky_relu(F.linear(edges, weights, b), 0.2).amax(dim=1).to(x.dtype)
