"""Shannon energy envelope of heart sounds."""


def heart_sound_envelope(x, *, N, HOP):
    """Scale, Shannon energy, windowed mean, standard score."""
    square = (x / x.abs().amax(dim=1, keepdim=True)).square()
    shannon = -square * (square + 1e-9).log()
    total = shannon.unfold(1, N, HOP).sum(dim=2)
    centred = total - total.mean(dim=1, keepdim=True)
    return centred / (centred.square().mean(dim=1, keepdim=True) + 1e-9).sqrt()
