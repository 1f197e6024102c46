"""Camera pipeline from a raw mosaic to NV12, in integers."""

import torch
import torch.nn.functional as F

BINOMIAL = torch.tensor([[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]])
CROSS = torch.tensor([[0.0, 1.0, 0.0], [1.0, 4.0, 1.0], [0.0, 1.0, 0.0]])


def demosaic(mosaic):
    """Spread the samples of each colour over their neighbours; three planes."""
    image = F.pad(mosaic.float()[None], (1, 1, 1, 1), mode="reflect")[0]
    planes = torch.zeros(1, 3, *image.shape)
    planes[0, 0, 1::2, 1::2] = image[1::2, 1::2]
    planes[0, 1, 0::2, 1::2] = image[0::2, 1::2]
    planes[0, 1, 1::2, 0::2] = image[1::2, 0::2]
    planes[0, 2, 0::2, 0::2] = image[0::2, 0::2]
    taps = torch.stack([BINOMIAL, CROSS, BINOMIAL])[:, None]
    return (F.conv2d(planes, taps, groups=3)[0].int() + 2) >> 2


def raw_to_nv12(raw, gain, matrix, tone, *, BLACK, SHARP):
    """Luma at full size, interleaved chroma at half size."""
    height, width = raw.shape
    colour = torch.arange(height)[:, None] % 2 + torch.arange(width) % 2
    linear = (((raw.int() - BLACK).clamp(min=0) * gain[colour] + 128) >> 8).clamp(0, 1023)
    planes = demosaic(linear)
    mixed = sum(matrix[:, d, None, None] * planes[d] for d in range(3))
    red, green, blue = tone[((mixed + 512) >> 10).clamp(0, 1023)].int()
    luma = ((66 * red + 129 * green + 25 * blue + 128) >> 8) + 16
    padded = F.pad(luma.float()[None], (1, 1, 1, 1), mode="replicate")
    blur = F.conv2d(padded, BINOMIAL[None, None])[0].int()
    y = (luma + ((SHARP * (16 * luma - blur) + 128) >> 8)).clamp(16, 235)

    def block(plane):
        return plane[0::2, 0::2] + plane[0::2, 1::2] + plane[1::2, 0::2] + plane[1::2, 1::2]

    red, green, blue = block(red), block(green), block(blue)
    u = ((-38 * red - 74 * green + 112 * blue + 512) >> 10) + 128
    v = ((112 * red - 94 * green - 18 * blue + 512) >> 10) + 128
    return y.to(torch.uint8), torch.stack([u, v], dim=2).to(torch.uint8)
