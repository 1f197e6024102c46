"""Inputs: the same bytes for the same seed."""

import hashlib
from pathlib import Path

import numpy as np
import pytest
from tests.workloads.conftest import edit

from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.ir.dtype import DType
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.inputs import NUMPY_TYPES, make_inputs
from edgekernelbench.workloads.sampling import ADVERSARIAL, STANDARD, Distribution
from edgekernelbench.workloads.schema import Workload

WORKLOADS = load_catalogue().workloads


@pytest.mark.parametrize("workload", WORKLOADS, ids=lambda w: w.id)
def test_inputs_have_the_declared_types_shapes_and_ranges(workload: Workload) -> None:
    twin = workload.twin()
    for distribution in (*STANDARD, *ADVERSARIAL):
        inputs = make_inputs(twin, 3, distribution)
        for param, array in zip(twin.kernel().params, inputs, strict=True):
            assert (array.dtype, array.shape) == (np.dtype(NUMPY_TYPES[param.dtype]), param.shape)
            assert np.isfinite(array.astype(np.float64)).all()
            if param.dtype.is_int:
                low, high = (
                    param.dtype.bounds if param.bounds is None else (param.bounds[0], param.bounds[1] - 1)
                )
                assert low <= array.min()
                assert array.max() <= high


def test_the_same_seed_gives_the_same_bytes_in_every_version() -> None:
    workload = load_catalogue().workload("linear/gemv_i4@n1536-k576-g32-i4")
    digest = hashlib.sha256(b"".join(array.tobytes() for array in make_inputs(workload, 7)))
    assert digest.hexdigest()[:16] == "fd72a4cfa6290942"


def test_weights_are_the_same_in_every_distribution_and_inputs_are_not() -> None:
    workload = load_catalogue().workload("linear/matmul@m197-k192-n576-f32")
    (x, w), (y, v) = (make_inputs(workload, 1, d) for d in (Distribution.TYPICAL, Distribution.HEAVY))
    assert np.array_equal(w, v)
    assert not np.array_equal(x, y)


def test_seeds_differ_in_all_parameters() -> None:
    workload = load_catalogue().workload("linear/matmul@m197-k192-n576-f32")
    for a, b in zip(make_inputs(workload, 1), make_inputs(workload, 2), strict=True):
        assert not np.array_equal(a, b)


def test_four_bit_weights_take_a_byte_each_here() -> None:
    workload = load_catalogue().workload("linear/gemv_i4@n1536-k576-g32-i4").twin()
    weights = make_inputs(workload, 0)[1]
    assert (weights.dtype, workload.dtype) == (np.dtype(np.int8), DType.I4)
    assert -8 <= weights.min() < weights.max() <= 7


def test_a_parameter_without_a_draw_is_named(toy: Path) -> None:
    edit(toy / "toy" / "workloads.toml", 'x = { draw = "normal" }\n', "")
    with pytest.raises(CatalogueError, match=r"expected a draw for x"):
        make_inputs(load_catalogue(toy).workloads[0], 0)


def test_an_unknown_distribution_is_refused() -> None:
    with pytest.raises(ValueError, match="cauchy"):
        make_inputs(WORKLOADS[0], 0, "cauchy")
