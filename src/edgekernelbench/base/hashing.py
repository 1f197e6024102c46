"""Canonical JSON and content hashes."""

import hashlib
import json


def hash_text(text: str) -> str:
    """Hash a text.

    Args:
        text: Any text without half surrogates.

    Returns:
        The first 16 hexadecimal digits of its SHA-256.
    """
    return hash_bytes(text.encode())


def hash_bytes(data: bytes) -> str:
    """Hash bytes, as `hash_text` hashes a text's."""
    return hashlib.sha256(data).hexdigest()[:16]


def canonical_json(value: object) -> str:
    """Write a value as JSON that is the same for equal values.

    Args:
        value: What `json.dumps` can write, without NaN and infinities.

    Returns:
        One line, keys sorted, no spaces.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
