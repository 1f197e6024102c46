"""What the tests of visits share: a task, an honest ledger over a judge of one line, and agents in shell."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from edgekernelbench.agents.ledger import Budget, Ledger
from edgekernelbench.agents.protocol import Answer, Doors, Feedback, Task, Track
from edgekernelbench.agents.proxy.upstream import Upstream
from edgekernelbench.bench.visits.cell import why_unconfined
from edgekernelbench.bench.visits.recipe import Recipe
from edgekernelbench.bench.visits.visit import Visitor

REFUSED = why_unconfined()
NEEDS_CELLS = pytest.mark.skipif(bool(REFUSED), reason=f"this machine cannot confine agents: {REFUSED}")

TASK = Task(
    workload="linear/gemv@n1000-k1280-f16",
    target="llvm",
    track=Track.WRITE,
    system="rules",
    prompt="the card of this test",
    language="the language",
)


def judge(source: str) -> Feedback:
    """Take texts that begin with `def`; the more letters x, the faster."""
    if not source.startswith("def"):
        return Feedback("refused: no kernel", accepted=False, codes=("P01",))
    ratio = 1.0 + source.count("x")
    return Feedback(f"correct; {ratio} times as fast", accepted=True, correct=True, ratio=ratio)


@dataclass
class Held:
    """A visit with its ledger.

    Attributes:
        run: The run folder.
        ledger: The account.
        told: Texts that were judged.
    """

    run: Path
    ledger: Ledger = field(default_factory=lambda: Ledger(Budget(submissions=3)))
    told: list[str] = field(default_factory=list)

    def doors(self) -> Doors:
        def ask(source: str) -> Feedback:
            self.told.append(source)
            return judge(source)

        return self.ledger.doors(check=ask, judge=ask, model=None)

    def visitor(
        self, script: str, *, confined: bool = True, upstream: Upstream | None = None, **settings: Any
    ) -> Visitor:
        self.run.mkdir(exist_ok=True)
        made = recipe(script, **settings)
        return Visitor("cli:test", made, confined, self.run, self.run / "data", upstream)

    def visit(self, script: str, *, confined: bool = True, **settings: Any) -> Answer:
        return self.visitor(script, confined=confined, **settings).solve(TASK, self.doors())


def recipe(script: str, **settings: object) -> Recipe:
    """Make a recipe of a shell script."""
    values = {"name": "test", "command": ("/bin/sh", "$task/agent.sh"), "wall_s": 60.0, "idle_s": 30.0}
    files = {"$task/agent.sh": script.replace("$", "$$")}
    return Recipe.model_validate({**values, "files": files, **settings})
