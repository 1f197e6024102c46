"""Dense autoencoder for anomaly detection."""

import torch.nn.functional as F


def autoencoder(x, w0, b0, we, be, wz, bz, wu, bu, wd, bd, wo, bo):
    """Mean squared error of the reconstruction of each window."""
    h = F.relu(F.linear(x, w0, b0))
    for weight, bias in zip(we, be):
        h = F.relu(F.linear(h, weight, bias))
    h = F.relu(F.linear(h, wz, bz))
    h = F.relu(F.linear(h, wu, bu))
    for weight, bias in zip(wd, bd):
        h = F.relu(F.linear(h, weight, bias))
    return (F.linear(h, wo, bo) - x).square().mean(1)
