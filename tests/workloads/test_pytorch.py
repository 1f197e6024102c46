"""PyTorch functions of the catalogue."""

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.workloads.pytorch import from_tensor, load_function, run_function, to_tensor

pytestmark = pytest.mark.needs_torch


@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16, np.int8, np.uint16, np.bool_])
def test_arrays_survive_the_way_through_tensors(dtype: type[np.generic]) -> None:
    array = np.array([[0, 1, 2], [3, 0, 5]]).astype(dtype)
    back = from_tensor(to_tensor(array))
    assert back.dtype == array.dtype
    assert np.array_equal(back, array)


def test_a_function_gets_its_sizes_by_keyword(tmp_path: Path) -> None:
    path = tmp_path / "shift.py"
    path.write_text("def shift(x, *, BY):\n    return x + BY, x - BY\n")
    up, down = run_function(load_function(path, "shift", {"BY": 2, "N": 1}), [np.array([5.0], np.float32)])
    assert (up.item(), down.item()) == (7.0, 3.0)


def test_a_function_cannot_change_the_arrays_it_is_given(tmp_path: Path) -> None:
    path = tmp_path / "clear.py"
    path.write_text("def clear(x):\n    return x.zero_()\n")
    x = np.ones(2, np.float32)
    run_function(load_function(path, "clear", {}), [x])
    assert x.tolist() == [1.0, 1.0]


def test_an_unknown_size_is_named(tmp_path: Path) -> None:
    path = tmp_path / "shift.py"
    path.write_text("def shift(x, *, BY):\n    return x\n")
    with pytest.raises(CatalogueError, match=r"shift asks for BY"):
        load_function(path, "shift", {"N": 1})


def test_a_file_without_the_function_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "empty.py"
    path.write_text("")
    with pytest.raises(CatalogueError, match=r"expected a function empty"):
        load_function(path, "empty", {})
