"""IMA ADPCM decoder."""

import torch

STEPS = [
    7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73,
    80, 88, 97, 107, 118, 130, 143, 157, 173, 190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494,
    544, 598, 658, 724, 796, 876, 963, 1060, 1166, 1282, 1411, 1552, 1707, 1878, 2066, 2272, 2499,
    2749, 3024, 3327, 3660, 4026, 4428, 4871, 5358, 5894, 6484, 7132, 7845, 8630, 9493, 10442,
    11487, 12635, 13899, 15289, 16818, 18500, 20350, 22385, 24623, 27086, 29794, 32767,
]  # fmt: skip
MOVES = [-1, -1, -1, -1, 2, 4, 6, 8]


def adpcm_decode(code, start, first):
    """Decode all blocks side by side, code by code."""
    steps, moves = torch.tensor(STEPS), torch.tensor(MOVES)
    level, index = start.long(), first.long()
    samples = []
    for nibble in code.long().unbind(dim=1):
        step = steps[index]
        delta = (
            (step >> 3)
            + (nibble & 1) * (step >> 2)
            + (nibble >> 1 & 1) * (step >> 1)
            + (nibble >> 2 & 1) * step
        )
        level = torch.where(nibble >= 8, level - delta, level + delta).clamp(-32768, 32767)
        index = (index + moves[nibble & 7]).clamp(0, 88)
        samples.append(level)
    return torch.stack(samples, dim=1).to(torch.int16)
