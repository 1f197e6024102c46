"""Haze removal by the dark channel, with minima of rows, then of columns."""

import torch.nn.functional as F


def dehaze(img, *, R, OMEGA, FLOOR):
    """Estimate the light of the air and the transmission, then invert the haze."""
    size = 2 * R + 1

    def darkest(image):
        rows = F.max_pool2d(-image.amin(0)[None], (1, size), 1, (0, R))
        return -F.max_pool2d(rows, (size, 1), 1, (R, 0))[0]

    spot = darkest(img).argmax()
    air = img.flatten(1)[:, spot].clamp(min=0.2)[:, None, None]
    through = (1 - OMEGA * darkest(img / air)).clamp(min=FLOOR)
    return ((img - air) / through + air).clamp(0, 1)
