"""RGB to hue, saturation and value, 8 bits."""

import torch


def rgb_to_hsv(rgb):
    """Hue in steps of two degrees."""
    pixels = rgb.int()
    red, green, blue = pixels.unbind(2)
    top = pixels.amax(2)
    span = top - pixels.amin(2)
    is_red, is_green = top == red, top == green
    side = torch.where(is_red, green - blue, torch.where(is_green, blue - red, red - green))
    base = torch.where(is_red, 0, torch.where(is_green, 60, 120))
    turn = torch.div(60 * side + span, (2 * span).clamp(min=1), rounding_mode="floor")
    hue = (base + turn) % 180
    saturation = (510 * span + top) // (2 * top).clamp(min=1)
    return torch.stack([hue, saturation, top], dim=2).to(torch.uint8)
