"""Resolves the memory layer: layouts, scopes, caches, accumulators, folds, each name checked."""

from dataclasses import dataclass, field
from typing import assert_never

from edgekernelbench.base.names import nearest
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.memory import (
    Accumulate,
    Cache,
    Fold,
    Layout,
    LayoutSpec,
    Memory,
    MemoryDirective,
    Piece,
    Place,
    Reuse,
)
from edgekernelbench.nest.plan import Plan
from edgekernelbench.nest.problems import Problems
from edgekernelbench.nest.work import Program


@dataclass(slots=True)
class Storing:
    """What the memory layer says, names checked.

    Attributes:
        layouts: Layout of each tensor that has one.
        layout_directives: Where each was written.
        places: The `place` of each stage that has one.
        caches: The caches at each loop, in text order.
        accumulators: The `accumulate` of each stage that has one.
        folds: Per stage and axis, the `fold`.
        reuses: The `reuse` of each stage that has one.
    """

    layouts: dict[str, LayoutSpec] = field(default_factory=dict)
    layout_directives: dict[str, Layout] = field(default_factory=dict)
    places: dict[str, Place] = field(default_factory=dict)
    caches: dict[str, list[Cache]] = field(default_factory=dict)
    accumulators: dict[str, Accumulate] = field(default_factory=dict)
    folds: dict[str, dict[str, Fold]] = field(default_factory=dict)
    reuses: dict[str, Reuse] = field(default_factory=dict)


def resolve_memory(
    plan: Plan, whole: Program, memory: Memory, removed: dict[str, str], problems: Problems
) -> Storing:
    """Resolve the directives of a memory block.

    Args:
        plan: The loops.
        whole: The program with its precomputed stages.
        memory: The memory block of the target.
        removed: Stages without loops, with what they are.
        problems: Where refusals go.
    """
    resolver = _Resolver(plan, whole, removed, problems)
    for directive in memory.directives:
        resolver.add(directive)
    return resolver.storing


class _Resolver:
    def __init__(self, plan: Plan, whole: Program, removed: dict[str, str], problems: Problems) -> None:
        self._plan = plan
        self._whole = whole
        self._removed = removed
        self._problems = problems
        self.storing = Storing()

    def add(self, directive: MemoryDirective) -> None:
        """Check the names of a directive and keep it."""
        match directive:
            case Layout(tensor=tensor):
                if self._stored(tensor, directive, ahead=True):
                    self._layout(directive)
            case Place(tensor=tensor):
                if self._stored(tensor, directive) and self._is_stage(tensor, directive, "M04", "place"):
                    self.storing.places[tensor] = directive
            case Cache(tensor=tensor):
                if self._stored(tensor, directive, ahead=True):
                    self._cache(directive)
            case Accumulate(stage=stage):
                if self._stored(stage, directive):
                    self._accumulate(directive)
            case Fold():
                self._fold(directive)
            case Reuse(tensor=tensor, old=old):
                known = [self._stored(t, directive, arg) for arg, t in enumerate((tensor, old))]
                if all(known) and all(self._is_stage(t, directive, "M11", "reuse") for t in (tensor, old)):
                    self.storing.reuses[tensor] = directive
            case _:
                assert_never(directive)

    def _stored(self, name: str, directive: MemoryDirective, arg: int = 0, *, ahead: bool = False) -> bool:
        """Whether a tensor has storage; it is reported otherwise [M01, S03]."""
        if self._plan.registry.is_poisoned(name):
            return False
        what = self._removed.get(name)
        if what is not None and not (ahead and what == "precomputed"):
            self._problems.add("S03", f"{name} is {what}, so it has no storage here", directive, arg=arg)
            return False
        known = {*self._plan.program.stages, *self._whole.stages, *self._whole.params, *self._whole.tables}
        if name in known:
            return True
        close = nearest(name, known)
        guess = f"; did you mean {close}?" if close else f"; there are {', '.join(sorted(known))}"
        self._problems.add("M01", f"no tensor {name}{guess}", directive, arg=arg)
        return False

    def _is_stage(self, name: str, directive: MemoryDirective, code: str, word: str) -> bool:
        if name in self._plan.program.stages:
            return True
        self._problems.add(code, f"{name} is a parameter or table: {word} takes a stage", directive, arg=0)
        return False

    def _layout(self, directive: Layout) -> None:
        name = directive.tensor
        stage = self._plan.program.stages.get(name)
        if stage is not None and stage.returned:
            hint = f"layout of an inner stage, and let {name} read it"
            self._problems.add("M03", f"{name} is returned: outputs are stored row-major", directive, hint)
            return
        param = self._whole.params.get(name)
        if param is not None and not param.const and self._is_packed(name):
            message = f"{name} has two elements a byte and is not const: it stays as it is given"
            self._problems.add("M02", message, directive)
            return
        if name in self.storing.layouts:
            self._problems.add("M02", f"{name} has a layout already", directive)
            return
        if check_layout(directive.spec, self._rank(name), name, directive, self._problems):
            self.storing.layouts[name] = directive.spec
            self.storing.layout_directives[name] = directive

    def _is_packed(self, name: str) -> bool:
        """Whether two elements of a tensor share a byte."""
        stage = self._whole.stages.get(name)
        found = stage or self._whole.params.get(name) or self._whole.tables.get(name)
        return found is not None and found.dtype in (DType.I4, DType.U4)

    def _rank(self, name: str) -> int:
        stage = self._plan.program.stages.get(name) or self._whole.stages.get(name)
        if stage is not None:
            return len(stage.shape)
        param = self._whole.params.get(name)
        return len(param.shape if param is not None else self._whole.tables[name].shape)

    def _cache(self, directive: Cache) -> None:
        registry = self._plan.registry
        good = not self._is_packed(directive.tensor)
        if not good:
            message = f"{directive.tensor} has two elements a byte, which are not copied one by one"
            self._problems.add("M04", message, directive, arg=0)
        if directive.layout is not None:
            rank = self._rank(directive.tensor)
            good &= check_layout(directive.layout, rank, directive.tensor, directive, self._problems)
        at = registry.lookup(directive.at)
        if at is None:
            if not registry.is_poisoned(directive.at):
                message = f"no loop {directive.at}: {registry.explain(directive.at)}"
                self._problems.add("M05", message, directive, arg=2)
            return
        if good:
            self.storing.caches.setdefault(at.var, []).append(directive)

    def _accumulate(self, directive: Accumulate) -> None:
        stage = self._plan.program.stages.get(directive.stage)
        if stage is None or stage.reducing is None:
            self._problems.add("M06", f"{directive.stage} is no reduction", directive, arg=0)
            return
        self.storing.accumulators[directive.stage] = directive

    def _fold(self, directive: Fold) -> None:
        name, _, axis = directive.loop.partition(".")
        if not self._stored(name, directive):
            return
        stage = self._plan.program.stages.get(name)
        if stage is None or axis not in stage.ordered:
            ordered = "" if stage is None else ", ".join(f"{name}.{a}" for a in stage.ordered)
            message = f"{directive.loop} is not ordered: fold takes {ordered or 'an axis of a for'}"
            self._problems.add("M07", message, directive, arg=0)
            return
        if stage.returned:
            self._problems.add("M08", f"{name} is returned, so all its steps are stored", directive, arg=0)
            return
        if directive.steps < 1:
            self._problems.add("S01", "fold keeps at least one step", directive, arg=1)
            return
        self.storing.folds.setdefault(name, {})[axis] = directive


