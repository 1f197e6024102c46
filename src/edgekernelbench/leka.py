"""LEKA as a library: make one kernel fast on one device.

```python
from edgekernelbench import leka

found = leka.optimise(open("gemv.kir").read(), device="llvm", budget=16)
print(found.speedup, "times the default lowering")
print(found.text)
```
"""

from contextlib import ExitStack

from edgekernelbench.agents.ledger import Budget
from edgekernelbench.agents.leka.mind import Mind
from edgekernelbench.agents.leka.settings import Settings
from edgekernelbench.agents.models.protocol import ChatModel
from edgekernelbench.bench.own import own_workload
from edgekernelbench.bench.searching import Optimised, Terms, Watch, open_searcher, search_kernel
from edgekernelbench.evaluator.judge import Judge
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.parse import parse
from edgekernelbench.profiles.profile import Profile, load_profile
from edgekernelbench.records.trajectory import Step

__all__ = ["Budget", "Optimised", "Settings", "Step", "optimise"]


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
        searcher = open_searcher(model, profile, stack, settings=settings, seed=seed)
        judge = stack.enter_context(Judge(profile, compiler=compiler))
        return search_kernel(searcher, given, own_workload(given), Terms(limits, on_step), judge)
