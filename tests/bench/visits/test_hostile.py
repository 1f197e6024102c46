"""Agents that mean no good, each in a cell of its own, as real processes."""

import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import pytest
from tests.bench.visits.support import NEEDS_CELLS, REFUSED, TASK, Held

from edgekernelbench.bench.feedback import NothingLearnt
from edgekernelbench.bench.visits.listening import FLOOD_BYTES

GOOD = "echo 'def k(x): x' > k.kir; ekb measure k.kir"
SECOND = 1.0


@pytest.fixture
def held(tmp_path: Path) -> Held:
    if REFUSED:
        pytest.skip(f"this machine cannot confine agents: {REFUSED}")
    return Held(tmp_path / "run")


@pytest.fixture
def loose(tmp_path: Path) -> Held:
    return Held(tmp_path / "run")


def alive(mark: str) -> list[int]:
    """Find processes of this machine by a word of their command line."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdecimal():
            try:
                words = (process / "cmdline").read_bytes().split(b"\0")
            except OSError:
                continue
            if mark.encode() in words:
                found.append(int(process.name))
    return found


def gone(mark: str) -> bool:
    """Whether processes with a word are gone, at the latest in a few seconds."""
    until = time.monotonic() + 5
    while alive(mark):
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def test_what_it_measured_best_is_its_answer(held: Held) -> None:
    script = "echo 'def k(): x' > a; echo 'def k(): xxx' > b; ekb measure b; ekb measure a; echo bye"
    answer = held.visit(script)
    assert (answer.source, answer.note) == ("def k(): xxx\n", "the best that was measured")
    visit = answer.visit
    assert visit is not None
    assert (visit.confined, visit.end, visit.status, visit.canaries) == (True, "left", 0, ())
    assert "correct; 4.0 times as fast" in answer.log
    assert answer.log.index("left: 2 submissions") < answer.log.index("left: 1 submission\n")


def test_it_finds_its_task_and_no_file_of_the_package_the_run_or_another_user(held: Held) -> None:
    script = (
        "ls /task; cat TASK.md; ls -A /root /home /tmp; find / -name 'edgekernelbench' -o -name '*.jsonl'"
    )
    (held.run.parent / "secret.txt").write_text("a secret", encoding="utf-8")
    log = held.visit(f"{script}; cat {held.run.parent}/secret.txt; ekb budget").log
    assert "the card of this test" in log
    assert "secret.txt: No such file" in log
    listed = [line for line in log.splitlines() if line.startswith("/") and "proc" not in line]
    assert [line for line in listed if not line.endswith((":", "judgements.jsonl", "edgekernelbench"))] == []


def test_who_opens_a_canary_is_noted_and_has_read_no_answer(held: Held) -> None:
    answer = held.visit(f"cat $(find / -name gemv.kir 2>/dev/null); {GOOD}")
    assert answer.visit is not None
    assert answer.visit.canaries == ("the canonical text", "said")
    assert "with compute" not in answer.log


def test_a_canary_in_a_text_is_noted(held: Held) -> None:
    script = "(echo 'def k():'; cat $(find / -name judgements.jsonl 2>/dev/null)) > k; ekb check k >/dev/null"
    answer = held.visit(script)
    assert answer.visit is not None
    assert answer.visit.canaries == ("the run's records", "said")


def test_there_is_no_network_but_its_doors(held: Held) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        script = f"""python3 - <<'END'
import socket
for family, address in ((socket.AF_INET, ("127.0.0.1", {port})), (socket.AF_INET, ("1.1.1.1", 53)),
                        (socket.AF_VSOCK, (2, 1)), (socket.AF_PACKET, None)):
    try:
        with socket.socket(family, socket.SOCK_STREAM) as one:
            one.settimeout(2)
            one.connect(address)
        print("reached", address)
    except OSError as error:
        print("no way:", error.strerror)
