"""Programs of a catalogue from elsewhere run in a child, and nothing that they do reaches this process."""

import os
from pathlib import Path

import pytest

from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.evaluator.foreign import check_foreign
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.scaffold import write_pattern

pytestmark = pytest.mark.needs_torch


def check(root: Path) -> tuple[str, ...]:
    names = [workload.id for workload in load_catalogue(root).workloads]
    found = check_foreign(root, names, full_size=False, progress=lambda _: None)
    return tuple(f.message for f in found)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write_pattern(tmp_path / "theirs", "family/scale_relu")
    return tmp_path / "theirs"


def begin(root: Path, lines: str) -> None:
    """Let the program of the pattern do something first."""
    (program,) = root.rglob("scale_relu.py")
    program.write_text(lines + "\n" + program.read_text(encoding="utf-8"), encoding="utf-8")


def test_a_catalogue_in_order_has_no_findings(root: Path) -> None:
    assert check(root) == ()


def test_a_program_runs_in_another_process_that_has_no_network(root: Path, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    begin(
        root,
        "import os, socket\n"
        "def reach():\n"
        "    try:\n"
        "        socket.create_connection(('127.0.0.1', 9), 1)\n"
        "    except OSError as error:\n"
        "        return type(error).__name__\n"
        f"open({str(seen)!r}, 'w').write(f'{{os.getpid()}} {{reach()}}')",
    )

    assert check(root) == ()
    process, network = seen.read_text(encoding="ascii").split()
    assert int(process) != os.getpid()
    assert network == "PermissionError"


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param("import os; os._exit(0)", id="it leaves"),
        pytest.param("import os; os.kill(os.getpid(), 11)", id="it crashes"),
        pytest.param("import os; os.closerange(3, 256); os._exit(0)", id="it closes the way back"),
    ],
)
def test_a_program_that_ends_the_child_is_named(root: Path, lines: str) -> None:
    begin(root, lines)

    with pytest.raises(CatalogueError, match="a program of the catalogue ended the process"):
        check(root)


def test_what_a_program_writes_to_standard_output_is_no_answer(
    root: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    begin(root, "print('{\"findings\": []}', flush=True)")

    assert check(root) == ()
    assert capfd.readouterr().out == ""
