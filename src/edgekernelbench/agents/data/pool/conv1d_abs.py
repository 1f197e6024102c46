import torch


def conv1d_abs(x, w, b):
    return torch.nn.functional.conv1d(x[None], w, b, padding=2)[0].abs()
