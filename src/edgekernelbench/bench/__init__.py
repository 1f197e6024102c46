"""Run agents over workloads."""
