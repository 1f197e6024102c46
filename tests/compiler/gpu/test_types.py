"""Element types that a device lacks."""

import pytest
from tests.interp.texts import verified

from edgekernelbench.base.errors import CompileError
from edgekernelbench.compiler.tvm.gpu.build import write_device_code
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import load_profile

pytestmark = pytest.mark.needs_tvm

DOUBLES = """
def k(x: f64[8]):
    with compute:
        y[i]: f64[8] = x[i] + 1.0
        return y
"""


def test_a_type_that_a_device_lacks_is_refused_by_name() -> None:
    profile = load_profile("opencl-adreno")
    with pytest.raises(CompileError, match="x is f64, which opencl-adreno has not"):
        write_device_code(build_nest(verified(DOUBLES), "opencl", profile), profile)
