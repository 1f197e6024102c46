"""Random texts from the grammar, for tests."""

import random
import re
from functools import cache

from edgekernelbench.lang.grammar.bounds import bounded
from edgekernelbench.lang.grammar.nodes import Alt, Chars, Lit, Node, Ref, Rep, Rules, Seq, Word
from edgekernelbench.lang.grammar.rules import all_rules

_FEW = 2
_OPERATOR, _ENTRY = 0.08, 0.4
"""How likely one more operand is, and one more entry of a list: expressions would explode otherwise."""


def sample(rng: random.Random, depth: int = 2) -> str:
    """Write a random text that the grammar accepts; it rarely means anything.

    Args:
        rng: The source of chance.
        depth: Brackets that may be open at once in an expression.

    Returns:
        The text.
    """
    rules = _rules(depth)
    return _text(next(iter(rules.values())), rules, rng)


@cache
def _rules(depth: int) -> Rules:
    return bounded(all_rules(), "kernel", depth)


def _text(node: Node, rules: Rules, rng: random.Random) -> str:
    match node:
        case Lit(text=text):
            return text
        case Ref(name=name):
            return _text(rules[name], rules, rng)
        case Seq(parts=parts):
            return "".join(_text(part, rules, rng) for part in parts)
        case Alt(options=options):
            return _text(rng.choice(options), rules, rng)
        case Rep(part=part, least=least, most=most):
            count, limit = least, most or 0
            while count < limit and rng.random() < (_OPERATOR if limit <= _FEW else _ENTRY):
                count += 1
            return "".join(_text(part, rules, rng) for _ in range(count))
        case Chars(members=members):
            return _character(members, rng)
        case Word():
            return _word(node, rng)


def _word(node: Word, rng: random.Random) -> str:
    while True:
        length = rng.randint(0, min(node.most - 1, 4))
        text = _character(node.first, rng) + "".join(_character(node.rest, rng) for _ in range(length))
        if text not in node.excluded:
            return text


def _character(members: str, rng: random.Random) -> str:
    return rng.choice(_members(members))


@cache
def _members(members: str) -> str:
    return "".join(re.findall(f"[{members}]", "".join(map(chr, range(32, 127)))))
