"""Kernels as functions of Python: what they take, what they refuse, what they give."""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from edgekernelbench.base.errors import PrerequisiteError, RecordError
from edgekernelbench.compiler.arrays import Array
from edgekernelbench.deploy.calling import KernelFunction, load_kernel
from edgekernelbench.deploy.kernels import Wish, export_kernel
from edgekernelbench.deploy.record import Form
from edgekernelbench.lang.parse import parse
from edgekernelbench.profiles.profile import load_profile

LINEAR = """
def linear(ids: i32[3] in range(9), x: f32[9, 40], w: const[f32[8, 40]], scale: f32):
    with compute:
        y[r, k]: f32[3, 8] = sum(x[ids[r], i] * w[k, i] for i in range(40))
        z[r, k]: f32[3, 8] = y[r, k] * scale
        top[r]: i32[3] = argmax(z[r, k] for k in range(8))
        return z, top

    with schedule("llvm"):
        parallel(z.r)

    with memory("llvm"):
        layout(w, "k i -> i k")
"""
GENERATOR = np.random.default_rng(3)
IDS = np.array([0, 8, 3], np.int32)
X, W = (GENERATOR.standard_normal(shape).astype(np.float32) for shape in ((9, 40), (8, 40)))
SCALE = np.float32(0.5)


@pytest.fixture(scope="module", params=["text", *map(str, (Form.OBJECT, Form.SHARED, Form.C))])
def linear(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> KernelFunction:
    if request.param == "text":
        return load_kernel(LINEAR)
    folder = tmp_path_factory.mktemp("linear") / "out"
    export_kernel(parse(LINEAR), load_profile("llvm"), folder, Wish(Form(request.param)))
    return load_kernel(folder)


def expected(w: NDArray[np.float32] = W) -> tuple[Array, Array]:
    z = X[IDS] @ w.T * SCALE
    return z, z.argmax(axis=1)


def holds(found: Array | tuple[Array, ...], right: tuple[Array, Array]) -> bool:
    return np.allclose(found[0], right[0], atol=1e-5) and bool((found[1] == right[1]).all())


def test_a_kernel_is_a_function_of_arrays(linear: KernelFunction) -> None:
    assert holds(linear(IDS, X, W, np.array(SCALE)), expected())
    assert holds(linear(IDS, X, scale=np.array(SCALE), w=W), expected())


def test_weights_are_bound_once_and_can_be_bound_anew(linear: KernelFunction) -> None:
    scale = np.array(SCALE)
    assert holds(linear.bind(w=W)(IDS, X, scale), expected())
    one, two = linear.bind(w=W, scale=scale), linear.bind(w=2 * W, scale=scale)
    assert holds(two(IDS, X), expected(2 * W))
    assert holds(one(IDS, X), expected())
    assert holds(one(IDS, X), expected())


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"x": X.astype(np.float64)}, r"expected x as float32\[9, 40\], found float64\[9, 40\]"),
        ({"x": X.T}, r"expected x as float32\[9, 40\], found float32\[40, 9\]"),
        ({"ids": np.array([0, 9, 1], np.int32)}, r"expected ids in 0\.\.8, found 0 to 9"),
        ({"bias": X}, "linear has no parameter 'bias'; it has ids, x, w, scale"),
    ],
    ids=["type", "shape", "range", "name"],
)
def test_what_machine_code_would_misread_is_refused(
    linear: KernelFunction, change: dict[str, Array], says: str
) -> None:
    with pytest.raises(ValueError, match=says):
        linear(**{"ids": IDS, "x": X, "w": W, "scale": np.array(SCALE)} | change)


def test_a_missing_array_is_named(linear: KernelFunction) -> None:
    with pytest.raises(ValueError, match="expected arrays for ids, x, scale; scale is missing"):
        linear.bind(w=W)(IDS, X)
    with pytest.raises(ValueError, match="ids was given twice"):
        linear(IDS, ids=IDS)
    with pytest.raises(ValueError, match="expected at most 4 arrays"):
        linear(IDS, X, W, np.array(SCALE), X)


def test_a_folder_of_another_machine_or_with_other_bytes_is_refused(tmp_path: Path) -> None:
    other, changed = tmp_path / "arm", tmp_path / "changed"
    export_kernel(parse(LINEAR), load_profile("aarch64"), other, Wish())
    with pytest.raises(PrerequisiteError, match="was exported for aarch64; load it there"):
        load_kernel(other)
    export_kernel(parse(LINEAR), load_profile("llvm"), changed, Wish(Form.C))
    (changed / "linear.c").write_text("int x;", encoding="utf-8")
    with pytest.raises(RecordError, match=r"linear\.c is not what was exported"):
        load_kernel(str(changed))
