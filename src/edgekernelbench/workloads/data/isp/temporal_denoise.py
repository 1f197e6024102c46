"""Motion-adaptive recursive denoising."""

import torch
import torch.nn.functional as F


def temporal_denoise(cur, prev, alpha):
    """New state with 8 fractional bits, and the frame to show."""
    new, old = cur.int(), prev.int()
    gap = (new - ((old + 128) >> 8)).abs()
    padded = F.pad(gap.float()[None, None], (1, 1, 1, 1), mode="replicate")
    wide = F.avg_pool2d(padded, 3, 1, divisor_override=1)[0, 0].int()
    share = alpha.int()[((wide + 4) // 9).clamp(max=255)]
    state = (old + ((share * (256 * new - old) + 128) >> 8)).clamp(0, 65535)
    return state.to(torch.uint16), ((state + 128) >> 8).clamp(max=255).to(torch.uint8)
