"""Reading what models answer, as models answer it."""

import pytest

from edgekernelbench.agents.leka.mind import NoPlan
from edgekernelbench.agents.leka.model.answers import gives_up, read_conclusions, read_layer, read_plan
from edgekernelbench.agents.leka.state import Plan
from edgekernelbench.analysis.report import Bottleneck
from edgekernelbench.base.diagnostics import Layer

ALL = (Layer.COMPUTE, Layer.SCHEDULE, Layer.MEMORY)
BLOCK = 'with schedule("llvm"):\n    parallel(out.i)\n'


@pytest.mark.parametrize(
    "answer",
    [
        "layer: schedule\nbottleneck: cache\nmove: tile\nchange: split i\nexpected: 1.5",
        "Hm.\n**layer:** schedule\n**bottleneck:** cache\n- move: tile\nChange: split i\nExpected: some 1.5x",
        "Layer: `schedule`\nBottleneck: cache misses\nmove: tile\nchange: split i\nexpected: 1.5 times",
    ],
    ids=["plain", "marked up", "wordy"],
)
def test_a_plan_is_read_however_it_is_marked_up(answer: str) -> None:
    found = read_plan(answer, ALL)

    if (
        "memory" in answer
    ):  # what is said first counts: it is a list of lines, not a text that corrects itself
        assert isinstance(found, Plan)
        assert found.layer is Layer.MEMORY
        return
    assert found == Plan(Layer.SCHEDULE, Bottleneck.CACHE, "tile", "split i", 1.5)


@pytest.mark.parametrize(
    ("answer", "missing"),
    [
        ("I would tile.", "`layer:` with one of compute, schedule, memory, found 'none'"),
        ("layer: loops\nbottleneck: cache", "found 'loops'"),
        ("layer: schedule\nbottleneck: slowness", "`bottleneck:` with one of arithmetic"),
    ],
)
def test_what_is_missing_of_a_plan_is_said(answer: str, missing: str) -> None:
    found = read_plan(answer, ALL)
    assert isinstance(found, NoPlan)
    assert missing in found.reason
    assert not found.spent


def test_a_layer_that_rests_is_no_plan() -> None:
    assert isinstance(read_plan("layer: schedule\nbottleneck: cache", (Layer.MEMORY,)), NoPlan)


@pytest.mark.parametrize("hope", ["-", "1000000", "0", "very"])
def test_a_hope_that_is_no_number_is_none(hope: str) -> None:
    found = read_plan(f"layer: schedule\nbottleneck: cache\nexpected: {hope}", ALL)
    assert isinstance(found, Plan)
    assert found.expected == 1.0


@pytest.mark.parametrize(
    "answer",
    [
        f"```python\n{BLOCK}```",
        f'First:\n```\nwith schedule("llvm"):\n    pass\n```\nBetter:\n```python\n{BLOCK}```',
        "```\n    " + BLOCK.replace("\n    ", "\n        ") + "```",
        f"{BLOCK}\nThat is all.",
        "    " + BLOCK.replace("\n    ", "\n        "),
    ],
    ids=["fenced", "last of two", "indented", "loose", "loose and indented"],
)
def test_a_layer_is_found(answer: str) -> None:
    assert read_layer(answer, Layer.SCHEDULE) == BLOCK


def test_constants_above_a_block_belong_to_it() -> None:
    text = f"S = choose(8, 16)\n{BLOCK}"
    assert read_layer(f"```\n{text}```", Layer.SCHEDULE) == text


def test_an_answer_without_the_layer_has_none() -> None:
    assert read_layer('```\nwith memory("llvm"):\n    pass\n```', Layer.SCHEDULE) == ""
    assert read_layer("no code", Layer.TEXT) == ""


def test_giving_up_is_a_line_of_its_own() -> None:
    assert gives_up("give up: schedule, memory\n```\nwith compute:\n```")
    assert gives_up("`give up: schedule, memory`")
    assert not gives_up("I will not give up: never")


def test_conclusions_are_a_short_list() -> None:
    assert read_conclusions("So:\n- one\n* two\n3. three\n") == ("one", "two", "three")
    assert read_conclusions("one\ntwo") == ("one", "two")
    assert len(read_conclusions("- x\n" * 20)) == 6
