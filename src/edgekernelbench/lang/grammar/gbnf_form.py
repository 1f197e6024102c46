"""The grammar for llama.cpp's constrained sampling (GBNF): bounded, so that every model comes to an end."""

from collections.abc import Sequence

from edgekernelbench.lang.grammar.bounds import bounded
from edgekernelbench.lang.grammar.nodes import Alt, Chars, Lit, Node, Ref, Rep, Seq, Word
from edgekernelbench.lang.grammar.tasks import task_rules

DEPTH = 2
"""Brackets that may be open at once in an expression."""


def gbnf(signature: str | None = None, targets: Sequence[str] = ("llvm",), *, start: str = "kernel") -> str:
    """Give the grammar of canonical texts in llama.cpp's notation.

    Args:
        signature: The `def` line of a task, fixed then; None leaves it open.
        targets: The targets that may get blocks.
        start: `kernel` for a whole text, `compute`, `schedule_TARGET` or `memory_TARGET` for one layer of it.

    Returns:
        The grammar; everything that it accepts is finite, and Python.
    """
    rules = bounded(task_rules(signature, targets), start, DEPTH)
    lines = [f"root ::= {_ident(next(iter(rules)))}"]
    for name, node in rules.items():
        if isinstance(node, Word):
            lines += _word(_ident(name), node)
        else:
            lines.append(f"{_ident(name)} ::= {_body(node)}")
    return "\n".join(lines) + "\n"


def _ident(name: str) -> str:
    return name.replace("_", "-")


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _body(node: Node) -> str:
    match node:
        case Lit(text=text):
            return _quoted(text)
        case Chars(members=members):
            return f"[{members}]"
        case Ref(name=name):
            return _ident(name)
        case Seq(parts=parts):
            return " ".join(_group(part) for part in parts) or '""'
        case Alt(options=options):
            return " | ".join(_group(option) for option in options)
        case Rep(part=part, least=least, most=most):
            return f"{_group(part)}{'?' if (least, most) == (0, 1) else f'{{{least},{most}}}'}"
        case Word():
            raise ValueError("a word is a rule of its own")


def _group(node: Node) -> str:
    text = _body(node)
    return f"({text})" if isinstance(node, Alt | Seq) and text != '""' else text


def _word(name: str, word: Word) -> list[str]:
    """Write a word that is none of the excluded ones as a tree of their beginnings.

    Each beginning is a rule: what may follow it so that the whole is no excluded word.
    """
    stems = sorted({text[:end] for text in word.excluded for end in range(1, len(text) + 1)})
    numbers = {stem: f"{name}-{number}" for number, stem in enumerate(stems)}
    tail = f"{name}-tail"
    lines = [f"{name} ::= {_branches('', word, numbers, tail)}", f"{tail} ::= [{word.rest}]{{0,{word.most}}}"]
    lines += [f"{numbers[stem]} ::= {_branches(stem, word, numbers, tail)}" for stem in stems]
    return lines


def _branches(stem: str, word: Word, numbers: dict[str, str], tail: str) -> str:
    members = _members(word.rest if stem else word.first)
    options = [f'"{char}" {numbers[stem + char]}' for char in members if stem + char in numbers]
    others = "".join(char for char in members if stem + char not in numbers)
    if others:
        options.append(f"[{others}] {tail}")
    if stem and stem not in word.excluded:
        options.append('""')
    return " | ".join(options)


def _members(chars: str) -> list[str]:
    """List the characters of a class such as `a-z0-9_`."""
    found: list[str] = []
    position = 0
    while position < len(chars):
        if chars[position + 1 : position + 2] == "-" and position + 2 < len(chars):
            found += [chr(code) for code in range(ord(chars[position]), ord(chars[position + 2]) + 1)]
            position += 3
        else:
            found.append(chars[position])
            position += 1
    return found
