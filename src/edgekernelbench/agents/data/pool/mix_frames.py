import torch


def mix_frames(a, b):
    total = 5 * a.to(torch.int32) + 5 * b.to(torch.int32) + 4
    return (total >> 3).clamp(0, 255).to(torch.uint8)
