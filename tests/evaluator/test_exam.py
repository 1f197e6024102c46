"""Examinations."""

import numpy as np
import pytest
from tests.tiny import make_catalogue

from edgekernelbench.evaluator.exam import TIMED, Exams, choose_inputs
from edgekernelbench.ir.dtype import DType
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.schema import Workload


@pytest.fixture(scope="module")
def workload(tmp_path_factory: pytest.TempPathFactory) -> Workload:
    return load_catalogue(make_catalogue(tmp_path_factory.mktemp("c"))).workload("tiny/scale@n7-f32")


def test_timing_has_inputs_of_its_own(workload: Workload) -> None:
    exam = Exams().exam(workload, choose_inputs(b"s", workload), timed=True)

    assert [p.choice.name for p in exam.papers] == ["typical", "heavy", "sparse"]
    assert exam.timed is not None
    assert exam.timed.choice.name == TIMED
    assert not any(np.array_equal(exam.timed.inputs[0], p.inputs[0]) for p in exam.papers)


def test_without_timing_nothing_is_drawn_for_it(workload: Workload) -> None:
    assert Exams().exam(workload, choose_inputs(b"s", workload), timed=False).timed is None


def test_the_answers_are_those_of_the_reference(workload: Workload) -> None:
    exam = Exams().exam(workload, choose_inputs(b"s", workload), timed=False)

    for paper in exam.papers:
        x, w = (a.astype(np.float64) for a in paper.inputs)
        assert np.array_equal(paper.expected[0].reference, x * w)
    assert exam.param_forms == [(DType.F32, (7,)), (DType.F32, (7,))]
    assert exam.output_forms == [(DType.F32, (7,))]


def test_papers_are_kept_while_there_is_room(workload: Workload) -> None:
    roomy, tight = Exams(), Exams(limit_bytes=1)
    choices = choose_inputs(b"s", workload)

    assert (
        roomy.exam(workload, choices, timed=False).papers[0]
        is roomy.exam(workload, choices, timed=False).papers[0]
    )
    first = tight.exam(workload, choices, timed=False).papers[0]
    assert tight.exam(workload, choices, timed=False).papers[0] is not first


def test_a_choice_hangs_on_secret_workload_and_set(workload: Workload) -> None:
    assert choose_inputs(b"s", workload) == choose_inputs(b"s", workload)
    seeds = [c.seed for secret in (b"s", b"t") for c in choose_inputs(secret, workload)]
    assert len(set(seeds)) == len(seeds)
