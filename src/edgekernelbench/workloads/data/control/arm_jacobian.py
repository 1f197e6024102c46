"""Forward kinematics and geometric Jacobian."""

import torch


def arm_jacobian(angle, dh):
    """Chain the link transforms; axes crossed with lever arms."""
    length, alpha, offset, start = dh.T
    theta = angle + start
    c, s = theta.cos(), theta.sin()
    ca, sa = alpha.cos().expand_as(c), alpha.sin().expand_as(c)
    zero, one = torch.zeros_like(c), torch.ones_like(c)
    rows = [
        torch.stack([c, -s * ca, s * sa, length * c], dim=2),
        torch.stack([s, c * ca, -c * sa, length * s], dim=2),
        torch.stack([zero, sa, ca, offset.expand_as(c)], dim=2),
        torch.stack([zero, zero, zero, one], dim=2),
    ]
    links = torch.stack(rows, dim=2)
    poses = [torch.eye(4).expand(len(angle), 4, 4)]
    for link in links.unbind(dim=1):
        poses.append(poses[-1] @ link)
    chain = torch.stack(poses[:-1], dim=1)
    tip = poses[-1][:, :3, 3]
    axes = chain[:, :, :3, 2]
    linear = torch.linalg.cross(axes, tip[:, None] - chain[:, :, :3, 3])
    return tip, torch.cat([linear, axes], dim=2).transpose(1, 2)
