"""`ekb run`: agents write kernels for a suite, and all are judged."""

from dataclasses import asdict
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from edgekernelbench.agents.models.endpoint import endpoints_from
from edgekernelbench.bench.again import judge_again
from edgekernelbench.bench.contestants import check_models
from edgekernelbench.bench.experiment import Experiment
from edgekernelbench.bench.several import start_runs
from edgekernelbench.bench.trust import require_trust, require_trust_to_go_on
from edgekernelbench.cli import run_options as o
from edgekernelbench.cli.catalogues import Folder
from edgekernelbench.cli.going import finish_runs
from edgekernelbench.cli.options import (
    Answers,
    BaseUrls,
    Json,
    LanguageName,
    Reference,
    Track,
    command_app,
    read_reference,
)
from edgekernelbench.cli.planning import print_plan
from edgekernelbench.cli.rows import (
    TIMINGS,
    TRACKS,
    Asking,
    agent_rows,
    agent_words,
    budget_of,
    choice,
    choose_workloads,
    device_names,
    price_table,
    read_language,
)
from edgekernelbench.evaluator.compilers import compiler_names
from edgekernelbench.records.store import RunFolder

app = command_app()


@app.command()
def run(
    *,
    model: o.Models = None,
    texts: o.Texts = None,
    unconfined: o.Unconfined = False,
    again: o.Again = None,
    agent: o.AgentKind = None,
    suite: o.Suite = None,
    folder: Folder = None,
    workload: o.Workloads = None,
    held_out: o.HeldOut = None,
    track: Track = "write",
    k: o.Attempts = 1,
    out: o.Out = None,
    grammar: o.Grammar = "off",
    max_tokens: o.MaxTokens = None,
    temperature: o.Temperature = None,
    seed: o.Seed = 0,
    tokens: o.Tokens = None,
    submissions: o.Submissions = None,
    calls: o.Calls = None,
    money: o.Money = None,
    seconds: o.Seconds = None,
    timing: o.Timing = None,
    vendor: o.Vendor = False,
    trust: o.Trust = False,
    reference: Reference = None,
    device: o.Device = None,
    compiler: o.CompilerName = None,
    language: LanguageName = "kernel",
    concurrency: o.Concurrency = 1,
    base_url: BaseUrls = None,
    answers: Answers = None,
    prices: o.Prices = None,
    dry_run: o.DryRun = False,
    as_json: Json = False,
) -> int:
    """Let models or folders of texts write kernels for a suite, judge them all, and print the table.

    Every attempt is stored as it ends: after Ctrl-C, or a crash, `ekb resume` goes on.
    With --again, only --device, --compiler, --timing, --vendor and --reference can differ from that run.
    """
    given = _given(device_names(device, again=again), compiler, timing, reference, vendor=vendor)
    root = Path(out or f"runs/{datetime.now(UTC):%Y%m%d-%H%M%S}")
    finish = partial(finish_runs, base_url=base_url, answers=answers, trusted=trust, as_json=as_json)
    if again is not None:
        return finish((_again(RunFolder(Path(again)), root, given, trusted=trust),))
    agents = agent_words(agent)
    asking = Asking(grammar, max_tokens, temperature, seed, price_table(prices), read_language(language))
    experiment = Experiment(
        agents=agent_rows(agents, model or [], texts or [], asking, confined=not unconfined),
        **asdict(choose_workloads(workload, suite, folder, held_out)),
        track=choice("track", track, TRACKS),
        language=asking.language,
        budget=budget_of(agents, submissions, tokens, calls, money=money, seconds=seconds),
        concurrency=concurrency,
    ).model_copy(update={**given, "k": k})
    if dry_run:
        return print_plan(experiment, prices=prices, as_json=as_json)
    return finish(_begin(root, experiment, base_url, answers, trusted=trust))


def _begin(
    root: Path, experiment: Experiment, base_url: list[str] | None, answers: str | None, *, trusted: bool
) -> tuple[RunFolder, ...]:
    """Make the folders of a run whose models are there, and whose programs were read."""
    require_trust(experiment, trusted=trusted)
    check_models(experiment.agents, endpoints_from(base_url), Path(answers) if answers else None)
    return start_runs(root, experiment, (experiment.profile, *experiment.also))


def _again(source: RunFolder, root: Path, given: dict[str, object], *, trusted: bool) -> RunFolder:
    """Take the answers of another run, unless it names programs that nobody has read."""
    made = Experiment.from_settings(source.manifest().settings, source.root.name)
    require_trust_to_go_on(made, trusted=trusted)
    require_trust(made.model_copy(update=given), trusted=trusted)
    return judge_again(source, root, given)


def _given(
    devices: tuple[str, ...], compiler: str | None, timing: str | None, reference: str | None, *, vendor: bool
) -> dict[str, object]:
    """Collect the settings of judging that the command line names."""
    kind, folder = read_reference(reference) if reference else (None, None)
    how = {
        "profile": devices[0] if devices else None,
        "also": devices[1:] or None,
        "compiler": choice("compiler", compiler, compiler_names()) if compiler else None,
        "timing": choice("timing", timing, TIMINGS) if timing else None,
        "vendor": vendor or None,
        "reference": kind,
        "baselines": folder,
    }
    return {name: value for name, value in how.items() if value is not None}
