"""The catalogue: patterns and workloads, as data."""
