"""LEKA as a library: make one kernel fast on one device.

```python
from edgekernelbench import leka

found = leka.optimise(open("gemv.kir").read(), device="llvm", budget=16)
print(found.speedup, "times the default lowering")
print(found.text)
```
"""

import secrets
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
from edgekernelbench.agents.models.endpoint import endpoint_from
from edgekernelbench.agents.models.protocol import ChatModel
from edgekernelbench.agents.models.registry import open_model, parse_spec
from edgekernelbench.agents.policy.agent import policy_agent
from edgekernelbench.agents.policy.knobs import halving
from edgekernelbench.agents.policy.mind import PolicyMind
from edgekernelbench.agents.recorder import Recorder
from edgekernelbench.agents.recording import Entrant
from edgekernelbench.base.units import Nanoseconds
from edgekernelbench.bench.generation import Doorkeeper
from edgekernelbench.bench.inspecting import inspector
from edgekernelbench.bench.own import own_facts, own_workload
from edgekernelbench.evaluator.judge import Judge
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.parse import parse
from edgekernelbench.profiles.profile import Profile, load_profile
from edgekernelbench.records.trajectories import Trajectory, write_trajectory
from edgekernelbench.records.trajectory import Step

__all__ = ["Budget", "Optimised", "Settings", "Step", "optimise"]

Watch = Callable[[Step], None]
"""Is told of each line of the trajectory as it is written."""


@dataclass(frozen=True, slots=True)
class Optimised:
    """What came of it.

    Attributes:
        text: The fastest correct kernel that was measured; the start, when nothing beats it.
        speedup: How many times as fast as the default lowering it was, measured beside it once.
        time: Median time of one run.
        reason: Why the search ended.
        authors: Whose text it is: `given`, `model`, `policy`.
        trajectory: Everything that was tried.
    """

    text: str
    speedup: float
    time: Nanoseconds
    reason: str
    authors: tuple[str, ...]
    trajectory: Trajectory

    def write(self, path: Path) -> None:
        """Write the trajectory, for `ekb show`."""
        if self.trajectory.end is not None:
            write_trajectory(path, self.trajectory.head, self.trajectory.steps, self.trajectory.end)


def optimise(  # noqa: PLR0913 - each is one word of a call
    kernel: str | Kernel,
    device: str | Profile = "llvm",
    budget: int | Budget = 16,
    model: str | ChatModel | Mind | None = None,
    *,
    compiler: str = "tvm",
    settings: Settings | None = None,
    seed: int = 0,
    on_step: Watch | None = None,
) -> Optimised:
    """Make a kernel fast on a device.

    Its compute layer says what must come out; every text is judged against it on inputs drawn for this call.
    The search starts from the default lowering.

    Args:
        kernel: The kernel, as text or parsed; schedule and memory layers of it are left out.
        device: A profile, or the name of one; it must be on this machine.
        budget: Measurements, or all limits.
        model: Who plans: None for the built-in policy, which asks nobody; a model, or the name of one
            (`smollm2`, `openai:NAME`, ...); or a mind of your own.
        compiler: `tvm` or `c`.
        settings: How the controller searches; None for what suits the mind.
        seed: Of everything that is drawn.
        on_step: Is told of each line of the trajectory as it is written.

    Returns:
        The fastest kernel with all that was tried.

    Raises:
        SourceError: When the kernel is wrong.
        PrerequisiteError: When a compiler, a package or a model is missing.
        ModelError: When the model's endpoint fails.
    """
    profile = load_profile(device) if isinstance(device, str) else device
    given = parse(kernel) if isinstance(kernel, str) else kernel
    limits = Budget(submissions=budget) if isinstance(budget, int) else budget
    with ExitStack() as stack:
        who = _who(model, seed, stack)
        agent = _agent(who.mind, profile, settings, seed)
        judge = stack.enter_context(Judge(profile, compiler=compiler))
        return _search(agent, who, given, _Terms(limits, on_step), judge)


def _agent(mind: Mind, profile: Profile, settings: Settings | None, seed: int) -> Leka:
    """Give the controller of a mind; the policy has settings and a search of knobs of its own."""
    policy = policy_agent(profile, seed=seed)
    own = policy if isinstance(mind, PolicyMind) else Leka(mind, profile, search=halving, seed=seed)
    return replace(own, name="leka", mind=mind, settings=settings or own.settings)


@dataclass(frozen=True, slots=True)
class _Who:
    """The mind, the model that it asks, and whether its cards are short."""

    mind: Mind
    chat: ChatModel | None
    short: bool


@dataclass(frozen=True, slots=True)
class _Terms:
    """What may be used, and who is told of each step."""

    limits: Budget
    on_step: Watch | None


def _search(agent: Leka, who: _Who, kernel: Kernel, terms: _Terms, judge: Judge) -> Optimised:
    profile = agent.profile
    workload = own_workload(kernel)
    task = make_task(own_facts(kernel, workload, profile), profile, terms.limits, short=who.short)
    ledger = Ledger(terms.limits)
    entrant = Entrant("leka", None if who.chat is None else who.chat.name, workload.id, profile.name)
    recorder = Recorder(entrant, task, ledger, watch=terms.on_step)
    keeper = Doorkeeper(judge, secrets.token_bytes(16), Lock())
    doors = ledger.doors(
        check=keeper.check(workload),
        judge=keeper.measure(workload),
        model=who.chat,
        inspect=inspector(profile),
    )
    answer = solve_within(agent, task, recorder.doors(doors), ledger)
    head, steps, end = recorder.finish(answer)
    ours = end.final_metrics.extra.ekb
    best = None if ledger.best is None else ledger.best[1]
    return Optimised(
        text=answer.source,
        speedup=1.0 if best is None or best.ratio is None else best.ratio,
        time=Nanoseconds(0) if best is None or best.time is None else best.time,
        reason=ours.reason,
        authors=ours.authors,
        trajectory=Trajectory(head, steps, end, recorder.texts),
    )


def _who(model: str | ChatModel | Mind | None, seed: int, stack: ExitStack) -> _Who:
    if isinstance(model, str):
        spec = parse_spec(model)
        chat = stack.enter_context(open_model(spec, endpoint_from(base_url=None)))
        return _Who(ModelMind(Style(seed=seed)), chat, spec.is_small)
    if model is None or isinstance(model, Mind):
        return _Who(PolicyMind() if model is None else model, None, short=False)
    return _Who(ModelMind(Style(seed=seed)), model, short=False)