def check_layout(
    spec: LayoutSpec, rank: int, name: str, directive: MemoryDirective, problems: Problems
) -> bool:
    """Check that a layout names all axes and covers each once [M02]."""
    if len(spec.axes) != rank or len(set(spec.axes)) != rank:
        message = f"{name} has {rank} axes, the left side names {' '.join(spec.axes) or 'none'}"
        problems.add("M02", message, directive)
        return False
    unknown = [p.axis for p in spec.pieces if p.axis not in spec.axes]
    if unknown:
        problems.add("M02", f"{', '.join(unknown)} is not named on the left side", directive)
        return False
    for axis in spec.axes:
        missing = _uncovered(axis, [p for p in spec.pieces if p.axis == axis])
        if missing:
            problems.add("M02", f"{axis} is not covered once: {missing}", directive, _corrected(spec, axis))
            return False
    return True


def _uncovered(axis: str, pieces: list[Piece]) -> str:
    """Say what is wrong with the pieces of an axis; empty when they cover it once."""
    there = ", ".join(_piece(p) for p in pieces)
    expected = 1
    for piece in sorted(pieces, key=lambda p: p.div):
        if piece.div < 1 or (piece.mod is not None and piece.mod < 1):
            return f"{_piece(piece)} is no piece"
        if piece.div != expected:
            missing = _piece(Piece(axis, expected, piece.div // expected if piece.div > expected else None))
            return f"{there} is there, {missing} is missing"
        if piece.mod is None:
            rest = [p for p in pieces if p.div > piece.div or (p.div == piece.div and p is not piece)]
            return f"{there} overlap" if rest else ""
        expected = piece.div * piece.mod
    missing = axis if expected == 1 else f"{axis}/{expected}"
    return f"{there or 'nothing'} is there, {missing} is missing"


def _piece(piece: Piece) -> str:
    div = f"/{piece.div}" if piece.div != 1 else ""
    mod = f"%{piece.mod}" if piece.mod is not None else ""
    return f"{piece.axis}{div}{mod}"


def _corrected(spec: LayoutSpec, axis: str) -> str | None:
    """Complete a layout in which one piece of an axis is missing."""
    pieces = list(spec.pieces)
    own = [p for p in pieces if p.axis == axis]
    if len(own) == 1 and own[0].mod is None and own[0].div > 1:
        pieces.append(Piece(axis, 1, own[0].div))
    elif len(own) == 1 and own[0].div == 1 and own[0].mod is not None:
        pieces.insert(pieces.index(own[0]), Piece(axis, own[0].mod))
    elif not own:
        pieces.append(Piece(axis))
    else:
        return None
    return f'"{" ".join(spec.axes)} -> {" ".join(_piece(p) for p in pieces)}"'
