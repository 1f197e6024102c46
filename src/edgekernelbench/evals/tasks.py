"""Each suite as a task: a sample a workload, its card as the prompt, the judge as the scorer."""

from collections.abc import Sequence
from dataclasses import asdict

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.solver import generate

from edgekernelbench.agents.protocol import Track
from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.bench.cards import card_facts
from edgekernelbench.bench.release import release_name
from edgekernelbench.evals.bench import Place
from edgekernelbench.evals.cards import Deck, with_rules
from edgekernelbench.evals.scorer import judged
from edgekernelbench.evals.solver import with_doors
from edgekernelbench.workloads.schema import Workload


@task
def quick(
    workload: str | list[str] | None = None,
    device: str = "llvm",
    track: str = "write",
    submissions: int = 0,
    short: bool = False,
    timing: str = "one-child",
    compiler: str = "tvm",
) -> Task:
    """The suite `quick`: minutes on a laptop."""
    place = Place(device, compiler, timing)
    return make_suite(
        "quick", place, names=_names(workload), track=track, submissions=submissions, short=short
    )


@task
def agent(
    workload: str | list[str] | None = None,
    device: str = "llvm",
    track: str = "write",
    submissions: int = 0,
    short: bool = False,
    timing: str = "one-child",
    compiler: str = "tvm",
) -> Task:
    """The suite `agent`: 46 workloads, stratified, for the comparison of agents."""
    place = Place(device, compiler, timing)
    return make_suite(
        "agent", place, names=_names(workload), track=track, submissions=submissions, short=short
    )


@task
def full(
    workload: str | list[str] | None = None,
    device: str = "llvm",
    track: str = "write",
    submissions: int = 0,
    short: bool = False,
    timing: str = "one-child",
    compiler: str = "tvm",
) -> Task:
    """The suite `full`: all workloads."""
    place = Place(device, compiler, timing)
    return make_suite(
        "full", place, names=_names(workload), track=track, submissions=submissions, short=short
    )


@task
def workloads(
    catalogue: str,
    suite: str = "full",
    device: str = "llvm",
    submissions: int = 0,
    timing: str = "one-child",
    compiler: str = "tvm",
) -> Task:
    """A catalogue of one's own: a folder, or the name of an entry point."""
    return make_suite(suite, Place(device, compiler, timing, catalogue), submissions=submissions)


def make_suite(
    suite: str,
    place: Place,
    *,
    names: Sequence[str] = (),
    track: str = "write",
    submissions: int = 0,
    short: bool = False,
) -> Task:
    """Make a task of a suite.

    Args:
        suite: The suite.
        place: Where it is judged.
        names: Only these workloads, patterns or families; empty for all.
        track: `write` or `optimise`.
        submissions: Measurements of a sample; 0 asks the model once, without tools.
        short: Whether the card is the short one, for models with little context.
    """
    if track not in list(Track):
        raise CatalogueError(f"no track {track!r}; there are {' and '.join(Track)}")
    found = place.workloads().select(names, suite=suite)
    where = asdict(place)
    deck = Deck(place, Track(track), submissions, short)
    answering = with_doors(submissions, **where) if submissions else generate()
    return Task(
        dataset=MemoryDataset([_sample(one, deck) for one in found], name=suite),
        # A setup stays where somebody's own agent takes the place of the solver.
        setup=with_rules(track, submissions, short, **where),
        solver=answering,
        scorer=judged(**where),
        metadata={"release": release_name(), "catalogue": place.workloads().hash, "track": track},
        version=release_name(),
    )


def _names(words: str | list[str] | None) -> tuple[str, ...]:
    """Read `-T workload=a,b`, of which Inspect makes a list."""
    return (words,) if isinstance(words, str) else tuple(words or ())


def _sample(workload: Workload, deck: Deck) -> Sample:
    card = deck.card(workload)
    return Sample(
        id=workload.id,
        # The rules and worked examples, the same for all, are put before it by the solver.
        input=card.prompt,
        target=card_facts(workload, deck.track, deck.place.profile()).title,
        metadata={
            "pattern": workload.pattern.id,
            "domain": str(workload.domain),
            "level": str(workload.level),
            "dtype": str(workload.dtype),
        },
    )
