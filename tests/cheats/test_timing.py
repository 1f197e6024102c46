"""Attacks on the clock: work deferred, kept between calls, or shared out to more threads than are stated."""

import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.cheats.support import HONEST, SCALE, kernel, outcome

from edgekernelbench.compiler.arrays import allocate_buffer, place_array
from edgekernelbench.compiler.c import CCompiler
from edgekernelbench.compiler.c.program import write_program
from edgekernelbench.compiler.interface import Array, Executable
from edgekernelbench.evaluator.judge import Judge
from edgekernelbench.evaluator.messages import Limits
from edgekernelbench.evaluator.ring import TimingPlan
from edgekernelbench.lang.parse import parse, read
from edgekernelbench.nest.build import build_nest
from edgekernelbench.nest.tree import Nest
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.catalogue import Catalogue

SERVER = Path(__file__).parent / "stateful.py"
FOLDER = Path(__file__).parents[1] / "texts"
TEXTS = sorted(path for path in FOLDER.glob("*.kir") if not read(path.read_text(encoding="utf-8")).free)
QUICK = TimingPlan(batches=2, batch_ns=1_000_000)
PROFILE = load_profile("llvm")

TRICKS = {
    "right": "correct",
    "pays_at_the_next_call": "wrong nondeterministic",
    "works_once_for_each_buffer": "wrong nondeterministic",
    "works_when_nobody_looks": "wrong unwritten",
    "calls_more_threads_than_it_may": "unjudged load",
}


@pytest.fixture(scope="module")
def stateful() -> Iterator[Judge]:
    limits = Limits(deadline_s=20.0, run_s=10.0, memory_bytes=1 << 30, files=64, file_bytes=16 << 20)
    server = [sys.executable, str(SERVER)]
    with Judge(replace(PROFILE, threads=2), compiler="null", limits=limits, server=server) as judge:
        yield judge


@pytest.mark.parametrize("trick", TRICKS)
def test_what_a_kernel_keeps_between_calls_does_not_help(
    stateful: Judge, tiny: Catalogue, trick: str
) -> None:
    text = kernel(SCALE, HONEST[SCALE]).replace("def scale", f"def {trick}")
    assert outcome(stateful, tiny.workload(SCALE), text, timing=QUICK) == TRICKS[trick]


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_what_is_compiled_has_no_place_to_keep_anything(path: Path) -> None:
    """A text becomes functions of their arguments: nothing of the code that we generate outlives a call."""
    nest = _nest(path.read_text(encoding="utf-8"))
    listing = write_program(nest, threads=2, stack_limit=PROFILE.stack_bytes).text
    assert [line for line in _without_bodies(listing) if _is_variable(line)] == []
    assert not re.search(r"^[ \t]+static (?!const|inline)", listing, re.MULTILINE)


def test_a_place_to_keep_something_would_be_found() -> None:
    lines = (
        "static const int w[] = {1};",
        "int calls;",
        "void f() {",
        "    int local;",
        "}",
        "float kept[4];",
    )
    listing = "\n".join(lines)
    assert [line for line in _without_bodies(listing) if _is_variable(line)] == [
        "int calls;",
        "float kept[4];",
    ]


def test_the_same_call_gives_the_same_bytes_whatever_ran_before() -> None:
    """Replaying an earlier answer, or a state that drifts, would show; so would memory that nobody set."""
    nest = _nest((FOLDER / "softmax_online.kir").read_text(encoding="utf-8").replace("4096", "256"))
    executable = CCompiler().compile(nest, PROFILE).executable
    assert executable is not None
    generator = np.random.default_rng(1)
    one, two = (generator.normal(size=nest.params[0].shape).astype(np.float32) for _ in range(2))
    alone = _run(executable, nest, one)
    _run(executable, nest, two)
    for _ in range(3):
        _run(executable, nest, np.full_like(two, np.nan))
    assert _run(executable, nest, one) == alone


def _nest(text: str) -> Nest:
    return build_nest(verify_compute(parse(text)), "llvm", PROFILE)


def _run(executable: Executable, nest: Nest, given: Array) -> bytes:
    outputs = [allocate_buffer(buffer) for buffer in nest.outputs]
    params = [place_array(nest.params[0], given)]
    executable.prepare(params)
    executable.run(params, outputs)
    return outputs[0].tobytes()


def _without_bodies(listing: str) -> list[str]:
    """List the lines that stand outside of braces."""
    depth, kept = 0, []
    for line in listing.splitlines():
        if depth == 0:
            kept.append(line)
        depth += line.count("{") - line.count("}")
    return kept


def _is_variable(line: str) -> bool:
    """Whether a line outside of functions defines something that can be written to."""
    declares = (
        re.match(r"[a-z]", line) and re.search(r"[;=]", line) and "(" not in line.split("=", maxsplit=1)[0]
    )
    return bool(declares) and "const" not in line and not line.startswith(("typedef", "struct"))
