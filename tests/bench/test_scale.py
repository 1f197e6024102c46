"""What `benchmarks/scale.py` calls busy boards."""

from types import ModuleType

import pytest
from tests.programs import load_benchmark

from edgekernelbench.bench.assembly import Rate
from edgekernelbench.evaluator.pool import Share

BUSY = Share(judging_ns=90, asked_ns=85, whole_ns=100)


@pytest.fixture(scope="module")
def scale() -> ModuleType:
    return load_benchmark("scale")


def test_two_boards_at_work_are_busy(scale: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert scale.report((Rate("measuring", 2, 10, 20_000_000_000), Rate("lanes", 2, 2, 9)), (BUSY, BUSY))
    said = capsys.readouterr().out
    assert "measuring: 10 done, 2.00 s each, 2 at a time: at most 60 a minute" in said
    assert "lanes" not in said  # whoever drives the others is no stage with a rate


def test_a_board_that_waits_for_the_host_is_not_busy(scale: ModuleType) -> None:
    assert not scale.report((), (BUSY, Share(judging_ns=90, asked_ns=60, whole_ns=100)))


def test_a_board_that_was_lost_is_not_busy(scale: ModuleType) -> None:
    assert not scale.report((), (BUSY,))


def test_every_answer_is_another_text(scale: ModuleType) -> None:
    texts = scale.right_texts("quick", 2)
    (text, _) = texts.values()
    assert scale.another(text) != scale.another(text) != text
    with pytest.raises(ValueError, match="no docstring"):
        scale.another("def f(x: f32[4]):\n    with compute:\n        return x\n")
