"""What everything else stands on: spans, diagnostics, errors, units. Knows nothing of kernels."""
