"""What is known about attempts, in memory and on disk."""
