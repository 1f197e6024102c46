"""One kernel, one agent, one budget: the search that `leka.optimise` and `ekb optimise` share."""

import secrets
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock

from edgekernelbench.agents.card import make_task
from edgekernelbench.agents.ledger import Budget, Ledger, solve_within
from edgekernelbench.agents.leka.controller import Leka
from edgekernelbench.agents.leka.mind import Mind
from edgekernelbench.agents.leka.model.mind import ModelMind
from edgekernelbench.agents.leka.model.style import Style
from edgekernelbench.agents.leka.settings import Settings
from edgekernelbench.agents.models.endpoint import Endpoint, endpoint_from
from edgekernelbench.agents.models.protocol import ChatModel, Reply, Request
from edgekernelbench.agents.models.registry import open_model, parse_spec
from edgekernelbench.agents.policy.agent import policy_agent
from edgekernelbench.agents.policy.knobs import halving
from edgekernelbench.agents.policy.mind import PolicyMind
from edgekernelbench.agents.protocol import Feedback
from edgekernelbench.agents.recorder import Recorder
from edgekernelbench.agents.recording import Entrant
from edgekernelbench.base.errors import BudgetExceeded
from edgekernelbench.base.units import Nanoseconds
from edgekernelbench.bench.generation import Doorkeeper
from edgekernelbench.bench.inspecting import inspector
from edgekernelbench.bench.own import own_facts
from edgekernelbench.evaluator.pool import Judging
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.records.trajectories import Trajectory, write_trajectory
from edgekernelbench.records.trajectory import Step
from edgekernelbench.workloads.schema import Workload

Watch = Callable[[Step], None]
"""Is told of each line of the trajectory as it is written."""

NS_PER_SECOND = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Optimised:
    """What came of a search.

    Attributes:
        text: The fastest correct kernel that was measured; the start, when nothing beats it.
        speedup: How many times as fast as the default lowering it was, measured beside it once.
        time: Median time of one run.
        reason: Why the search ended.
        submissions: How many texts were measured.
        authors: Whose text it is: `given`, `model`, `policy`.
        trajectory: Everything that was tried.
    """

    text: str
    speedup: float
    time: Nanoseconds
    reason: str
    submissions: int
    authors: tuple[str, ...]
    trajectory: Trajectory

    def write(self, path: Path) -> None:
        """Write the trajectory, for `ekb show`."""
        if self.trajectory.end is not None:
            write_trajectory(path, self.trajectory.head, self.trajectory.steps, self.trajectory.end)


@dataclass(frozen=True, slots=True)
class Searcher:
    """Who searches.

    Attributes:
        agent: LEKA's controller with its mind.
        chat: The model that it asks; None for the policy, which asks nobody.
        short: Whether cards are short, for small models.
    """

    agent: Leka
    chat: ChatModel | None = None
    short: bool = False


@dataclass(frozen=True, slots=True)
class Terms:
    """What a search may use, and who is told of it.

    Attributes:
        limits: The budget.
        on_step: Is told of each line of the trajectory.
        deadline_ns: Moment of the monotonic clock after which nothing is measured any more; None for none.
            A limit of seconds does not count what is waited for the device, this does.
    """

    limits: Budget
    on_step: Watch | None = None
    deadline_ns: int | None = None


def open_searcher(
    model: str | ChatModel | Mind | None,
    profile: Profile,
    stack: ExitStack,
    *,
    settings: Settings | None = None,
    seed: int = 0,
    endpoint: Endpoint | None = None,
) -> Searcher:
    """Find out who searches.

    Args:
        model: None for the built-in policy; a model, or the name of one; or a mind.
        profile: The device.
        stack: Closes what is opened.
        settings: How the controller searches; None for what suits the mind.
        seed: Of everything that is drawn.
        endpoint: Address and key of a named model; None for those of the environment.

    Raises:
        PrerequisiteError: When a package or a model is missing.
    """
    if isinstance(model, str):
        spec = parse_spec(model)
        chat = stack.enter_context(open_model(spec, endpoint or endpoint_from(base_url=None)))
        return Searcher(_agent(ModelMind(Style(seed=seed)), profile, settings, seed), chat, spec.is_small)
    if model is None or isinstance(model, Mind):
        return Searcher(_agent(PolicyMind() if model is None else model, profile, settings, seed))
    return Searcher(_agent(ModelMind(Style(seed=seed)), profile, settings, seed), model)


def _agent(mind: Mind, profile: Profile, settings: Settings | None, seed: int) -> Leka:
    """Give the controller of a mind; the policy has settings and a search of knobs of its own."""
    policy = policy_agent(profile, seed=seed)
    own = policy if isinstance(mind, PolicyMind) else Leka(mind, profile, search=halving, seed=seed)
    return replace(own, name="leka", mind=mind, settings=settings or own.settings)


def search_kernel(
    searcher: Searcher, kernel: Kernel, workload: Workload, terms: Terms, judge: Judging
) -> Optimised:
    """Search for a fast kernel, from the default lowering.

    Args:
        searcher: Who searches.
        kernel: What must be computed; its schedule and memory layers are left out.
        workload: The same as a workload, which says how inputs are drawn.
        terms: What may be used.
        judge: Judges each text.

    Raises:
        SourceError: When the kernel is wrong.
        ModelError: When the model's endpoint fails.
    """
    profile, chat = judge.profile, searcher.chat
    task = make_task(own_facts(kernel, workload, profile), profile, terms.limits, short=searcher.short)
    ledger = Ledger(terms.limits)
    entrant = Entrant("leka", None if chat is None else chat.name, workload.id, profile.name)
    recorder = Recorder(entrant, task, ledger, watch=terms.on_step)
    keeper = Doorkeeper(judge, secrets.token_bytes(16), Lock())
    doors = ledger.doors(
        check=keeper.check(workload),
        judge=_until(terms.deadline_ns, keeper.measure(workload)),
        model=None if chat is None else _Patient(chat, terms.deadline_ns),
        inspect=inspector(profile),
    )
    answer = solve_within(searcher.agent, task, recorder.doors(doors), ledger)
    head, steps, end = recorder.finish(answer)
    ours = end.final_metrics.extra.ekb
    best = None if ledger.best is None else ledger.best[1]
    return Optimised(
        text=answer.source,
        speedup=1.0 if best is None or best.ratio is None else best.ratio,
        time=Nanoseconds(0) if best is None or best.time is None else best.time,
        reason=ours.reason,
        submissions=ledger.submissions,
        authors=ours.authors,
        trajectory=Trajectory(head, steps, end, recorder.texts),
    )


def _until(deadline_ns: int | None, measure: Callable[[str], Feedback]) -> Callable[[str], Feedback]:
    """Close the door to the device at a moment."""

    def asked(source: str) -> Feedback:
        _refuse_after(deadline_ns)
        return measure(source)

    return asked


@dataclass(frozen=True, slots=True)
class _Patient:
    """A model that is asked nothing after a moment; an answer that is being written is waited for."""

    model: ChatModel
    deadline_ns: int | None

    @property
    def name(self) -> str:
        return self.model.name

    def complete(self, request: Request) -> Reply:
        _refuse_after(self.deadline_ns)
        return self.model.complete(request)


def _refuse_after(deadline_ns: int | None) -> None:
    late = 0 if deadline_ns is None else time.monotonic_ns() - deadline_ns
    if late > 0:
        raise BudgetExceeded("seconds, waiting included", late / NS_PER_SECOND, 0)
