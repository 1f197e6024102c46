"""Voice activity from energy and zero crossings."""

import torch


def voice_activity(x, *, N, ZMAX, HANG):
    """Flags and noise levels of whole frames."""
    frames = x.long().unfold(0, N, N)
    energies = frames.square().sum(dim=1)
    negative = frames < 0
    crossings = (negative[:, 1:] ^ negative[:, :-1]).sum(dim=1)
    floor = []
    for energy in energies.tolist():
        floor.append(min(energy, floor[-1] + (floor[-1] >> 5) + 1) if floor else energy)
    noise = torch.tensor(floor)
    active = (energies > 16 * noise) | ((energies > 4 * noise) & (crossings <= ZMAX))
    places = torch.arange(len(noise))
    last = torch.where(active, places, -HANG - 1).cummax(dim=0).values
    return (places - last <= HANG).int(), noise
