"""Which loops there are, by name, and what became of them."""

from dataclasses import dataclass

from edgekernelbench.base.names import nearest
from edgekernelbench.nest.inlining import no_stage
from edgekernelbench.nest.problems import Directive, Problems
from edgekernelbench.nest.tree import Kind
from edgekernelbench.nest.work import Program


@dataclass(frozen=True, slots=True)
class LoopRef:
    """A loop that a directive names.

    Attributes:
        var: Its name in the nest; the shared loops of a group have one name for all stages.
        stage: The stage that was named, or that the loop belongs to.
        group: For ordered and hoisted loops, the group that shares it; else empty.
        kind: What it enumerates.
        hoisted: Whether `hoist` made it.
    """

    var: str
    stage: str
    group: str
    kind: Kind
    hoisted: bool = False


class Registry:
    """Finds loops by name, and remembers why a name is no longer one."""

    def __init__(self, program: Program, removed: dict[str, str], problems: Problems) -> None:
        self.program = program
        self._removed = removed
        self._problems = problems
        self._known: dict[str, LoopRef] = {}
        self._spent: dict[str, str] = {}
        self._moved: dict[str, str] = {}
        self._poisoned = set(problems.unmade)
        self._made: dict[str, int] = {}

    def add(self, name: str, ref: LoopRef, line: int = 0) -> None:
        """Make a loop known."""
        self._known[name] = ref
        self._made[name] = line

    def spend(self, name: str, reason: str) -> None:
        """Note that a loop was split, fused or scattered."""
        self._spent.setdefault(name, reason)

    def move(self, name: str, new: str) -> None:
        """Note that `rfactor` took a loop to its new stage."""
        self._known.pop(name, None)
        self._moved[name] = new

    def poison(self, names: tuple[str, ...]) -> None:
        """Keep silent about names whose making was refused."""
        self._poisoned.update(names)

    def is_poisoned(self, name: str) -> bool:
        """Whether the making of a name was refused."""
        return name in self._poisoned or name.partition(".")[0] in self._poisoned

    def find(self, name: str, directive: Directive, arg: int = -1) -> LoopRef | None:
        """Find a loop, spent or not.

        Args:
            name: What the directive says.
            directive: For the refusal [S02, S03, S04].
            arg: Which argument it is.

        Returns:
            The loop; None when there is none, which was reported.
        """
        if self.is_poisoned(name):
            return None
        if name in self._known:
            return self._known[name]
        self._refuse(name, directive, arg)
        return None

    def lookup(self, name: str) -> LoopRef | None:
        """Find a loop that is not spent, reporting nothing."""
        if self.is_poisoned(name) or name in self._spent:
            return None
        return self._known.get(name)

    def explain(self, name: str) -> str:
        """Say why a name is no final loop."""
        if name in self._spent:
            return f"it {self._spent[name]}"
        if name in self._moved:
            return f"it moved, write {self._moved[name]}"
        stage = name.partition(".")[0]
        if stage in self._removed:
            return f"{stage} is {self._removed[stage]}"
        close = nearest(name, [n for n in self._known if n not in self._spent])
        return f"did you mean {close}?" if close else "the schedule makes none of this name"

    def final(self, name: str, directive: Directive, arg: int = -1) -> bool:
        """Whether a loop is not spent; it is reported otherwise [S05]."""
        if name not in self._spent:
            return name in self._known
        self._problems.add("S05", f"{name} {self._spent[name]}", directive, arg=arg)
        return False

    def free_name(self, name: str, directive: Directive) -> bool:
        """Whether a new loop or stage can have this name; it is reported otherwise [S06]."""
        taken = self._taken(name)
        if not taken:
            return True
        self._problems.add("S06", f"the name {name} is taken: {taken}", directive)
        return False

    def loops_like(self, name: str) -> list[str]:
        """List known loops of an axis, spent ones left out."""
        return [n for n in self._known if n not in self._spent and n.partition(".")[2] == name]

    def _taken(self, name: str) -> str:
        program = self.program
        if name in self._known or name in self._moved:
            return "there is a loop of this name"
        if (
            name in program.stages
            or name in program.params
            or name in program.tables
            or name in self._removed
        ):
            return "there is a tensor of this name"
        axes = (a for s in program.stages.values() for a in s.axes)
        reduced = (a.name for s in program.stages.values() if s.reducing for a in s.reducing.axes)
        if name in (*axes, *reduced):
            return "there is an axis of this name"
        return ""

    def _refuse(self, name: str, directive: Directive, arg: int) -> None:
        stage, dot, axis = name.partition(".")
        if name in self._moved:
            new = self._moved[name]
            message = f"{name} moved to {new.partition('.')[0]}: write {new}"
            self._problems.add("S04", message, directive, new, arg=arg)
        elif not dot:
            self._problems.add("S04", self._no_bare(name), directive, arg=arg)
        elif stage in self._removed:
            self._problems.add(
                "S03", f"{stage} is {self._removed[stage]}, so it has no loops", directive, arg=arg
            )
        elif stage not in self.program.stages:
            self._problems.add("S02", no_stage(stage, self.program), directive, arg=arg)
        else:
            own = [n for n in self._known if n.startswith(stage + ".")]
            message = f"{stage} has no loop {axis}; it has {', '.join(own) or 'none'}"
            self._problems.add("S04", message, directive, arg=arg)

    def _no_bare(self, name: str) -> str:
        like = self.loops_like(name)
        if like:
            return f"no loop {name}; {' and '.join(like)} exist{'s' if len(like) == 1 else ''}"
        if name in self.program.stages:
            return f"no loop {name}: it is a stage; its loops are named {name}.axis"
        close = nearest(name, self._known)
        return f"no loop {name} is made above" + (f"; did you mean {close}?" if close else "")
