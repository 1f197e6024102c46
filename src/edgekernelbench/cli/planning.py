"""What a run would take, for `--dry-run`."""

from collections.abc import Mapping
from dataclasses import asdict

from edgekernelbench.agents.models.protocol import Request
from edgekernelbench.agents.plan import Plan, plan_calls
from edgekernelbench.agents.prices import Price
from edgekernelbench.bench.experiment import AgentSetting, Experiment
from edgekernelbench.bench.requests import likely_requests
from edgekernelbench.cli.output import print_json, print_lines
from edgekernelbench.cli.rows import price_table
from edgekernelbench.cli.status import Status
from edgekernelbench.reports.text import columns, counted

JUDGING_S = 1.5
"""What one verdict takes, timing included, on two cores; a third of it without."""


def print_plan(experiment: Experiment, *, prices: str | None, as_json: bool) -> Status:
    """Print calls, tokens, price and time of a run, and its first prompt.

    Args:
        experiment: The run.
        prices: File with a price table; None when no price is known.
        as_json: Whether to print JSON, then without the prompt.

    Returns:
        YES.
    """
    table = price_table(prices)
    rows = [(agent, likely_requests(experiment, agent)) for agent in experiment.agents]
    plans = {
        agent.name: plan_calls(
            (item.request for item in items),
            price=_price(agent, table),
            concurrency=experiment.concurrency,
        )
        for agent, items in rows
    }
    free = [agent.name for agent in experiment.agents if agent.kind == "cli" and agent.model is not None]
    judging = JUDGING_S * len(experiment.planned())
    if as_json:
        agents = {name: None if name in free else asdict(plan) for name, plan in plans.items()}
        print_json({"attempts": len(experiment.planned()), "judging_seconds": judging, "agents": agents})
        return Status.YES
    heads = ["", "calls", "tokens in", "tokens out", "at most", "price", "at most", "time"]
    unknown = ["unknown"] * (len(heads) - 1)
    cells = [
        heads,
        *([name, *unknown] if name in free else _cells(name, plan) for name, plan in plans.items()),
    ]
    print_lines(columns(cells, right=frozenset(range(1, len(heads)))))
    attempts = f"{counted(len(experiment.planned()), 'attempt')} to judge, about {_time(judging)}"
    print_lines(["", f"{attempts}; all figures are estimates"])
    print_lines(f"{name} asks its model as often as it likes: --calls and --tokens limit it" for name in free)
    first = next((items[0].request for _, items in rows if items), None)
    print_lines(["", "the first prompt:", "", *_prompt(first)] if first is not None else [])
    return Status.YES


def _price(agent: AgentSetting, table: Mapping[str, Price]) -> Price | None:
    model = (agent.model or "").removeprefix("replay:")
    return table.get(model, table.get(model.partition(":")[2]))


def _cells(name: str, plan: Plan) -> list[str]:
    return [
        name,
        f"{plan.calls:,}",
        f"{plan.input_tokens:,}",
        f"{plan.output_tokens:,}",
        f"{plan.most_output_tokens:,}",
        _money(plan.money),
        _money(plan.most_money),
        _time(plan.seconds),
    ]


def _money(amount: float | None) -> str:
    return "unknown" if amount is None else f"{amount:.2f}"


def _time(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _prompt(request: Request) -> list[str]:
    return [
        line
        for message in request.messages
        for line in (f"[{message.role}]", *message.content.split("\n"), "")
    ]
