"""Cells, opened and closed without an agent of any recipe."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.bench.visits.support import NEEDS_CELLS

from edgekernelbench.bench.visits.cell import CannotConfine, Cell
from edgekernelbench.bench.visits.orders import Bind, Place, Work
from edgekernelbench.bench.visits.view import HOME, TASK, confined_place

pytestmark = NEEDS_CELLS
PATH = {"PATH": "/usr/bin:/bin"}
PATIENCE_S = 30.0


def place(*hidden: Path, sees: tuple[Path, ...] = ()) -> Place:
    return confined_place([Path("/bin/sh")], sees, hidden, 1)


def said(work_place: Place, script: str, **settings: object) -> tuple[int | None, str, dict[str, bytes]]:
    with Cell(work_place) as cell:
        folder = TASK if work_place.confined else "/"
        cell.start(Work(("/bin/sh", "-c", script), PATH, folder, **settings))  # type: ignore[arg-type]
        assert cell.wait(PATIENCE_S)
        return cell.status, cell.output[0].read().decode(), cell.collected


def test_status_output_and_files_come_out_together() -> None:
    for number in range(8):  # they came in one piece, or in several
        status, output, files = said(
            place(), f"echo done; echo {number} > a.json; exit 3", collect=(f"{TASK}/*.json",)
        )
        assert (status, output, files) == (3, "done\n", {f"{TASK}/a.json": f"{number}\n".encode()})


def test_files_that_are_too_large_stay(tmp_path: Path) -> None:
    script = "head -c 2000 /dev/zero > big; echo small > small"
    assert said(place(), script, collect=(f"{TASK}/*",), collect_bytes=1000)[2] == {
        f"{TASK}/small": b"small\n"
    }


def test_what_is_hidden_in_a_folder_that_it_sees_is_empty(tmp_path: Path) -> None:
    for name in ("open", "hidden"):
        (tmp_path / "folder" / name).mkdir(parents=True)
        (tmp_path / "folder" / name / "text").write_text(f"{name}\n", encoding="utf-8")
    seen = place(tmp_path / "folder" / "hidden", sees=(tmp_path / "folder",))
    script = f"cat {tmp_path}/folder/*/text; echo x > {tmp_path}/folder/hidden/x || echo closed"
    assert said(seen, script)[1] == "open\nclosed\n"


def test_a_folder_that_is_closed_to_others_can_be_shown(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    (closed / "programs").mkdir(parents=True)
    (closed / "programs" / "text").write_text("seen\n", encoding="utf-8")
    closed.chmod(0o700)
    assert (
        said(place(sees=(closed / "programs",)), f"cat {closed}/programs/text; ls {closed}")[1]
        == "seen\nprograms\n"
    )


def test_processes_are_limited() -> None:
    script = "for i in 1 2 3 4 5 6 7 8 9; do sleep 5 & done 2>/dev/null; echo not reached; "
    status, output, _ = said(place(), script, processes=4)
    assert status != 0
    assert output == ""


def test_two_cells_share_nothing() -> None:
    with Cell(place()) as one, Cell(place()) as other:
        for cell in (one, other):
            script = f"echo mine >> {TASK}/a; cat {TASK}/a; ls {HOME}; ls /proc | grep -c '^[0-9]'"
            cell.start(Work(("/bin/sh", "-c", script), PATH, TASK))
        for cell in (one, other):
            assert cell.wait(PATIENCE_S)
            assert cell.output[0].read().decode().splitlines()[0] == "mine"


def test_what_cannot_be_shown_is_said() -> None:
    with pytest.raises(CannotConfine, match="No such file or directory"):
        Cell(Place(confined=True, binds=(Bind("/no/such/folder", "/x"),)))


def test_a_program_that_is_not_there_ends_with_127() -> None:
    with Cell(place()) as cell:
        cell.start(Work(("/no/program",), PATH, TASK))
        assert cell.wait(PATIENCE_S)
        assert cell.status == 127
        assert b"cannot start /no/program" in cell.output[1].read()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else to try it")
def test_who_is_not_root_can_make_one_as_well(tmp_path: Path) -> None:
    python = Path("/usr/bin/python3")
    version = [str(python), "-c", "import sys; sys.exit(sys.version_info < (3, 11))"]
    if not python.exists() or subprocess.run(version, check=False).returncode:
        pytest.skip("there is no Python 3.11 that another user could start")
    source = Path(sys.modules["edgekernelbench"].__file__ or "").parents[1]
    code = (
        "from edgekernelbench.bench.visits.cell import Cell\n"
        "from edgekernelbench.bench.visits.orders import Bind, Place, Work\n"
        "links = {f'/{n}': f'usr/{n}' for n in ('bin', 'lib', 'lib64')}\n"
        "seen = (Bind('/usr', '/usr'), Bind('/dev/null', '/dev/null', True))\n"
        "place = Place(True, seen, links=links, rooms={'/task': 1 << 20})\n"
        "with Cell(place) as cell:\n"
        "    cell.start(Work(('/bin/sh', '-c', 'id -u; ls /'), {'PATH': '/usr/bin'}, '/task'))\n"
        "    print(cell.wait(30), cell.status, cell.output[0].read().decode().split())\n"
    )
    words = ["setpriv", "--reuid=4321", "--regid=4321", "--clear-groups", str(python), "-B", "-c", code]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(source)}
    done = subprocess.run(
        words, env=environment, capture_output=True, text=True, cwd="/", timeout=60, check=False
    )
    if "Permission denied" in done.stderr or "No module named 'edgekernelbench'" in done.stderr:
        pytest.skip("another user cannot read this checkout")
    expected = ["1000", "bin", "dev", "lib", "lib64", "proc", "task", "usr"]
    assert done.stdout == f"True 0 {expected}\n", done.stderr