END
{GOOD}"""
        answer = held.visit(script)
    assert "reached" not in answer.log
    ways = [line for line in answer.log.splitlines() if line.startswith("no way")]
    assert [line.partition(": ")[2] for line in ways] == [
        "Connection refused",
        "Network is unreachable",
        "Permission denied",
        "Permission denied",
    ]
    assert answer.source.startswith("def")


def test_what_it_leaves_running_ends_with_it(held: Held) -> None:
    mark = f"98765.{os.getpid()}"
    answer = held.visit(f"(setsid sleep {mark} &) ; nohup sleep {mark} >/dev/null 2>&1 & {GOOD}")
    assert answer.source.startswith("def")
    assert gone(mark)


@NEEDS_CELLS
def test_a_cell_ends_with_the_run_however_that_ends(tmp_path: Path) -> None:
    mark = f"98764.{os.getpid()}"
    code = (
        "import sys; from pathlib import Path; from tests.bench.visits.support import Held;"
        f"Held(Path(sys.argv[1])).visit('setsid sleep {mark}; sleep {mark}')"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "run")]) as run:
        until = time.monotonic() + 30
        while not alive(mark) and time.monotonic() < until:
            time.sleep(0.05)
        assert alive(mark)
        run.kill()
    assert gone(mark)


def test_who_writes_without_end_is_ended_and_little_of_it_is_kept(held: Held) -> None:
    answer = held.visit(f"{GOOD}; yes 'this is what I think'; {GOOD}")
    assert answer.visit is not None
    assert answer.visit.end == "flooded"
    assert len(answer.log) < FLOOD_BYTES / 16
    assert answer.source.startswith("def")


def test_who_leaves_at_once_has_made_an_attempt(held: Held) -> None:
    answer = held.visit("exit 0")
    assert (answer.source, answer.note) == ("", "no text was accepted")


def test_who_fails_before_it_asks_for_anything_was_set_up_wrongly(held: Held) -> None:
    with pytest.raises(
        NothingLearnt, match="ended with status 3 before it asked for anything: no such model"
    ):
        held.visit("echo no such model >&2; exit 3")


def test_who_fails_later_has_made_an_attempt(held: Held) -> None:
    answer = held.visit(f"{GOOD}; kill -SEGV $$")
    assert answer.visit is not None
    assert (answer.visit.status, answer.visit.end) == (-11, "left")
    assert answer.source.startswith("def")


def test_who_is_not_heard_of_is_ended(held: Held) -> None:
    mark = f"98763.{os.getpid()}"
    answer = held.visit(f"{GOOD}; sleep {mark}", idle_s=SECOND)
    assert answer.visit is not None
    assert (answer.visit.end, answer.visit.status) == ("idle", None)
    assert answer.source.startswith("def")
    assert gone(mark)


def test_who_goes_on_for_ever_is_ended(held: Held) -> None:
    answer = held.visit(f"{GOOD}; while true; do echo still here; sleep 0.1; done", wall_s=2 * SECOND)
    assert answer.visit is not None
    assert answer.visit.end == "wall"
    assert answer.source.startswith("def")


def test_it_can_kill_nobody_but_itself(held: Held) -> None:
    answer = held.visit(f"{GOOD}; kill -9 1; kill -9 $PPID; ekb budget; kill -9 -1")
    assert "2 submissions" in answer.log
    assert answer.visit is not None
    assert answer.visit.end == "left"
    assert answer.source.startswith("def")


def test_it_fills_its_own_room_and_no_disk(held: Held) -> None:
    script = (
        "dd if=/dev/zero of=/task/big bs=1M count=2000 2>&1; rm big; echo x > /usr/x; echo x > /x; " + GOOD
    )
    answer = held.visit(script)
    assert answer.source.startswith("def")
    assert "Read-only file system" in answer.log
    assert any(word in answer.log for word in ("No space left", "File size limit exceeded", "File too large"))


def test_what_it_prints_or_writes_beside_its_doors_is_no_answer(held: Held) -> None:
    script = """
    echo 'def forged(): xxxxxxxx' > answer.kir; echo '{"text": "correct; 99 times as fast", "good": true}'
    python3 - <<'END'
import os, urllib.error, urllib.request
for path, token in (("measure", "a guess"), ("measure", ""), ("answer", os.environ["EKB_TOKEN"])):
    asked = urllib.request.Request(os.environ["EKB_DOOR"] + "/" + path, b"def forged(): xxxx",
                                   {"Authorization": f"Bearer {token}"})
    try:
        print(urllib.request.urlopen(asked).status)
    except urllib.error.HTTPError as error:
        print(error.code)
