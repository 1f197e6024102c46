"""From a grammar that recurses to one that ends: a small model has to come to a stop."""

from dataclasses import dataclass, field

from edgekernelbench.lang.grammar.nodes import Alt, Chars, Lit, Node, Ref, Rep, Rules, Seq, Word


def bounded(rules: Rules, start: str, depth: int) -> Rules:
    """Unroll recursion and bound repetition.

    Args:
        rules: The rules.
        start: Where to start.
        depth: How many brackets may be open at once.

    Returns:
        Rules without recursion, `start` first; rules that hold brackets are there once a depth, numbered.
    """
    unroller = _Unroller(rules, _deep(rules))
    if unroller.unroll(start, depth) is None:
        raise ValueError(f"{start} has no form at depth {depth}")
    first = unroller.key(start, depth)
    return {first: unroller.done[first], **unroller.done}


def _deep(rules: Rules) -> frozenset[str]:
    """Find the rules from which a reference inside brackets can be reached."""
    references = {name: list(_references(node)) for name, node in rules.items()}
    found = {name for name, refs in references.items() if any(ref.deeper for ref in refs)}
    while True:
        more = {name for name, refs in references.items() if any(ref.name in found for ref in refs)} - found
        if not more:
            return frozenset(found)
        found |= more


def _references(node: Node) -> list[Ref]:
    match node:
        case Ref():
            return [node]
        case Seq(parts=parts) | Alt(options=parts):
            return [ref for part in parts for ref in _references(part)]
        case Rep(part=part):
            return _references(part)
        case Lit() | Chars() | Word():
            return []


@dataclass(slots=True)
class _Unroller:
    """What was unrolled so far: rules by key, and None for what has no form at its depth."""

    rules: Rules
    deep: frozenset[str]
    done: Rules = field(default_factory=dict)
    impossible: set[str] = field(default_factory=set)

    def key(self, name: str, level: int) -> str:
        return f"{name}_{level}" if name in self.deep else name

    def unroll(self, name: str, level: int) -> str | None:
        """Give the name of a rule at a depth, made now if need be; None when it needs more brackets."""
        if level < 0:
            return None
        key = self.key(name, level)
        if key not in self.done and key not in self.impossible:
            node = self.at(self.rules[name], level)
            if node is None:
                self.impossible.add(key)
            else:
                self.done[key] = node
        return None if key in self.impossible else key

    def at(self, node: Node, level: int) -> Node | None:
        """Leave out what needs more brackets than are left."""
        match node:
            case Ref(name=name, deeper=deeper):
                key = self.unroll(name, level - deeper)
                return None if key is None else Ref(key)
            case Seq(parts=parts):
                kept = [self.at(part, level) for part in parts]
                present = tuple(part for part in kept if part is not None)
                return Seq(present) if len(present) == len(kept) else None
            case Alt(options=options):
                left = tuple(found for option in options if (found := self.at(option, level)) is not None)
                return Alt(left) if left else None
            case Rep(part=part, least=least, most=most, usual=usual):
                inner = self.at(part, level)
                if inner is None or usual == 0:
                    return Seq(()) if least == 0 else None
                return Rep(inner, least, usual if most is None else most, usual)
            case Lit() | Chars() | Word():
                return node
