"""What a device has: limits and widths, as small data files."""
