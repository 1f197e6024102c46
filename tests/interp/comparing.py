"""Arrays that must be the same, but for rounding."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

EPS = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23, "float64": 2.0**-52}


def assert_same(found: NDArray[Any], expected: NDArray[Any], *, ulps: float = 64) -> None:
    """Integers exactly; floats within some units in the last place of the greatest magnitude."""
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    if found.dtype.name not in EPS:
        np.testing.assert_array_equal(found, expected)
        return
    wide, right = found.astype(np.float64), expected.astype(np.float64)
    finite = np.abs(right[np.isfinite(right)])
    scale = max(1e-30, float(finite.max(initial=0.0)))
    np.testing.assert_allclose(wide, right, rtol=0, atol=ulps * EPS[found.dtype.name] * scale)
