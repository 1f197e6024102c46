"""Where time and memory go, counted by hand."""

from pathlib import Path

import numpy as np
import pytest

from edgekernelbench.imports.measuring import with_shares
from edgekernelbench.imports.profiling import advice, peak_bytes, profile_model
from edgekernelbench.imports.record import Call, Function, ImportedModel, Needed, Tensor
from edgekernelbench.ir.dtype import DType


def tensor(name: str, size: int) -> Tensor:
    return Tensor(name=name, dtype=DType.F32, shape=(size,))


def needed(memory_ns: float, compute_ns: float) -> Needed:
    return Needed(
        operations=1,
        moved_bytes=1,
        memory_ns=memory_ns,
        compute_ns=compute_ns,
        launch_ns=10.0,
        workspace_bytes=0,
    )


def function(name: str, runs: int, time_ns: float | None, needs: Needed | None) -> Function:
    return Function(
        name=name,
        functions=(name,),
        operators=(name,),
        workload=f"net/{name}@1-f32",
        runs=runs,
        verdict="correct",
        time_ns=time_ns,
        needs=needs,
    )


FUNCTIONS = (
    function("slow", 2, 3000.0, needed(100.0, 400.0)),
    function("moving", 1, 4000.0, needed(3200.0, 10.0)),
    function("tiny", 1, 40.0, needed(1.0, 1.0)),
)
CALLS = (
    Call(function="slow", args=("x", "const:0"), results=(tensor("a", 100),)),
    Call(function="slow", args=("a", "const:1"), results=(tensor("b", 100),)),
    Call(function="moving", args=("b", "x"), results=(tensor("c", 50),)),
    Call(function="tiny", args=("c", "const:0"), results=(tensor("y", 2),)),
)
MODEL = ImportedModel(
    name="net",
    source="net.onnx",
    source_hash="",
    kind="onnx",
    sizes={},
    framework="",
    apart=None,
    device="llvm",
    inputs=(tensor("x", 10),),
    outputs=("y",),
    calls=CALLS,
    functions=with_shares(FUNCTIONS),
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    weights = {"0": np.zeros(5, np.float32), "1": np.zeros(7, np.float32)}
    np.savez(tmp_path / "weights.npz", **weights)  # type: ignore[arg-type]
    return tmp_path


def test_shares_count_every_run_and_add_up() -> None:
    assert [f.share for f in MODEL.functions] == [6000 / 10040, 4000 / 10040, 40 / 10040]


def test_what_was_not_measured_has_no_share() -> None:
    assert with_shares([function("a", 1, None, None), function("b", 1, 5.0, None)])[0].share is None


def test_values_are_held_from_the_call_that_makes_them_to_the_last_that_reads_them() -> None:
    # While the second call runs: x (read again later), a and b.
    assert peak_bytes(MODEL) == 4 * (10 + 100 + 100)


def test_a_perfect_kernel_would_save_what_is_above_the_bound(folder: Path) -> None:
    profile = profile_model(MODEL, folder)
    gains = {part.function.name: part.gain for part in profile.parts}
    assert gains == {"slow": 2 * (3000 - 1.25 * 400) / 10040, "moving": 0.0, "tiny": 0.0}
    assert [part.kind for part in profile.parts] == ["compute", "memory", "overhead"]


def test_weights_are_counted_by_function_and_once_in_all(folder: Path) -> None:
    profile = profile_model(MODEL, folder)
    assert {p.function.name: p.weights_bytes for p in profile.parts} == {"slow": 48, "moving": 0, "tiny": 20}
    assert profile.weights_bytes == 48


def test_a_budget_goes_where_it_pays(folder: Path) -> None:
    lines = list(advice(profile_model(MODEL, folder)))
    assert lines == ["worth a budget, with what a perfect kernel would save of the whole: slow (50%)"]
