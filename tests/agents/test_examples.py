"""The pool of worked examples: right, near, and not from the catalogue."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from edgekernelbench.agents.examples import POOL, Example, load_pool, nearest_examples
from edgekernelbench.interp.evaluate import evaluate
from edgekernelbench.ir.dtype import DType
from edgekernelbench.lang.parse import parse
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.pytorch import load_function, run_function

PROFILES = {"llvm": "llvm", "cuda": "cuda-sm87", "opencl": "opencl"}
EXAMPLES = load_pool()
NUMPY = {DType.F32: np.float32, DType.I32: np.int32, DType.I8: np.int8, DType.U8: np.uint8}


def named(example: Example) -> str:
    return example.name


def test_every_file_of_the_pool_is_an_example() -> None:
    files = {
        entry.name.rpartition(".")[0] for entry in POOL.iterdir() if entry.name.endswith((".kir", ".py"))
    }
    assert files == {e.name for e in EXAMPLES}


@pytest.mark.parametrize("target", list(PROFILES))
@pytest.mark.parametrize("example", EXAMPLES, ids=named)
def test_an_example_is_accepted_without_a_warning(example: Example, target: str) -> None:
    text = example.kernel_for(target)
    facts = verify_compute(parse(text))
    assert facts.diagnostics == ()
    build_nest(facts, target, load_profile(PROFILES[target]))
    assert {t for t in PROFILES if f'"{t}"' in text} <= {target}


@pytest.mark.parametrize("example", EXAMPLES, ids=named)
def test_what_a_card_shows_is_a_part_of_the_whole(example: Example) -> None:
    whole = parse(example.kernel)
    for target in PROFILES:
        part = parse(example.kernel_for(target))
        assert part.compute == whole.compute
        assert part.schedule_for(target).directives == whole.schedule_for(target).directives
        assert part.memory_for(target).directives == whole.memory_for(target).directives


def inputs_of(example: Example) -> dict[str, Any]:
    """Draw plain inputs: indices in their range, integers of a picture's size, floats round zero."""
    rng = np.random.default_rng(7)
    inputs: dict[str, Any] = {}
    for param in parse(example.kernel).params:
        if param.bounds is not None:
            drawn: Any = rng.integers(*param.bounds, size=param.shape)
        elif param.dtype.is_int:
            low, high = max(param.dtype.bounds[0], -100), min(param.dtype.bounds[1], 255)
            drawn = rng.integers(low, high + 1, size=param.shape)
        else:
            drawn = rng.normal(size=param.shape)
        inputs[param.name] = drawn.astype(NUMPY[param.dtype])
    if "mul" in inputs:
        inputs["mul"] = np.abs(inputs["mul"]) * np.float32(0.003)
    return inputs


@pytest.mark.needs_torch
@pytest.mark.parametrize("example", EXAMPLES, ids=named)
def test_an_example_computes_what_its_pytorch_function_does(example: Example) -> None:
    inputs = inputs_of(example)
    function = load_function(Path(str(POOL / f"{example.name}.py")), example.name, {})
    facts = verify_compute(parse(example.kernel))
    found = evaluate(facts, inputs)
    wanted = run_function(function, [inputs[p.name] for p in facts.kernel.params])
    for value, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(value.astype(np.float64), other.astype(np.float64), rtol=2e-4, atol=2e-4)


def _structure(text: str) -> str:
    """The compute layer without names and sizes: what makes two kernels the same computation."""
    kernel = parse(text)
    body = print_kernel(kernel).partition("with compute:")[2].partition("\n    with ")[0]
    numbers: dict[str, str] = {}
    words: dict[str, str] = {}

    def anonymous(match: re.Match[str]) -> str:
        word = match[0]
        known = numbers if word[0].isdigit() else words
        return known.setdefault(word, f"{'n' if word[0].isdigit() else 'v'}{len(known)}")

    return re.sub(r"\b(?:\d[\d.e]*|[a-z_]\w*)\b", anonymous, body)


def test_no_example_is_a_pattern_of_the_catalogue() -> None:
    catalogue = {_structure(print_kernel(w.kernel())): w.id for w in load_catalogue().workloads}
    same = {e.name: catalogue[_structure(e.kernel)] for e in EXAMPLES if _structure(e.kernel) in catalogue}
    assert not same


@pytest.mark.parametrize(
    ("signature", "reference", "first"),
    [
        (
            "x: f32[1, 8, 9, 9], w: const[f32[4, 8, 3, 3]]",
            "F.conv2d(x, w, padding=1, stride=2)",
            "conv1d_abs",
        ),
        ("x: i8[4, 64], w: const[i8[32, 64]]", "(x.to(torch.int32) @ w.T).round()", "dense_i8"),
        ("x: f32[8, 100]", "for t in range(1, T): h.append(x[:, t])\nreturn torch.stack(h)", "peak_hold"),
        ("x: f32[8, 100]", "torch.softmax(x, dim=-1) / x.sum(dim=1, keepdim=True)", "centre_rows"),
        ("x: f32[99, 8], ids: i32[8] in range(99)", "F.embedding(ids, x)", "pick_rows"),
    ],
)
def test_the_nearest_example_comes_first(signature: str, reference: str, first: str) -> None:
    assert nearest_examples(signature, reference)[0].name == first


def test_the_choice_is_the_same_every_time_and_has_no_doubles() -> None:
    chosen = nearest_examples("def f():", "nothing in common")
    assert chosen == nearest_examples("def f():", "nothing in common")
    assert len(set(chosen)) == len(chosen) == 2
