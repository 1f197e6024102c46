"""The doors `check` and `measure` as tools, for models that can use tools, at a counted budget."""

from functools import partial

from anyio import to_thread
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.tool import Tool, ToolDef

from edgekernelbench.agents.hosted import Counter
from edgekernelbench.agents.ledger import Budget, Ledger
from edgekernelbench.agents.protocol import Task, Track
from edgekernelbench.evals.bench import Bench, Place, bench_of
from edgekernelbench.evals.scorer import ANSWER


@solver
def with_doors(
    submissions: int = 16,
    device: str = "llvm",
    compiler: str = "tvm",
    timing: str = "one-child",
    catalogue: str | None = None,
) -> Solver:
    """Let the model check texts, which is free, and measure them, which is counted; then take the best.

    Args:
        submissions: Measurements of a sample.
        device: A profile, or `rpc:KEY` for boards.
        compiler: Name of the compiler.
        timing: Of the final verdict, with which it shares the judge.
        catalogue: A folder, or the name of an entry point; None for the catalogue of the product.
    """
    bench = bench_of(Place(device, compiler, timing, catalogue))

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        counter = _counter(bench, str(state.sample_id), submissions)
        state.tools = [*state.tools, *_tools(counter)]
        state = await generate(state, tool_calls="loop")
        answer = counter.answer()
        if answer.source:
            state.store.set(ANSWER, answer.source)
        return state

    return solve


def _counter(bench: Bench, name: str, submissions: int) -> Counter:
    workload, keeper = bench.workload(name), bench.doors()
    ledger = Ledger(Budget(submissions=submissions))
    doors = ledger.doors(check=keeper.check(workload), judge=keeper.measure(workload), model=None)
    # The model has its card already: it is what the sample asks.
    return Counter(Task(name, keeper.judge.profile.target, Track.WRITE, "", ""), doors)


def _tools(counter: Counter) -> list[Tool]:
    async def check(text: str) -> str:
        """Check a whole kernel text, free: is it legal, does it fit, is it right on public inputs?

        Args:
            text: The kernel, one function definition.
        """
        return await to_thread.run_sync(partial(counter.check, text))

    async def measure(text: str) -> str:
        """Measure a whole kernel text on the device: one submission of the budget.

        Args:
            text: The kernel, one function definition.
        """
        return await to_thread.run_sync(partial(counter.measure, text))

    return [ToolDef(check).as_tool(), ToolDef(measure).as_tool()]
