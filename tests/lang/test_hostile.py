"""Reading is total: any string gives a text or diagnostics, soon."""

import ast
import random
import re
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.lang.hostile import HARMLESS, HOSTILE

from edgekernelbench.base.codes import CODES
from edgekernelbench.base.errors import SourceError
from edgekernelbench.lang.context import MAX_DIAGNOSTICS, MAX_HINT_CHARS, MAX_MESSAGE_CHARS
from edgekernelbench.lang.parse import Text, parse, read
from edgekernelbench.lang.printing import print_kernel

TEXTS = [path.read_text() for path in sorted((Path(__file__).parents[1] / "texts").glob("*.kir"))]
TOKENS = [re.findall(r"\w+|\s+|[^\w\s]", text) for text in TEXTS]
PIECES = sorted({token for tokens in TOKENS for token in tokens} | {
    "lambda", "None", "@", "+=", "...", "{", "}", ";", "\\", "*", "yield", "is", "1e999", "const", "choose",
})  # fmt: skip

MAX_CPU_S = 0.1
"""Twice of what reading may take beyond Python's own parser, for slow machines."""


def attempt(text: str) -> None:
    """Read a text; if it is right, also print it and read it back."""
    refusal: SourceError | None = None
    try:
        found = read(text)
    except SourceError as error:
        refusal = error
    else:
        if not found.free:
            check_round_trip(found)
    if refusal is not None:
        check_refusal(refusal)


def check_round_trip(found: Text) -> None:
    try:
        kernel = found.bind()
        again = parse(print_kernel(kernel))
    except SourceError as error:
        raise AssertionError from error
    assert repr(again) == repr(kernel)


def check_refusal(refusal: SourceError) -> None:
    assert 1 <= len(refusal.diagnostics) <= MAX_DIAGNOSTICS
    for diagnostic in refusal.diagnostics:
        assert diagnostic.code in CODES
        assert len(diagnostic.message) <= MAX_MESSAGE_CHARS + 10
        assert len(diagnostic.hint or "") <= MAX_HINT_CHARS
        assert diagnostic.render(refusal.source)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_is_refused(name: str) -> None:
    with pytest.raises(SourceError):
        parse(HOSTILE[name])
    attempt(HOSTILE[name])


@pytest.mark.parametrize("name", HARMLESS)
def test_a_strange_text_is_read(name: str) -> None:
    parse(HARMLESS[name])


def cpu_seconds(work: Callable[[str], object], text: str) -> float:
    start = time.process_time()
    refused = (SourceError, SyntaxError, ValueError, RecursionError, MemoryError)
    with warnings.catch_warnings(), suppress(*refused):
        warnings.simplefilter("ignore")
        work(text)
    return time.process_time() - start


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_costs_little_more_than_python_s_own_parser(name: str) -> None:
    text = HOSTILE[name]
    tries = (cpu_seconds(read, text) - cpu_seconds(ast.parse, text) for _ in range(4))
    assert any(share < MAX_CPU_S for share in tries)


@given(st.text(max_size=200))
@settings(max_examples=100, deadline=None)
def test_any_string_is_read_or_refused(text: str) -> None:
    attempt(text)
    attempt(f"def f(x: f32[4]):\n    with compute:\n        o: f32 = {text}\n        return o\n")


@given(st.integers(0, len(TEXTS) - 1), st.randoms(use_true_random=False))
@settings(max_examples=120, deadline=None)
def test_a_damaged_text_is_read_or_refused(number: int, rng: random.Random) -> None:
    tokens = list(TOKENS[number])
    for _ in range(rng.randint(1, 3)):
        place = rng.randrange(len(tokens))
        match rng.randrange(4):
            case 0:
                del tokens[place]
            case 1:
                tokens.insert(place, rng.choice(PIECES))
            case 2:
                tokens[place] = rng.choice(PIECES)
            case _:
                other = rng.randrange(len(tokens))
                tokens[place], tokens[other] = tokens[other], tokens[place]
    attempt("".join(tokens))


def expression_nodes() -> list[ast.expr]:
    return [node for text in TEXTS for node in ast.walk(ast.parse(text)) if isinstance(node, ast.expr)]


EXPRESSIONS = expression_nodes()


@given(st.integers(0, len(TEXTS) - 1), st.randoms(use_true_random=False))
@settings(max_examples=120, deadline=None)
def test_a_text_with_an_expression_of_another_is_read_or_refused(number: int, rng: random.Random) -> None:
    tree = ast.parse(TEXTS[number])
    for _ in range(rng.randint(1, 3)):
        parents = [
            (node, field)
            for node in ast.walk(tree)
            for field, old in ast.iter_fields(node)
            if isinstance(old, ast.expr)
        ]
        node, field = rng.choice(parents)
        setattr(node, field, rng.choice(EXPRESSIONS))
    attempt(ast.unparse(tree))
