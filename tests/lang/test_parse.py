"""Reading whole texts, and giving their capitals and knobs values."""

from pathlib import Path

import pytest
from tests.lang.trees import CONV2D

from edgekernelbench.base.errors import SourceError
from edgekernelbench.base.span import Span
from edgekernelbench.ir.compute import Ordered, Stage, Table
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Binary, Literal, Reduction, Select
from edgekernelbench.ir.memory import LayoutSpec, Piece
from edgekernelbench.ir.schedule import Split
from edgekernelbench.lang.parse import parse, read

TEXTS = sorted((Path(__file__).parents[1] / "texts").glob("*.kir"))

TUNED = """def f(x: f32[N]):
    N, B = 64, choose(4, 8)

    with compute:
        o[i]: f32[N] = x[i] * (B / 2)
        return o

    with schedule("llvm"):
        io, ii = split(o.i, choose(16, 2 * B, 32))
"""


def codes(source: str) -> list[str]:
    with pytest.raises(SourceError) as refusal:
        parse(source)
    return [found.code for found in refusal.value.diagnostics]


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_every_text_of_the_specification_is_read(path: Path) -> None:
    text = read(path.read_text())
    kernel = text.bind(CONV2D if text.free else None)
    assert kernel.name == path.stem
    assert kernel.doc


def test_a_pattern_leaves_its_capitals_open_in_order_of_appearance() -> None:
    text = read((TEXTS[0].parent / "conv2d.kir").read_text())
    assert set(text.free) == {"T", "N", "C", "H", "W", "K", "F", "S", "P"}
    kernel = text.bind(CONV2D)
    assert kernel.params[0].dtype is DType.F16
    assert kernel.params[0].shape == (1, 4, 8, 9)
    assert text.bind({**CONV2D, "T": DType.BF16}).params[0].dtype is DType.BF16


def test_a_capital_without_a_value_is_refused_once() -> None:
    with pytest.raises(SourceError, match="K has no value") as refusal:
        read((TEXTS[0].parent / "conv2d.kir").read_text()).bind({k: v for k, v in CONV2D.items() if k != "K"})
    assert len(refusal.value.diagnostics) == 1


def test_an_element_type_is_no_number_and_a_number_is_no_element_type() -> None:
    text = read("def f(x: T[N]):\n    with compute:\n        o[i]: T[N] = x[i]\n        return o\n")
    with pytest.raises(SourceError, match="N is an element type, not a number"):
        text.bind({"T": "f32", "N": "f32"})
    with pytest.raises(SourceError, match="T is a number, not an element type"):
        text.bind({"T": 4, "N": 4})
    with pytest.raises(ValueError, match="float32"):
        text.bind({"T": "float32", "N": 4})


def test_sizes_win_over_the_constants_of_a_text() -> None:
    source = (TEXTS[0].parent / "gemv_i4.kir").read_text()
    kernel = parse(source, {"K": 64, "N": 8})
    assert kernel.params[2].shape == (8, 2)


def test_values_that_do_not_fit_are_refused_when_they_are_bound() -> None:
    text = read("def f(x: f32[N]):\n    with compute:\n        o[i]: f32[N - 4] = x[i]\n        return o\n")
    with pytest.raises(SourceError, match="found N - 4, which is 0"):
        text.bind({"N": 4})


def test_knobs_have_names_options_and_a_first_choice() -> None:
    text = read(TUNED)
    assert text.knobs == {"B": (4, 8), "choose2": (16, 8, 32)}
    first = text.bind()
    assert first.schedules[0].directives == (Split(outs=("io", "ii"), loop="o.i", sizes=(16,)),)
    other = text.bind(knobs={"B": 8, "choose2": 16})
    assert isinstance(other.compute.items[0], Stage)
    assert other.compute.items[0].value == parse(TUNED.replace("choose(4, 8)", "8")).compute.items[0].value  # type: ignore[union-attr]


@pytest.mark.parametrize(("knobs", "message"), [({"B": 5}, "5 is no option of B"), ({"C": 5}, "no knob C")])
def test_a_knob_takes_one_of_its_options(knobs: dict[str, int], message: str) -> None:
    with pytest.raises(SourceError, match=message):
        read(TUNED).bind(knobs=knobs)


def test_options_that_hang_on_a_free_capital_are_known_when_it_is_bound() -> None:
    text = read(TUNED.replace("N, B = 64,", "B =").replace("choose(4, 8)", "choose(N, N // 2)"))
    assert text.knobs["B"] == ()
    bound = text.bind({"N": 64}, {"B": 32})
    assert isinstance(bound.compute.items[0], Stage)
    assert "16.0" in repr(bound.compute.items[0].value)


