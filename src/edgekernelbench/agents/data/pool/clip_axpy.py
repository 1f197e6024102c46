def clip_axpy(x, y):
    return (1.5 * x + y).clamp(-2.0, 2.0)
