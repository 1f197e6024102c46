"""ResNet-8 for 32-pixel images."""

import torch.nn.functional as F


def strided(x, w, b):
    """3x3 convolution of stride 2, padded below and right only."""
    return F.conv2d(F.pad(x, (0, 1, 0, 1)), w, b, stride=2)


def shortcut(x, w, b):
    """1x1 convolution of stride 2."""
    return F.conv2d(x, w[:, :, None, None], b, stride=2)


def resnet8(x, w0, b0, wa, ba, wb1, bb1, wb2, bb2, wbs, bbs, wc1, bc1, wc2, bc2, wcs, bcs, wf, bf):
    """Class probabilities of one image."""
    h = F.relu(F.conv2d(x[None], w0, b0, padding=1))
    inner = F.relu(F.conv2d(h, wa[0], ba[0], padding=1))
    h = F.relu(F.conv2d(inner, wa[1], ba[1], padding=1) + h)
    h = F.relu(F.conv2d(F.relu(strided(h, wb1, bb1)), wb2, bb2, padding=1) + shortcut(h, wbs, bbs))
    h = F.relu(F.conv2d(F.relu(strided(h, wc1, bc1)), wc2, bc2, padding=1) + shortcut(h, wcs, bcs))
    return F.softmax(F.linear(h.mean((2, 3)), wf, bf), dim=1)[0]
