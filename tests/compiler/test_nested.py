"""Functions inside arguments of functions: statements of their own, in time that is linear in the depth."""

from collections.abc import Iterator

import numpy as np
import pytest
from tests.compiler.hand import SERIAL
from tests.compiler.running import assert_right, run

from edgekernelbench.compiler.mathematics import PROGRAMS
from edgekernelbench.compiler.nested import separate_nested
from edgekernelbench.compiler.rewrite import expressions
from edgekernelbench.compiler.tvm import TvmCompiler
from edgekernelbench.interp.evaluate import evaluate
from edgekernelbench.interp.nests import run_nest
from edgekernelbench.ir.expr import Call, Expr
from edgekernelbench.ir.walk import walk
from edgekernelbench.lang.parse import parse
from edgekernelbench.nest.build import build_nest
from edgekernelbench.nest.tree import Nest, Stmt, walk_stmts
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.verify.facts import Facts

FORMS = {
    "chain": "tanh({} * 0.5 + 1.0)",
    "twice": "sigmoid({0}) * tanh({0})",
    "powers": "(({0} * 0.5) ** 2 + 0.1) ** 3 - {0}",
    "guarded": "(tanh(exp({0} * 0.1 + x[i - 1])) if i > 0 and sigmoid(tanh({0})) > 0.3 else erf(tanh({0})))",
    "half": "f32(f16(tanh({} * 0.5 + 1.0)))",
}
MARKS = {"scalar": "", "vector": "io, ii = split(out.i, 16)\n        vectorize(ii)"}


def kernel(form: str, depth: int, mark: str) -> Facts:
    lines = ["def f(x: f32[70]):", "    with compute:"]
    value = "x[i]"
    for number in range(depth):
        lines.append(f"        s{number}[i]: f32[70] = {FORMS[form].format(value)}")
        value = f"s{number}[i]"
    lines += [f"        out[i]: f32[70] = {value} + 1.0", "        return out", '    with schedule("llvm"):']
    lines += [
        f"        inline({', '.join(f's{n}' for n in range(depth))})",
        f"        {MARKS[mark]}".rstrip(),
    ]
    return verify_compute(parse("\n".join(lines).rstrip() + "\n"))


def functions_in_arguments(body: tuple[Stmt, ...]) -> Iterator[Expr]:
    for stmt in walk_stmts(body):
        for expr in expressions(stmt):
            calls = [n for n in walk(expr) if isinstance(n, Call) and n.function in PROGRAMS]
            inside = [n for c in calls for a in c.args for n in walk(a)]
            yield from (n for n in inside if isinstance(n, Call) and n.function in PROGRAMS)


def separated(nest: Nest) -> Nest:
    return Nest(
        nest.name,
        nest.target,
        nest.params,
        nest.outputs,
        nest.prepared,
        nest.tables,
        nest.prepare,
        separate_nested(nest.body),
    )


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("form", FORMS)
def test_no_function_is_left_in_an_argument(form: str, mark: str) -> None:
    facts = kernel(form, 3, mark)
    nest = separated(build_nest(facts, "llvm", SERIAL))
    assert not list(functions_in_arguments(nest.body))
    x = np.random.default_rng(0).standard_normal(70).astype(np.float32)
    (found,) = run_nest(nest, [x])
    np.testing.assert_allclose(found, evaluate(facts, {"x": x})[0], rtol=2e-3, atol=2e-3)


@pytest.mark.needs_tvm
@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize(
    ("form", "depth"), [("chain", 6), ("twice", 5), ("powers", 3), ("guarded", 2), ("half", 4)]
)
def test_deep_nests_compile_at_once_and_are_right(form: str, depth: int, mark: str) -> None:
    facts = kernel(form, depth, mark)
    nest = build_nest(facts, "llvm", SERIAL)
    inputs = {"x": np.random.default_rng(1).uniform(-1, 1, 70).astype(np.float32)}
    found = run(TvmCompiler(), nest, inputs, SERIAL)
    assert_right(found, evaluate(facts, inputs, "declared"), ulps=512)
