"""Malvar-He-Cutler demosaicing of an RGGB mosaic, in integers."""

import torch
import torch.nn.functional as F

# Sixteenths: green at red and blue; red at green in a red row; the same turned; red at blue.
GREEN = [[0, 0, -2, 0, 0], [0, 0, 4, 0, 0], [-2, 4, 8, 4, -2], [0, 0, 4, 0, 0], [0, 0, -2, 0, 0]]
ALONG = [[0, 0, 1, 0, 0], [0, -2, 0, -2, 0], [-2, 8, 10, 8, -2], [0, -2, 0, -2, 0], [0, 0, 1, 0, 0]]
ACROSS = [list(row) for row in zip(*ALONG)]
DIAGONAL = [[0, 0, -3, 0, 0], [0, 4, 0, 4, 0], [-3, 0, 12, 0, -3], [0, 4, 0, 4, 0], [0, 0, -3, 0, 0]]


def demosaic_malvar(raw, *, TOP):
    """Red, green and blue planes; each pixel keeps its own colour and the others are filtered."""
    image = raw.to(torch.int32).float()
    filters = torch.tensor([GREEN, ALONG, ACROSS, DIAGONAL], dtype=torch.float32)[:, None]
    padded = F.pad(image[None, None], (2, 2, 2, 2), mode="reflect")
    green, along, across, diagonal = ((F.conv2d(padded, filters)[0].int() + 8) >> 4).clamp(0, TOP)
    red, blue = diagonal.clone(), diagonal.clone()
    green[0::2, 1::2], green[1::2, 0::2] = image[0::2, 1::2].int(), image[1::2, 0::2].int()
    red[0::2, 0::2], red[0::2, 1::2], red[1::2, 0::2] = (
        image[0::2, 0::2].int(),
        along[0::2, 1::2],
        across[1::2, 0::2],
    )
    blue[1::2, 1::2], blue[1::2, 0::2], blue[0::2, 1::2] = (
        image[1::2, 1::2].int(),
        along[1::2, 0::2],
        across[0::2, 1::2],
    )
    return torch.stack([red, green, blue]).to(torch.uint16)
