"""Down-sampling by area."""

import torch


def shares(size, count):
    """How much of each of `size` pixels falls to each of `count`, in units that sum to `size` a row."""
    edge, mark = torch.arange(size) * count, torch.arange(count)[:, None] * size
    return (torch.minimum(mark + size, edge + count) - torch.maximum(mark, edge)).clamp(min=0).double()


def area_downsample(img, *, OH, OW):
    """Mean over the area of each new pixel; float64 holds the sums exactly."""
    height, width, _ = img.shape
    rows = torch.einsum("ih,hwc->iwc", shares(height, OH), img.double())
    total = torch.einsum("jw,iwc->ijc", shares(width, OW), rows).long()
    return ((total + height * width // 2) // (height * width)).to(torch.uint8)
