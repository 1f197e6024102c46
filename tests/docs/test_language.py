"""The language reference names every word and every code of the language, and its texts are legal."""

import re

import pytest
from tests.docs.pages import DOCS, Block, blocks

from edgekernelbench.base.codes import CODES
from edgekernelbench.ir.dtype import DType, widened
from edgekernelbench.ir.expr import REDUCTIONS
from edgekernelbench.ir.schedule import TARGETS
from edgekernelbench.lang.blocks import MAX_DIRECTIVES
from edgekernelbench.lang.compute import MAX_AXES, MAX_STAGES
from edgekernelbench.lang.constants import MAX_CONSTANTS
from edgekernelbench.lang.context import MAX_ARGUMENTS, MAX_DEPTH, MAX_NAME_CHARS, MAX_OPERANDS
from edgekernelbench.lang.numbers import MAX_OPTIONS
from edgekernelbench.lang.parse import parse
from edgekernelbench.lang.signature import MAX_PARAMS
from edgekernelbench.lang.source import MAX_SOURCE_CHARS
from edgekernelbench.lang.words import DTYPES, FUNCTIONS, MEMORY_WORDS, SCHEDULE_WORDS
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute

PAGE = DOCS / "reference" / "language.md"
TEXT = PAGE.read_text(encoding="utf-8")
KERNELS = [block for block in blocks(PAGE) if block.title.endswith(".kir")]
WORDS = [*DTYPES, *FUNCTIONS, *REDUCTIONS, *SCHEDULE_WORDS, *MEMORY_WORDS, *TARGETS]


@pytest.mark.parametrize("word", WORDS)
def test_every_word_of_the_language_is_named(word: str) -> None:
    prose = " ".join(re.findall(r"`[^`\n]+`", re.sub(r"```.*?```", "", TEXT, flags=re.DOTALL)))
    assert re.search(rf"\b{word}\b", prose)


@pytest.mark.parametrize("code", CODES)
def test_every_code_is_named_where_its_rule_is(code: str) -> None:
    assert f"[{code}](errors.md#{code.lower()})" in TEXT


@pytest.mark.parametrize("block", KERNELS, ids=lambda block: block.title)
def test_every_text_of_the_page_is_legal(block: Block) -> None:
    facts = verify_compute(parse(block.text))
    build_nest(facts, "llvm", load_profile("llvm"))


def test_the_limits_are_those_of_the_code() -> None:
    rows = dict(re.findall(r"^\| ([a-z][^|]+?) \| ([\d,]+)(?: [^|]*)? \|$", TEXT, re.MULTILINE))
    wanted = {
        "length of a text": MAX_SOURCE_CHARS,
        "stages": MAX_STAGES,
        "parameters, constants": MAX_PARAMS,
        "axes of a stage or parameter, nested `for`s": MAX_AXES,
        "nesting of an expression": MAX_DEPTH,
        "operands of a comparison, of `and` and `or`, of a call": MAX_OPERANDS,
        "arguments of a directive": MAX_ARGUMENTS,
        "directives of a block": MAX_DIRECTIVES,
        "characters of a name": MAX_NAME_CHARS,
        "knobs, options of a knob": MAX_OPTIONS,
    }
    assert MAX_CONSTANTS == MAX_PARAMS
    for name, limit in wanted.items():
        assert int(rows[name].split()[0].replace(",", "")) == limit, name


def test_the_table_of_meeting_types_is_that_of_the_code() -> None:
    section = TEXT.partition("Two operands of different types meet")[2].partition("¹ Two operands")[0]
    rows = [
        [c.strip() for c in line.strip("|").split("|")] for line in section.splitlines() if line[:1] == "|"
    ]
    names = [re.findall(r"\w+", cell) for cell in rows[0][1:]]
    for row in rows[2:]:
        for left in re.findall(r"\w+", row[0]):
            for rights, cell in zip(names, row[1:], strict=True):
                for right in rights:
                    met = widened(DType(left), DType(right))
                    if left != right or "¹" not in cell:
                        assert cell.strip("`¹") == (str(met) if met else "–"), (left, right)
