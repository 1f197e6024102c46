"""Each suite as a task: a sample a workload, its card as the prompt, the judge as the scorer."""

from collections.abc import Sequence
from dataclasses import asdict

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageSystem, ChatMessageUser
from inspect_ai.solver import generate

from edgekernelbench.agents.card import make_task
from edgekernelbench.agents.direct import conversation
from edgekernelbench.agents.ledger import Budget
from edgekernelbench.agents.models.protocol import Message, Role
from edgekernelbench.agents.protocol import Track
from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.bench.cards import card_facts
from edgekernelbench.bench.release import release_name
from edgekernelbench.evals.bench import Place
from edgekernelbench.evals.scorer import judged
from edgekernelbench.evals.solver import with_doors
from edgekernelbench.profiles.profile import Profile
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
    profile = place.profile()
    found = place.workloads().select(names, suite=suite)
    where = asdict(place)
    budget = Budget(submissions=submissions)
    samples = [_sample(one, profile, Track(track), budget, short=short) for one in found]
    return Task(
        dataset=MemoryDataset(samples, name=suite),
        solver=with_doors(submissions, **where) if submissions else generate(),
        scorer=judged(**where),
        metadata={"release": release_name(), "catalogue": place.workloads().hash, "track": track},
        version=release_name(),
    )


def _names(words: str | list[str] | None) -> tuple[str, ...]:
    """Read `-T workload=a,b`, of which Inspect makes a list."""
    return (words,) if isinstance(words, str) else tuple(words or ())


def _sample(workload: Workload, profile: Profile, track: Track, budget: Budget, *, short: bool) -> Sample:
    card = make_task(card_facts(workload, track, profile), profile, budget, short=short)
    return Sample(
        id=workload.id,
        input=[_message(turn) for turn in conversation(card)],
        metadata={
            "pattern": workload.pattern.id,
            "domain": str(workload.domain),
            "level": str(workload.level),
            "dtype": str(workload.dtype),
        },
    )


def _message(turn: Message) -> ChatMessage:
    match turn.role:
        case Role.SYSTEM:
            return ChatMessageSystem(content=turn.content)
        case Role.USER:
            return ChatMessageUser(content=turn.content)
        case Role.ASSISTANT:
            return ChatMessageAssistant(content=turn.content)
