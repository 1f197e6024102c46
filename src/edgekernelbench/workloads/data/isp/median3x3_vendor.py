"""3x3 median of a grey image by a network of minima and maxima, which libraries run on whole images."""

import torch
import torch.nn.functional as F


def middle(a, b, c):
    """Median of three."""
    return torch.maximum(torch.minimum(a, b), torch.minimum(torch.maximum(a, b), c))


def median3x3(img):
    """Sort columns of three, then take the median of the largest low, the middle middle and the least high."""
    height, width = img.shape
    padded = F.pad(img[None], (1, 1, 1, 1), mode="replicate")[0]
    a, b, c = padded[:height], padded[1 : height + 1], padded[2 : height + 2]
    low, high = torch.minimum(torch.minimum(a, b), c), torch.maximum(torch.maximum(a, b), c)
    mid = middle(a, b, c)

    def three(part):
        return part[:, :width], part[:, 1 : width + 1], part[:, 2 : width + 2]

    a, b, c = three(low)
    least = torch.maximum(torch.maximum(a, b), c)
    a, b, c = three(high)
    most = torch.minimum(torch.minimum(a, b), c)
    return middle(least, middle(*three(mid)), most)
