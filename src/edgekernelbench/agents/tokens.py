"""A rough count of tokens, for plans and for models that count nothing."""

CHARS_PER_TOKEN = 4
"""The providers' own rule of thumb for English and code: good for a plan, never for a record."""


def estimate_tokens(text: str) -> int:
    """Estimate how many tokens a text has.

    Args:
        text: Any text.

    Returns:
        At least 1 for a text that is not empty; 0 for one that is.
    """
    return -(-len(text) // CHARS_PER_TOKEN)
