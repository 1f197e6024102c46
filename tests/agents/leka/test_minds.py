"""Two minds in turn, and the plainest search of knobs."""

from dataclasses import dataclass

from tests.agents.leka.bench import PACKED, PARALLEL, PROFILE, fenced, plan, play

from edgekernelbench.agents.ledger import Budget
from edgekernelbench.agents.leka.both import Both
from edgekernelbench.agents.leka.controller import Leka
from edgekernelbench.agents.leka.knobs import Probe, one_at_a_time
from edgekernelbench.agents.leka.mind import Analysis, Ask, Beginning, Ground, NoPlan, Refusal, Revision, View
from edgekernelbench.agents.leka.model.mind import ModelMind
from edgekernelbench.agents.leka.settings import Settings
from edgekernelbench.agents.leka.state import Author, Candidate, Plan
from edgekernelbench.analysis.report import Bottleneck, StaticReport
from edgekernelbench.base.diagnostics import Layer


@dataclass
class OneMove:
    """A policy that knows one move."""

    moves: int = 1
    author: Author = Author.POLICY

    def begin(self, given: Beginning, ask: Ask) -> str:
        return ""

    def analyse(self, ground: Ground, start: Candidate, report: StaticReport | None, ask: Ask) -> Analysis:
        return Analysis("the policy says so")

    def plan(self, view: View, ask: Ask) -> Plan | NoPlan:
        if self.moves == 0:
            return NoPlan("no move is left", spent=True)
        self.moves -= 1
        return Plan(Layer.SCHEDULE, Bottleneck.PARALLEL, "cores", "all cores", 2.0, Author.POLICY)

    def revise(self, view: View, plan: Plan, ask: Ask) -> Revision:
        return Revision(PARALLEL, Author.POLICY)

    def repair(self, view: View, plan: Plan, revision: Revision, refusal: Refusal, ask: Ask) -> Revision:
        return revision

    def reflect(self, view: View, ask: Ask) -> tuple[str, ...]:
        return ()


def leka(mind: Both | OneMove) -> Leka:
    return Leka(mind, PROFILE, settings=Settings(reflect_every=0, explore=0.0))


def test_the_policy_begins_and_the_text_is_of_both_in_the_end() -> None:
    answers = ["bandwidth", plan("memory"), fenced(PACKED)]
    played = play(answers, agent=leka(Both(OneMove(), ModelMind())), budget=Budget(submissions=3, calls=3))

    plans = [s.extra.ekb.plan for s in played.trajectory.steps if s.extra.ekb.plan is not None]
    assert [one.author for one in plans] == ["policy", "model"]
    end = played.trajectory.end
    assert end is not None
    assert end.final_metrics.extra.ekb.authors == ("given", "model", "policy")
    assert "the policy says so\nbandwidth" in played.model.asked[1].messages[-1].content


def test_who_has_no_plan_passes_the_step_on() -> None:
    answers = ["bandwidth", plan("memory"), fenced(PACKED)]
    played = play(answers, agent=leka(Both(OneMove(0), ModelMind())), budget=Budget(submissions=2, calls=3))

    assert played.stages()[-1] == ("revise", "accepted")


def test_a_mind_that_has_nothing_left_ends_the_search() -> None:
    played = play([], agent=leka(OneMove()), budget=Budget(submissions=16, calls=0))

    assert played.answer.note == "no move is left"
    assert played.ledger.submissions == 2
    assert played.ledger.calls == 0


def test_knobs_are_walked_one_at_a_time_from_the_best_setting() -> None:
    knobs: dict[str, tuple[int | float, ...]] = {"A": (8, 4), "B": (1, 2)}
    speeds = {(8, 1): 1.0, (4, 1): 3.0, (4, 2): 2.0}
    probes: list[Probe] = []
    walked = []
    while (setting := one_at_a_time(knobs, probes, 9)) is not None:
        key = tuple(value for _, value in setting)
        walked.append(key)
        probes.append(Probe(setting, speeds.get((int(key[0]), int(key[1]))), measured=True))

    assert walked == [(8, 1), (4, 1), (4, 2)]
    assert one_at_a_time(knobs, [], 0) is None