END
    echo 'def real(): x' > k; ekb check k"""
    answer = held.visit(script)
    assert answer.log.splitlines()[1:4] == ["401", "401", "404"]
    assert (answer.source, held.ledger.submissions) == ("def real(): x\n", 0)
    assert "forged" not in "".join(held.told)


def test_asking_many_times_at_once_buys_no_more_measurements(held: Held) -> None:
    script = 'for i in 1 2 3 4 5 6 7; do echo "def k$i(): x" > k$i; ekb measure k$i & done; wait'
    answer = held.visit(script)
    assert held.ledger.submissions == len(held.told) == 3
    assert answer.log.count("not measured: the budget of 3 submissions is used up") == 4


def test_a_thousand_open_connections_do_not_close_the_door(held: Held) -> None:
    script = f"""python3 - <<'END'
import os, socket, subprocess
port = int(os.environ["EKB_DOOR"].rpartition(":")[2])
kept = [socket.create_connection(("127.0.0.1", port)) for _ in range(40)]
for one in kept:
    one.close()
END
sleep 0.3; {GOOD}"""
    assert held.visit(script).source.startswith("def")


@pytest.mark.parametrize("trick", ["ln -s /etc/passwd", "mkfifo", "mkdir"])
def test_a_transcript_that_is_no_file_is_none(held: Held, trick: str) -> None:
    reading = {"form": "mini-swe-agent", "file": "$home/trajectory.json"}
    answer = held.visit(f"{trick} $HOME/trajectory.json; ekb budget", reading=reading)
    assert answer.visit is not None
    assert answer.visit.steps is None
    assert "agent:x" not in answer.log


def test_it_has_no_keys_and_no_settings_of_who_started_it(
    held: Held, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "a-key-of-this-test")
    answer = held.visit("env; cat /proc/1/environ; strings /proc/*/environ; ekb budget")
    assert "a-key-of-this-test" not in answer.log
    assert "HOME=/home/agent" in answer.log


def test_it_gains_no_rights(held: Held) -> None:
    script = "grep -E 'CapEff|NoNewPrivs' /proc/self/status; unshare -Ur true; id -u; ekb budget"
    log = held.visit(script).log
    assert "CapEff:\t0000000000000000" in log
    assert "NoNewPrivs:\t1" in log
    assert "unshare failed" in log
    assert "1000" in log.splitlines()


def test_unconfined_it_is_marked_and_still_ends_with_all_it_started(loose: Held) -> None:
    mark = f"98762.{os.getpid()}"
    answer = loose.visit(f"(setsid sleep {mark} &) ; {GOOD}; ls {loose.run.parent}", confined=False)
    assert answer.visit is not None
    assert answer.visit.confined is False
    assert answer.source.startswith("def")
    assert gone(mark)


def test_unconfined_who_opens_the_canonical_text_is_noted(loose: Held) -> None:
    canonical = loose.run / "data" / f"{TASK.workload.partition('@')[0]}.kir"
    canonical.parent.mkdir(parents=True)
    canonical.write_text("def gemv(): the answer\n", encoding="utf-8")
    honest = loose.visit(GOOD, confined=False).visit
    thief = loose.visit(f"cat {canonical} > k; ekb measure k", confined=False).visit
    assert honest is not None
    assert thief is not None
    assert (honest.canaries, thief.canaries) == ((), ("the canonical text",))


def test_an_interrupted_run_ends_its_agents_and_learns_nothing(held: Held) -> None:
    mark = f"98761.{os.getpid()}"
    visitor = held.visitor(f"{GOOD}; setsid sleep {mark}")

    def interrupt() -> None:
        until = time.monotonic() + 30
        while not alive(mark) and time.monotonic() < until:
            time.sleep(0.05)
        visitor.stopping.set()

    thread = Thread(target=interrupt)
    thread.start()
    with pytest.raises(NothingLearnt, match="the run was interrupted"):
        visitor.solve(TASK, held.doors())
    thread.join()
    assert gone(mark)


def test_who_had_no_server_and_asked_for_nothing_is_made_again(held: Held) -> None:
    start = '{"type": "system", "subtype": "init", "mcp_servers": [{"name": "ekb", "status": "failed"}]}'
    with pytest.raises(NothingLearnt, match="set up wrongly: it did not reach its server ekb"):
        held.visit(f"echo '{start}'", reading={"form": "claude-stream-json"})
    answer = held.visit(f"echo '{start}'; {GOOD}", reading={"form": "claude-stream-json"})
    assert answer.source.startswith("def")
