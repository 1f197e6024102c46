"""Normalised min-sum decoding of a regular LDPC code in integers."""

import torch


def ldpc_min_sum(soft, socket, *, DV, DC, ITER):
    """Check nodes by the two smallest magnitudes, bit nodes by sums."""
    owner = socket.long() // DV
    channel = soft.int()
    total, back = channel, torch.zeros(len(owner), dtype=torch.int32)
    for step in range(ITER):
        sent = total[owner] - back
        if step:
            sent = sent.clamp(-127, 127)
        rows = sent.view(-1, DC)
        smallest = rows.abs().topk(2, dim=1, largest=False).values
        magnitude = rows.abs()
        size = torch.where(magnitude == smallest[:, :1], smallest[:, 1:], smallest[:, :1])
        # Where the smallest stands twice, both are answered with the same value.
        negative = rows < 0
        flip = (negative.sum(dim=1, keepdim=True) - negative.int()) % 2 == 1
        message = 3 * size >> 2
        back = torch.where(flip, -message, message).flatten().int()
        total = channel.index_add(0, owner, back)
    return (total < 0).to(torch.uint8), total
