"""Nests as people read them, at the sizes of the texts."""

import pytest
from tests.conftest import Golden
from tests.interp.texts import facts_of
from tests.nest.running import nest_of

from edgekernelbench.nest.printing import print_nest

SHOWN = (
    ("conv3x3_bias_relu", "llvm"), ("softmax", "llvm"), ("softmax", "cuda"), ("layer_norm", "llvm"),
    ("decode_attention", "cuda"), ("gemv_i4", "llvm"), ("lstm", "llvm"), ("lstm", "cuda"),
    ("biquad_cascade", "llvm"), ("cumsum_blocked", "opencl"), ("argmax_rows", "llvm"), ("histogram", "llvm"),
    ("histogram", "cuda"), ("matmul", "cuda"), ("matmul_tensorcore", "cuda"), ("inverted_residual", "llvm"),
    ("row_norms", "cuda"), ("dtw", "opencl"),
)  # fmt: skip


@pytest.mark.parametrize(("name", "target"), SHOWN, ids=["-".join(case) for case in SHOWN])
def test_a_nest_reads_well(name: str, target: str, golden: Golden) -> None:
    golden(print_nest(nest_of(facts_of(name, full=True), target)).rstrip("\n"))
