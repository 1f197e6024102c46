"""Bilinear demosaicing of an RGGB mosaic, in integers."""

import torch
import torch.nn.functional as F


def demosaic_bilinear(raw):
    """Spread the samples of each colour over their neighbours."""
    image = F.pad(raw.float()[None, None], (1, 1, 1, 1), mode="reflect")
    planes = torch.zeros(1, 3, *image.shape[2:])
    planes[:, 0, 1::2, 1::2] = image[:, 0, 1::2, 1::2]
    planes[:, 1, 0::2, 1::2] = image[:, 0, 0::2, 1::2]
    planes[:, 1, 1::2, 0::2] = image[:, 0, 1::2, 0::2]
    planes[:, 2, 0::2, 0::2] = image[:, 0, 0::2, 0::2]
    corner = torch.tensor([[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]])
    cross = torch.tensor([[0.0, 1.0, 0.0], [1.0, 4.0, 1.0], [0.0, 1.0, 0.0]])
    taps = torch.stack([corner, cross, corner])[:, None]
    return torch.floor((F.conv2d(planes, taps, groups=3)[0] + 2) / 4).to(torch.uint16)
