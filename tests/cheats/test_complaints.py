"""What others were told is wrong with their benchmarks: tests that nothing else has, and the page of all."""

import inspect
import re
from math import prod
from pathlib import Path

import numpy as np
import pytest
from tests.cheats.support import HONEST, SCALE, kernel, outcome
from tests.cheats.test_language import CORRECT, REFUSED, WRONG_VALUES
from tests.cheats.test_reading import HOSTILE
from tests.cheats.test_timing import TRICKS
from tests.evaluator.test_cheats import WHEN_RUN, WHEN_TIMED

from edgekernelbench.bench.experiment import AgentSetting, BudgetSetting, Experiment
from edgekernelbench.cli import main
from edgekernelbench.compiler.gpu.clocks import believed
from edgekernelbench.evaluator import desk, sheets, worker
from edgekernelbench.evaluator.judge import Judge
from edgekernelbench.ir.compute import Stage, placed_stages
from edgekernelbench.ir.expr import Reduction
from edgekernelbench.workloads.catalogue import Catalogue, load_catalogue
from edgekernelbench.workloads.inputs import make_inputs
from edgekernelbench.workloads.schema import Workload

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "explanation" / "threat-model.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (\d+) \| (.+) \| (.+) \| (.+) \|$", PAGE, re.MULTILINE)
NAMED = [
    (int(number), test) for number, _, _, tests in ROWS for test in re.findall(r"`(tests/[^`]+)`", tests)
]
SAMPLE = load_catalogue().workloads[::13]
"""A workload in thirteen, of all families: what is promised of all is looked up in these each time."""

LEAST_STEPS = 20_000
"""Scalar steps of the shortest workload: about ten microseconds on one core."""

MOST_BYTES = 512 << 20
"""Parameters and outputs of the largest workload: a board with 2 GB holds them several times."""


def test_every_complaint_is_there_once() -> None:
    assert [int(number) for number, *_ in ROWS] == list(range(1, 76))


def test_every_complaint_has_a_test_or_a_reason() -> None:
    for number, complaint, answer, tests in ROWS:
        assert len(complaint) > 10, number
        assert len(answer) > 20, number
        assert "tests/" in tests or tests.startswith("cannot occur: "), number


@pytest.mark.parametrize(("number", "test"), NAMED)
def test_the_test_against_a_complaint_is_there(number: int, test: str) -> None:
    file, _, name = test.partition("::")
    assert name, number
    assert f"def {name}(" in (ROOT / file).read_text(encoding="utf-8"), number


def test_there_are_at_least_forty_attacks() -> None:
    attacks = {*WRONG_VALUES, *REFUSED, *CORRECT, *HOSTILE, *TRICKS, *WHEN_RUN, *WHEN_TIMED}
    assert len(attacks) >= 100
    assert len(WRONG_VALUES) + len(REFUSED) >= 40


@pytest.mark.parametrize("workload", SAMPLE, ids=lambda w: w.id)
def test_no_input_is_zero_throughout(workload: Workload) -> None:
    """Weights of zeros once let a kernel pass that did nothing."""
    twin = workload.twin()
    for param, array in zip(twin.kernel().params, make_inputs(twin, 1), strict=True):
        if array.size > 8:
            assert np.any(array.astype(np.float64) != 0), param.name


@pytest.mark.parametrize("workload", SAMPLE, ids=lambda w: w.id)
def test_a_workload_is_long_enough_to_time_and_small_enough_for_a_board(workload: Workload) -> None:
    found = workload.kernel()
    stages = [placed.stage for placed in placed_stages(found.compute)]
    outputs = [stage for stage in stages if stage.name in found.compute.outputs]
    kept = [(t.shape, t.dtype) for t in found.params] + [(t.shape, t.dtype) for t in outputs]
    held = sum(prod(shape) * dtype.bits // 8 for shape, dtype in kept)
    assert sum(map(_steps, stages)) >= LEAST_STEPS
    assert held <= MOST_BYTES


def _steps(stage: Stage) -> int:
    over = stage.value.over if isinstance(stage.value, Reduction) else ()
    return prod(stage.shape) * prod(part.stop - part.start for part in over)


def test_nobody_can_set_a_tolerance() -> None:
    """Neither a row nor a run nor a command has one to shadow another, or to be edited."""
    fields = {*Experiment.model_fields, *AgentSetting.model_fields, *BudgetSetting.model_fields}
    assert not [name for name in fields if "tol" in name or name in ("atol", "rtol", "eps")]
    folder = Path(main.__file__).parent
    options = re.findall(
        r'"(--[a-z-]+)"', "".join(p.read_text(encoding="utf-8") for p in folder.glob("*.py"))
    )
    assert options
    assert not [option for option in options if "tol" in option]


def test_no_answer_is_where_a_kernel_runs() -> None:
    """A worker maps inputs and poisoned outputs; the reference stays with the judge."""
    for module in (worker, desk, sheets):
        imported = re.findall(r"^(?:from|import) ([\w.]+)", inspect.getsource(module), re.MULTILINE)
        assert not [
            name for name in imported if name.endswith((".exam", ".compare", ".reference", ".inputs"))
        ]


def test_every_text_is_compiled_anew(judge: Judge, tiny: Catalogue) -> None:
    """Two texts with one name are two kernels: no binary of the first is left for the second."""
    workload = tiny.workload(SCALE)
    right, wrong = kernel(SCALE, HONEST[SCALE]), kernel(SCALE, "out[i]: f32[12] = x[i] + w[i]")
    found = [outcome(judge, workload, text) for text in (right, wrong, right, wrong)]
    assert found == ["correct", "wrong values"] * 2


def test_clocks_count_the_time_of_the_wall() -> None:
    """Processor time adds up over threads, and stands still while a device works."""
    source = "".join(p.read_text(encoding="utf-8") for p in (ROOT / "src").rglob("*.py"))
    assert "CLOCK_MONOTONIC" in source
    for clock in ("process_time", "CLOCK_PROCESS", "CLOCK_THREAD", "thread_time("):
        assert clock not in source, clock


def test_a_device_that_contradicts_the_wall_is_not_believed() -> None:
    """Its events may say less than the wall, which has the way there and back; never more, never nothing."""
    assert believed(1_000_000, 800_000) == 800_000
    assert believed(1_000_000, 9_000_000) == 1_000_000
    assert believed(1_000_000, 0) == 1_000_000
    assert believed(1_000_000, -5) == 1_000_000
