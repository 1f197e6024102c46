"""The grammar for Lark (Earley, dynamic lexer): it recurses, and accepts every canonical text."""

import re

from edgekernelbench.lang.grammar.nodes import Alt, Chars, Lit, Node, Ref, Rep, Seq, Word
from edgekernelbench.lang.grammar.rules import all_rules


def lark() -> str:
    """Give the grammar of canonical texts in Lark's notation; the start rule is `kernel`.

    Returns:
        The grammar.
    """
    lines = []
    for name, node in all_rules().items():
        body = f"/{_regex(node)}/" if name.isupper() else _rule(node)
        lines.append(f"{name}: {body}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _rule(node: Node) -> str:
    match node:
        case Lit(text=text):
            return _quoted(text)
        case Ref(name=name):
            return name
        case Seq(parts=parts):
            return " ".join(_group(part) for part in parts)
        case Alt(options=options):
            return " | ".join(_group(option) for option in options)
        case Rep(part=part, least=least, most=most):
            sign = "?" if most == 1 else "+" if least else "*"
            return f"{_group(part)}{sign}"
        case Chars() | Word():
            return f"/{_regex(node)}/"


def _group(node: Node) -> str:
    text = _rule(node)
    return f"({text})" if isinstance(node, Alt | Seq) else text


def _regex(node: Node) -> str:
    match node:
        case Lit(text=text):
            return re.escape(text).replace("/", r"\/")
        case Chars(members=members):
            return f"[{members}]".replace("/", r"\/")
        case Word(first=first, rest=rest, excluded=excluded):
            words = "|".join(sorted(excluded))
            guard = rf"(?!(?:{words})(?![{rest}]))" if excluded else ""
            return f"{guard}[{first}][{rest}]*(?![{rest}])"
        case Seq(parts=parts):
            return "".join(_regex(part) for part in parts)
        case Alt(options=options):
            return f"(?:{'|'.join(_regex(option) for option in options)})"
        case Rep(part=part, least=least, most=most):
            sign = "?" if most == 1 else "+" if least else "*"
            return f"(?:{_regex(part)}){sign}"
        case Ref(name=name):
            raise ValueError(f"a word holds no other rules, this one holds {name}")