def test_binding_twice_gives_equal_kernels() -> None:
    text = read(TUNED)
    assert text.bind() == text.bind({"N": 64}) == parse(TUNED)


def test_numbers_are_folded_exactly_and_stay_whole_or_float() -> None:
    kernel = parse(
        "def f(x: f32[4]):\n    N = 7\n    with compute:\n"
        "        a: i32 = N // 2 + 2 ** 3 - -1\n        b: f32 = 1 / 4 * pi\n        c: f32 = x[0] - 2 * 3\n"
        "        d: i32 = 5 // 0\n        return a, b, c, d\n"
    )
    values = [item.value for item in kernel.compute.items if isinstance(item, Stage)]
    assert values[0] == Literal(value=12)
    assert type(values[0].value) is int
    assert values[1] == Literal(value=0.7853981633974483)
    assert isinstance(values[2], Binary)
    assert values[2].right == Literal(value=6)
    assert values[3] == Binary(op="//", left=Literal(value=5), right=Literal(value=0)), (
        "for the verifier to refuse"
    )


def test_spans_point_at_what_was_written() -> None:
    source = (
        "def f(x: f32[4]):\n    with compute:\n        o[i]: f32[4] = (\n            x[i] if i > 0\n"
        "            else max(x[0], 1.0))\n        return o\n"
    )
    stage = parse(source).compute.items[0]
    assert isinstance(stage, Stage)
    assert isinstance(stage.value, Select)
    assert stage.name_span == Span(3, 9, 3, 13)
    assert stage.value.span == Span(4, 13, 5, 32)
    assert stage.value.then.span == Span(4, 13, 4, 17)
    assert stage.value.other.span == Span(5, 18, 5, 32)
    assert parse(source).compute.output_spans == (Span(6, 16, 6, 17),)


def test_spans_of_a_reduction_hold_range_and_conditions() -> None:
    source = (
        "def f(x: f32[4]):\n    with compute:\n"
        "        o: f32 = sum(x[k] for k in range(1, 4) if k > 1 if k < 3)\n        return o\n"
    )
    stage = parse(source).compute.items[0]
    assert isinstance(stage, Stage)
    assert isinstance(stage.value, Reduction)
    assert stage.value.span == Span(3, 18, 3, 66)
    over = stage.value.over[0]
    assert (over.axis, over.start, over.stop, len(over.conditions)) == ("k", 1, 4, 2)
    assert over.span == Span(3, 31, 3, 65)


def test_spans_of_directives_give_their_arguments_in_the_order_written() -> None:
    source = TUNED + '\n    with memory("llvm"):\n        cache(x, "local", vector=4, at=io)\n'
    schedule, memory = parse(source).schedules[0], parse(source).memories[0]
    assert schedule.directives[0].spans == (Span(9, 24, 9, 27), Span(9, 29, 9, 50))
    assert memory.directives[0].spans[2:] == (Span(12, 27, 12, 35), Span(12, 37, 12, 42))


def test_groups_and_tables_keep_their_place() -> None:
    items = parse(
        "def f(x: f32[4]):\n    with compute:\n        for t in range(4):\n"
        "            tab: i8[2, 1] = [[1], [-2]]\n"
        "            for u in range(2):\n                h[t, u]: f32[4, 2] = x[t]\n        return h\n"
    ).compute.items
    assert isinstance(items[0], Ordered)
    table, inner = items[0].items
    assert table == Table("tab", DType.I8, (2, 1), (1, -2))
    assert isinstance(inner, Ordered)
    assert (inner.axis, inner.size) == ("u", 2)


def test_constants_stand_in_layouts_too() -> None:
    source = TUNED + '\n    with memory("llvm"):\n        layout(x, "i -> i%B i/B")\n'
    directive = parse(source).memories[0].directives[0]
    assert directive.spec == LayoutSpec(("i",), (Piece("i", 1, 4), Piece("i", 4)))  # type: ignore[union-attr]


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_line_ends_do_not_matter(ends: str) -> None:
    assert parse(TUNED.replace("\n", ends)) == parse(TUNED)
    assert parse(TUNED.rstrip("\n")) == parse(TUNED)


def test_a_name_means_one_thing_in_the_whole_text() -> None:
    source = (
        "def f(x: f32[4], k: f32):\n    with compute:\n        o[i]: f32[4] = x[i] * k\n"
        "        p: f32 = sum(x[k] for k in range(4))\n        return o, p\n"
    )
    assert codes(source) == ["C05"]
