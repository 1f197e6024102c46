"""The programs in `examples/` run."""

import subprocess
import sys

from tests.docs.pages import ROOT


def test_from_python_prints_a_nest_a_result_and_a_refusal() -> None:
    command = [sys.executable, str(ROOT / "examples" / "from_python.py")]

    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert "for out.i:6:" in done.stdout
    assert "out = [1. 2. 3. 4. 5. 6.]" in done.stdout
    assert "wrong.kir:6:37: error[R01]" in done.stdout


def test_optimise_gemv_tells_each_step_and_what_came_of_it() -> None:
    command = [sys.executable, str(ROOT / "examples" / "optimise_gemv.py")]

    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert "start accepted\nanalyse done\n" in done.stdout
    assert "times the default lowering; the submissions are spent; text of given" in done.stdout
