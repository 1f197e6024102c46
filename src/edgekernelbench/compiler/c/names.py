"""C identifiers for the names of a nest."""

import re

_TAKEN = frozenset(
    {
        *("auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum"),
        *("extern", "float", "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return"),
        *("short", "signed", "sizeof", "static", "struct", "switch", "typedef", "union", "unsigned", "void"),
        *("volatile", "while", "asm", "typeof", "bool", "true", "false", "main", "candidate", "position"),
        *(
            "workspace",
            "prepared",
            "thread_area",
            "int8_t",
            "int16_t",
            "int32_t",
            "int64_t",
            "uint8_t",
            "uint16_t",
        ),
        *("uint32_t", "uint64_t", "NAN", "INFINITY"),
    }
)
"""Words of C, and names that emitted code uses itself."""


class Names:
    """Gives each name of a nest one C identifier, the same every time."""

    def __init__(self) -> None:
        self._given: dict[str, str] = {}
        self._used: set[str] = set(_TAKEN)

    def __getitem__(self, name: str) -> str:
        """Give the identifier: the name itself where C allows it, dots as underscores."""
        if name not in self._given:
            plain = re.sub(r"\W", "_", name)
            if plain.startswith(("_", "ekb_")) or plain[:1].isdigit():
                plain = "v" + plain
            fresh, number = plain, 2
            while fresh in self._used:
                fresh, number = f"{plain}_{number}", number + 1
            self._used.add(fresh)
            self._given[name] = fresh
        return self._given[name]
