"""Verified nest to something that runs."""
