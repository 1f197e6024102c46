"""A proxy between an agent of others and a model's API: it counts, pins the model, and keeps the key."""
