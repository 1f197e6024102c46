"""The way to a board, for real: what goes over it, and what happens when it is barred, cut, old or full."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import pytest
from tests.evaluator.loopback import PATIENCE_S, address, boards, describe_once, free, tracker
from tests.evaluator.tunnel import Tunnel, tunnel
from tests.tiny import make_catalogue

from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.compiler.tvm.rpc import told_address
from edgekernelbench.compiler.tvm.start import RUNTIME_ONLY
from edgekernelbench.evaluator.boards.address import LOOPBACK, parse_address
from edgekernelbench.evaluator.boards.cargo import Cargo, Shipment
from edgekernelbench.evaluator.boards.hosting import SERVING, BoardPlan
from edgekernelbench.evaluator.boards.line import Line
from edgekernelbench.evaluator.boards.pieces import PIECE_BYTES, cut
from edgekernelbench.evaluator.boards.place import Board
from edgekernelbench.evaluator.boards.wire import BoardLost
from edgekernelbench.evaluator.environment import worker_environment
from edgekernelbench.evaluator.exam import choose_inputs
from edgekernelbench.evaluator.judge import Judge
from edgekernelbench.evaluator.submission import Submission
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.records.outcome import Cause, Correct, Unjudged
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.schema import Workload

pytestmark = pytest.mark.needs_tvm

KEY = "reached"
LARGE = 8 * PIECE_BYTES


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with tracker() as found:
        yield found


@pytest.fixture(scope="module")
def passage(port: int) -> Iterator[Tunnel]:
    with boards(port, KEY), tunnel(port) as made:
        yield made


@pytest.fixture
def way(port: int, passage: Tunnel) -> Iterator[Tunnel]:
    _await_free(port, KEY)
    yield passage
    passage.is_barred, passage.cut_after = False, None


def _await_free(port: int, key: str) -> None:
    until = time.monotonic() + PATIENCE_S
    while not free(port, key):
        assert time.monotonic() < until, f"no board {key} is free"
        time.sleep(0.02)


def _line(port: int, key: str = KEY) -> Line:
    return Line(parse_address(address(port, key)))


def _bring(line: Line, folder: Path, cargo: Cargo | None = None) -> Shipment:
    shipment = Shipment(cargo or Cargo(line), folder)
    shipment.bring({"file": cut((folder / "file").stat().st_size)})
    return shipment


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "file").write_bytes(os.urandom(LARGE))
    return tmp_path


def _workload(tmp_path: Path) -> Workload:
    return load_catalogue(make_catalogue(tmp_path)).workload("tiny/row_sum@r4-n12-f32")


def _submission(workload: Workload, note: str = "") -> Submission:
    text = print_kernel(workload.kernel()).replace('"""', f'"""{note}', 1)
    return Submission(workload, text, choose_inputs(b"secret", workload))


def test_a_tunnel_of_one_port_is_enough_and_nothing_goes_over_it_twice(way: Tunnel, folder: Path) -> None:
    with _line(way.port) as line:
        assert line.is_short
        cargo, before = Cargo(line), line.traffic.sent
        _bring(line, folder, cargo)
        first = line.traffic.sent - before
        _bring(line, folder, cargo)
        second = line.traffic.sent - before - first

    assert LARGE < first < LARGE + 10_000
    assert second < 10_000


def test_where_the_second_connection_is_barred_all_goes_by_tvm(way: Tunnel, folder: Path) -> None:
    way.is_barred = True
    with _line(way.port) as line:
        assert not line.is_short
        assert line.ask({"do": "hello"})["key"] == KEY
        before = line.traffic.sent
        _bring(line, folder)
        assert LARGE < line.traffic.sent - before < LARGE + 10_000


def test_a_connection_that_is_cut_in_the_middle_of_a_file_loses_the_board_and_frees_it(
    way: Tunnel, port: int, folder: Path
) -> None:
    way.cut_after = LARGE // 2
    with _line(way.port) as line:
        with pytest.raises(BoardLost, match="does not answer any more"):
            _bring(line, folder)
        assert way.cut.is_set()
        assert line.lost
        with pytest.raises(BoardLost, match="lost before"):
            line.ask({"do": "hello"})
    _await_free(port, KEY)


def test_inputs_go_there_once_and_each_output_comes_back_once(way: Tunnel) -> None:
    workload = load_catalogue().workload("norm/softmax@r591-n197-f32")
    board = Board(parse_address(address(way.port, KEY)))
    with Judge(board.profile, place=board) as judge:
        before = board.traffic
        first = judge.judge(_submission(workload))
        between = board.traffic
        judge.judge(_submission(workload, "another text; "))
        after = board.traffic

    assert first.outcome == Correct(())
    papers, array = len(first.margins), 591 * 197 * 4
    # Poison of both runs is the same for all papers.
    assert abs(between.sent - before.sent - (papers + 2) * array) < 200_000
    assert abs(between.received - before.received - papers * array) < 100_000
    # The second text leaves the same bytes as the first.
    assert after.sent - between.sent < 100_000
    assert after.received - between.received < 100_000
    assert after.trips - between.trips <= 7


def test_a_board_whose_server_offers_no_second_connection_is_reached_by_tvm(
    old_boards: int, folder: Path
) -> None:
    with _line(old_boards, "silent") as line:
        assert not line.is_short
        _bring(line, folder)
    _await_free(old_boards, "silent")


def test_a_board_of_another_release_is_told_apart(old_boards: int) -> None:
    with pytest.raises(PrerequisiteError, match="speaks the language of another release") as caught:
        _line(old_boards, "older")
    assert caught.value.remedy == "install the same release on both"


@pytest.fixture(scope="module")
def old_boards(port: int) -> Iterator[int]:
    profile = json.dumps(asdict(describe_once("llvm")))
    command = [sys.executable, "-m", "tests.evaluator.old_boards", str(port), profile]
    with _process(command):
        for key in ("silent", "older"):
            _await_free(port, key)
        yield port


def test_a_full_disk_of_a_board_is_no_fault_of_a_kernel(port: int, tmp_path: Path) -> None:
    if shutil.which("unshare") is None or subprocess.run(IN_SMALL_ROOM, check=False).returncode:
        pytest.skip("a disk of 3 MB needs `unshare --map-root-user --mount` and the right to mount")
    plan = BoardPlan(describe_once("llvm"), "full", LOOPBACK, 0, (LOOPBACK, port))
    with _process([*IN_SMALL_ROOM, sys.executable, "-m", SERVING, json.dumps(plan.settings())]):
        _await_free(port, "full")
        board = Board(parse_address(address(port, "full")))
        with Judge(board.profile, place=board) as judge:
            large = load_catalogue().workload("norm/softmax@r591-n197-f32")
            full = judge.judge(_submission(large)).outcome
            after = judge.judge(_submission(_workload(tmp_path))).outcome

    assert isinstance(full, Unjudged)
    assert full.cause is Cause.DISK
    assert after == Correct(())


IN_SMALL_ROOM = (
    *("unshare", "--map-root-user", "--mount", "sh", "-c"),
    'mount -t tmpfs -o size=3m none /dev/shm && export TMPDIR=/dev/shm && "$@"',
    "room",
)


@contextmanager
def _process(command: list[str]) -> Iterator[None]:
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        env={**os.environ, **worker_environment(1), **RUNTIME_ONLY},
        process_group=0,
    )
    try:
        yield
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.mark.parametrize(("host", "told"), [("0.0.0.0", None), ("::", None), ("10.0.0.2", "10.0.0.2")])  # noqa: S104
def test_a_server_on_all_addresses_is_registered_as_the_tracker_sees_it(host: str, told: str | None) -> None:
    assert told_address(host) == told
