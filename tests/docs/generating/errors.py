"""`reference/errors.md`: the pages of `ekb explain`, one after the other."""

from edgekernelbench.cli.pages import load_pages

FAMILIES = {
    "P": ("The text", "Found while the text is read, before anything is known of its meaning."),
    "C": ("Stages and expressions", "Found in the compute block and in the signature."),
    "T": ("Types", "Found when every expression gets its type."),
    "R": ("Ranges", "An index or a divisor that could not be proven."),
    "O": ("Order", "Found in and round the `for`s of the compute block."),
    "S": ("Schedule", "Found when the schedule block of a target is resolved."),
    "M": ("Memory", "Found when the memory block of a target is resolved."),
    "L": ("Limits of the device", "Found when the nest is held against the profile of a device."),
    "W": ("Warnings", "The text is accepted; the warning says what was noticed."),
}

HEAD = """\
# What refusals mean

<!-- Made by tests/docs/test_generated.py from pages of `ekb explain`: run `make golden` after a change. -->

Every refusal has a code, a line, a caret and, where one is known, a hint.
The codes are a closed set, and a code keeps its meaning.
`ekb explain CODE` prints what stands here.
Each section has a text that is refused with the code and the same text corrected; a test checks all of them.

| codes | found in |
|---|---|
"""


def errors_page() -> str:
    """Write the page."""
    pages = load_pages()
    parts = [HEAD]
    for letter, (title, _) in FAMILIES.items():
        own = [code for code in pages if code.startswith(letter)]
        links = " ".join(f"[{code}](#{code.lower()})" for code in own)
        parts.append(f"| {links} | {title.lower()} |\n")
    for letter, (title, about) in FAMILIES.items():
        parts.append(f"\n## {title}\n\n{about}\n")
        for code, page in pages.items():
            if code.startswith(letter):
                parts.append(f"\n### {code}: {page.meaning} {{ #{code.lower()} }}\n\n{page.text}\n")
                parts.append(f"\nRefused:\n\n```python\n{page.wrong}\n```\n")
                parts.append(f"\nAccepted:\n\n```python\n{page.right}\n```\n")
    return "".join(parts)
