"""One visit: a command-line agent in its place, with its doors, until it leaves or is ended."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event

from edgekernelbench.agents.hosted import Counter
from edgekernelbench.agents.protocol import Answer, Doors, Feedback, Task
from edgekernelbench.agents.proxy.upstream import Upstream
from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.bench.feedback import NothingLearnt
from edgekernelbench.bench.visits.canary import Canaries
from edgekernelbench.bench.visits.cell import CannotConfine, Cell
from edgekernelbench.bench.visits.folder import Grounds
from edgekernelbench.bench.visits.orders import Bind, Place
from edgekernelbench.bench.visits.programs import program_of, program_version
from edgekernelbench.bench.visits.reception import Reception
from edgekernelbench.bench.visits.recipe import Recipe
from edgekernelbench.bench.visits.transcript import read_transcript
from edgekernelbench.bench.visits.view import HOME, TASK, TEMPORARY, TOOLS, confined_place
from edgekernelbench.bench.visits.watch import watch
from edgekernelbench.records.attempt import Visit
from edgekernelbench.records.schema import storable

UNCONFINED = "allow user namespaces here, or give --unconfined: the records say so, and no comparison has it"
CELL = Grounds(TASK, HOME, TOOLS, TEMPORARY)


@dataclass(frozen=True, slots=True)
class Visitor:
    """A command-line agent, as a run sees it.

    Attributes:
        name: The name of its row.
        recipe: How it is started and read.
        confined: Whether it sees only what it is shown.
        run: The run folder, which it must not see.
        data: Folder of the catalogue, likewise.
        upstream: Where its calls of a model go; None for an agent that asks none.
        stopping: Set when the run is interrupted: then every visit ends, and nothing is learnt of it.
    """

    name: str
    recipe: Recipe
    confined: bool
    run: Path
    data: Path
    upstream: Upstream | None = None
    stopping: Event = field(default_factory=Event)

    def solve(self, task: Task, doors: Doors) -> Answer:
        """Let it work until it leaves, or must.

        Raises:
            PrerequisiteError: When it cannot be confined, or something it needs is not here.
            NothingLearnt: When it did not come to work, or its model's endpoint failed.
        """
        marked: list[str] = []
        with Canaries() as canaries:
            scanned = _scanned(doors, lambda text: marked.append(text) if canaries.mark in text else None)
            counter = Counter(task, scanned)
            with self._cell(task, canaries) as (cell, at):
                with Reception(self.recipe, counter, scanned, self.upstream, cell.doors, at) as reception:
                    cell.start(reception.work(task, program_of(self.recipe)))
                    seen = watch(cell, self.recipe, reception, self.stopping, scanned.left().seconds)
                    reception.refuse_no_work(cell.status, seen)
                collected = {name: data.decode("utf-8", "replace") for name, data in cell.collected.items()}
            touched = canaries.touched((seen.output, seen.errors, *marked))
        answer = counter.answer()
        transcript = collected.get(reception.transcript, "") if self.recipe.reading.file else seen.output
        told = read_transcript(self.recipe.reading, transcript)
        # Who worked all the same has made an attempt, whatever it writes about itself.
        if told.fault and counter.asked == 0:
            raise NothingLearnt(f"the agent was set up wrongly: {told.fault}")
        visit = Visit(
            program=program_version(self.recipe, self._place()),
            confined=self.confined,
            end=seen.end,
            status=cell.status,
            canaries=touched,
            steps=told.steps,
            said_tokens=told.tokens,
            said=storable(told.end),
            wall_ms=seen.wall_ms,
        )
        log = "\n".join([seen.output, "[standard error]", seen.errors, *map(_filed, collected.items())])
        return replace(answer, visit=visit, log=storable(log))

    @contextmanager
    def _cell(self, task: Task, canaries: Canaries) -> Iterator[tuple[Cell, Grounds]]:
        """Open the place of one visit."""
        with tempfile.TemporaryDirectory(prefix="ekb-visit-", ignore_cleanup_errors=True) as scratch:
            canonical = self.data / f"{task.workload.partition('@')[0]}.kir"
            if self.confined:
                place, at = self._view(Path(scratch), canonical, canaries), CELL
            else:
                at = Grounds(*(f"{scratch}/{name}" for name in ("task", "home", "tools", "tmp")))
                for folder in (at.task, at.home, at.temporary):
                    Path(folder).mkdir()
                place = replace(self._place(), doors=self._doors())
                canaries.watch(canonical, "the canonical text")
            try:
                cell = Cell(place)
            except CannotConfine as error:
                raise PrerequisiteError(f"the agent cannot be confined: {error}", UNCONFINED) from error
            with cell:
                yield cell, at

    def _view(self, scratch: Path, canonical: Path, canaries: Canaries) -> Place:
        """Say what a confined agent sees, with canaries where the answers would be."""
        place = replace(self._place(), doors=self._doors())
        scratch.chmod(0o755)
        baits = []
        records = self.run.resolve() / "judgements.jsonl"
        for target, name in ((canonical, "the canonical text"), (records, "the run's records")):
            canaries.make(scratch / target.name, name)
            baits.append(Bind(str(scratch / target.name), str(target)))
        return replace(place, baits=tuple(baits))

    def _place(self) -> Place:
        """Say what it sees, before it has doors and canaries."""
        if not self.confined:
            return Place(confined=False)
        program = program_of(self.recipe)
        sees = [Path(name).expanduser() for name in self.recipe.sees]
        return confined_place([program], sees, [self.run, self.data], 0)

    def _doors(self) -> int:
        return 1 + self.recipe.mcp + (self.upstream is not None)


def _scanned(doors: Doors, look: Callable[[str], None]) -> Doors:
    """Give doors that do the same, and look at each text that an agent brings."""

    def scanned(door: Callable[[str], Feedback]) -> Callable[[str], Feedback]:
        def ask(source: str) -> Feedback:
            look(source)
            return door(source)

        return ask

    return replace(doors, check=scanned(doors.check), measure=scanned(doors.measure))


def _filed(item: tuple[str, str]) -> str:
    name, text = item
    return f"[{name}]\n{text}"


def check_here(recipes: Sequence[Recipe]) -> None:
    """Find the programs of some recipes before anything is begun.

    Raises:
        PrerequisiteError: When one is not here, with the command that brings it.
    """
    for recipe in recipes:
        program_of(recipe)
