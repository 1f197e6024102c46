"""Floyd-Steinberg dithering to one bit."""

import torch


def error_diffusion(img):
    """Pixel by pixel, as the algorithm is: each decision hangs on the last one."""
    height, width = img.shape
    bits = []
    above = [0] * (width + 2)
    for row in img.tolist():
        errors = [0] * (width + 2)
        for j, value in enumerate(row):
            value += (7 * errors[j] + 3 * above[j + 2] + 5 * above[j + 1] + above[j]) >> 4
            bit = value >= 128
            errors[j + 1] = value - 255 * bit
            bits.append(bit)
        above = errors
    return torch.tensor(bits, dtype=torch.uint8).view(height, width)
