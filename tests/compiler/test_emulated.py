"""An emulated board runs what was compiled for it, or the script says what brings one."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "emulated.py"


@pytest.mark.slow
@pytest.mark.needs_tvm
def test_a_kernel_for_another_machine_is_right_under_an_emulator() -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "norm/softmax_q8", "linear/matmul_q8"],
        capture_output=True,
        text=True,
        check=False,
    )
    if all(map(shutil.which, ("qemu-aarch64", "aarch64-linux-gnu-gcc"))):
        assert done.returncode == 0, done.stdout + done.stderr
        assert "2 patterns, 8 kernels, 0 not correct" in done.stdout
    else:
        assert done.returncode == 3
        assert "apt-get install qemu-user gcc-aarch64-linux-gnu" in done.stderr
