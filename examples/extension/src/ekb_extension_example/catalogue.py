"""A catalogue: a folder, begun by `ekb catalogue new`."""

from pathlib import Path

FOLDER = Path(__file__).parent / "catalogue_data"
