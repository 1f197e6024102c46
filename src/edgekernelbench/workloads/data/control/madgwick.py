"""Madgwick orientation filter without magnetometer."""

import torch
import torch.nn.functional as F


def madgwick(gyro, acc, *, BETA, DT):
    """All sensors side by side, sample by sample."""
    acc = acc * torch.rsqrt(acc.square().sum(dim=2, keepdim=True) + 1e-12)
    q = torch.zeros(len(gyro), 4)
    q[:, 0] = 1
    track = []
    for rate, down in zip(gyro.unbind(dim=1), acc.unbind(dim=1), strict=True):
        w, x, y, z = q.unbind(dim=1)
        gx, gy, gz = rate.unbind(dim=1)
        error = torch.stack([2 * (x * z - w * y), 2 * (w * x + y * z), 1 - 2 * (x * x + y * y)], dim=1) - down
        none = torch.zeros_like(w)
        jacobian = 2 * torch.stack(
            [
                torch.stack([-y, z, -w, x], dim=1),
                torch.stack([x, w, z, y], dim=1),
                torch.stack([none, -2 * x, -2 * y, none], dim=1),
            ],
            dim=1,
        )
        slope = (jacobian * error[:, :, None]).sum(dim=1)
        slope = slope * torch.rsqrt(slope.square().sum(dim=1, keepdim=True) + 1e-6)
        turn = [
            -x * gx - y * gy - z * gz,
            w * gx + y * gz - z * gy,
            w * gy - x * gz + z * gx,
            w * gz + x * gy - y * gx,
        ]
        q = F.normalize(q + DT * (torch.stack(turn, dim=1) / 2 - BETA * slope), dim=1)
        track.append(q)
    return torch.stack(track, dim=1)
