"""What arms without a language model search with: agents see neither compiler nor judge."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from edgekernelbench.agents.protocol import Task
from edgekernelbench.agents.random_texts import open_random
from edgekernelbench.agents.search import Proposer
from edgekernelbench.bench.contestants import Tools
from edgekernelbench.bench.experiment import AgentSetting, Experiment
from edgekernelbench.bench.traced_arm import open_traces
from edgekernelbench.evaluator.judge import Judge
from edgekernelbench.workloads.schema import Workload

TRIALS = 32
"""Candidates for which a search is laid out when nothing limits submissions."""


def search_tools(experiment: Experiment, workloads: Mapping[str, Workload], judge: Judge) -> Tools:
    """Give the searches of a run.

    Args:
        experiment: The run.
        workloads: Its workloads by id.
        judge: The judge, on whose device and fork servers they work.
    """

    @contextmanager
    def random(setting: AgentSetting, task: Task) -> Iterator[Proposer]:
        with open_random(task, judge.profile, setting.seed or 0) as proposer:
            yield proposer

    @contextmanager
    def metaschedule(setting: AgentSetting, task: Task) -> Iterator[Proposer]:
        trials = experiment.budget.submissions or TRIALS
        workload = workloads[task.workload]
        with open_traces(task, workload, judge, setting.seed or 0, trials) as proposer:
            yield proposer

    return Tools(random, metaschedule)
