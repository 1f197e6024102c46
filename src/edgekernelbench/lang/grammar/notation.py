"""Reading the notation in which the rules are written.

`"text"`, `[a-z]`, `name`, `( )`, `|`; `?`, `*`, `+` as in regular expressions, a number behind `*` or `+` is
the bound where texts are generated; `^name` stands inside brackets of its own.
"""

import re

from edgekernelbench.lang.grammar.nodes import Alt, Chars, Lit, Node, Ref, Rep, Rules, Seq

_TOKEN = re.compile(
    r"""\s*(?:("(?:[^"\\]|\\.)*")|\[((?:[^\]\\]|\\.)+)\]|(\^?[A-Za-z_]\w*)|([()|?])|([*+])(\d*))"""
)
_ESCAPES = {"\\n": "\n", '\\"': '"', "\\\\": "\\"}

USUAL = 4
"""How often what has no bound of its own is repeated at most where texts are generated."""


def read_rules(text: str) -> Rules:
    """Read rules, one `name = ...` each; further lines of a rule are indented.

    Args:
        text: The rules.

    Returns:
        The rules by name.
    """
    rules: Rules = {}
    for block in re.split(r"\n(?=\S)", text.strip()):
        name, _, body = block.partition("=")
        tokens = _tokens(body)
        rules[name.strip()] = _alternatives(tokens)
    return rules


def _tokens(body: str) -> list[re.Match[str]]:
    """Take the right side of a rule apart, last token first."""
    tokens: list[re.Match[str]] = []
    position = 0
    while body[position:].strip():
        match = _TOKEN.match(body, position)
        if match is None:
            raise ValueError(f"no token at {body[position : position + 20]!r}")
        tokens.append(match)
        position = match.end()
    return tokens[::-1]


def _alternatives(tokens: list[re.Match[str]]) -> Node:
    options = [_sequence(tokens)]
    while tokens and tokens[-1][4] == "|":
        tokens.pop()
        options.append(_sequence(tokens))
    return options[0] if len(options) == 1 else Alt(tuple(options))


def _sequence(tokens: list[re.Match[str]]) -> Node:
    parts: list[Node] = []
    while tokens and tokens[-1][4] not in ("|", ")"):
        part = _part(tokens)
        while tokens and (tokens[-1][4] == "?" or tokens[-1][5]):
            sign = tokens.pop()
            usual = int(sign[6]) if sign[6] else USUAL
            part = Rep(part, 0, 1, 1) if sign[4] else Rep(part, int(sign[5] == "+"), None, usual)
        parts.append(part)
    return parts[0] if len(parts) == 1 else Seq(tuple(parts))


def _part(tokens: list[re.Match[str]]) -> Node:
    token = tokens.pop()
    if token[1]:
        return Lit(re.sub(r'\\[n"\\]', lambda escape: _ESCAPES[escape[0]], token[1][1:-1]))
    if token[2]:
        return Chars(token[2])
    if token[3]:
        return Ref(token[3].lstrip("^"), deeper=token[3].startswith("^"))
    inner = _alternatives(tokens)
    tokens.pop()  # the closing bracket
    return inner
