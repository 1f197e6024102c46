"""The grammar of one task: its signature, its targets, no constants."""

from collections.abc import Sequence

from edgekernelbench.lang.grammar.nodes import Alt, Lit, Node, Ref, Rep, Rules, Seq
from edgekernelbench.lang.grammar.rules import all_rules


def task_rules(signature: str | None, targets: Sequence[str]) -> Rules:
    """Specialise the grammar.

    Args:
        signature: The `def` line, which is then fixed, and capitals and knobs are left out; None leaves
            all open.
        targets: The targets that get blocks, each at most one of a kind, in this order.

    Returns:
        The rules, `kernel` first.
    """
    rules = all_rules()
    blocks: list[Node] = []
    for target in targets:
        for word in ("schedule", "memory"):
            rules[f"{word}_{target}"] = _for_target(rules[word], target)
            blocks.append(Rep(Ref(f"{word}_{target}"), 0, 1, 1))
    rules["blocks"] = Seq(tuple(blocks))
    unwanted = {"bind", "tensorize"} if set(targets) == {"llvm"} else set()
    if "llvm" not in targets:
        unwanted |= {"parallel"}
    if signature is not None:
        rules["signature"] = Lit(signature.strip())
        unwanted |= {"capital", "knob", "constant"}
    return {name: _without(node, unwanted) for name, node in rules.items() if name not in unwanted}


def _for_target(block: Node, target: str) -> Node:
    """Let a block name just one target."""
    match block:
        case Ref(name="targets"):
            return Lit(f'"{target}"')
        case Seq(parts=parts):
            return Seq(tuple(_for_target(part, target) for part in parts))
        case _:
            return block


def _without(node: Node, unwanted: set[str]) -> Node:
    """Leave out the alternatives that consist of unwanted rules, and their repetitions."""
    match node:
        case Alt(options=options):
            kept = [option for option in options if not (isinstance(option, Ref) and option.name in unwanted)]
            return Alt(tuple(_without(option, unwanted) for option in kept))
        case Seq(parts=parts):
            return Seq(tuple(_without(part, unwanted) for part in parts))
        case Rep(part=Ref(name=name), least=0) if name in unwanted:
            return Seq(())
        case Rep(part=part, least=least, most=most, usual=usual):
            return Rep(_without(part, unwanted), least, most, usual)
        case _:
            return node
