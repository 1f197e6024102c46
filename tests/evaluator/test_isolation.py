"""What a worker can do to this machine: nothing that reaches the next one, and nothing beyond it."""

import errno
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.tiny import make_catalogue

from edgekernelbench.evaluator.messages import Limits
from edgekernelbench.evaluator.supervisor import Supervisor

LIMITS = Limits(deadline_s=20.0, memory_bytes=1 << 30, file_bytes=16 << 20, files=64)
FAKE_SERVER = Path(__file__).parent / "cheats" / "fake_server.py"


def reply_of(supervisor: Supervisor, role: str, limits: Limits = LIMITS) -> dict[str, object]:
    with supervisor.start(role, {}, folder=supervisor.folder(), limits=limits) as worker:
        worker.wait()
        reply = worker.reply()
        assert reply is not None, worker.stderr_tail()
        return reply


def test_a_worker_has_no_network_and_neither_has_what_it_starts(supervisor: Supervisor) -> None:
    reply = reply_of(supervisor, "tell_network")

    refused = errno.EACCES
    assert {name: reply[name] for name in ("inet", "inet6", "netlink")} == dict.fromkeys(
        ("inet", "inet6", "netlink"), refused
    )
    assert (reply["unix"], reply["child"]) == (0, str(refused))


def test_a_worker_that_runs_kernels_on_a_board_may_reach_it(supervisor: Supervisor) -> None:
    reply = reply_of(supervisor, "tell_network", replace(LIMITS, network=True))

    assert (reply["inet"], reply["child"]) == (0, "")


def test_the_system_ends_a_worker_before_the_judge_when_memory_runs_out(supervisor: Supervisor) -> None:
    assert reply_of(supervisor, "tell_oom_score")["score"] == "1000"


@pytest.fixture
def memory_group() -> Iterator[Path]:
    """A control group with 256 MiB of memory; where none can be made, the test says so and is left out."""
    for root, limit in (("memory", "memory.limit_in_bytes"), ("", "memory.max")):
        group = Path("/sys/fs/cgroup") / root / f"ekb-test-{os.getpid()}"
        try:
            group.mkdir()
            (group / limit).write_text(str(256 << 20), encoding="ascii")
        except OSError:
            if group.is_dir():
                group.rmdir()
            continue
        yield group
        group.rmdir()
        return
    pytest.skip("no control group for memory can be made here: it takes root, or a delegated group")


def test_a_worker_that_the_system_ends_for_its_memory_leaves_the_server_alone(
    tmp_path: Path, memory_group: Path
) -> None:
    environment = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    with Supervisor([sys.executable, str(FAKE_SERVER)], environment, tmp_path) as supervisor:
        reply_of(supervisor, "answer")
        (memory_group / "cgroup.procs").write_text(str(supervisor.pid), encoding="ascii")
        boundless = replace(LIMITS, memory_bytes=1 << 40)
        with supervisor.start("eat_memory", {}, folder=supervisor.folder(), limits=boundless) as worker:
            ended = worker.wait()

        assert (ended.signal, ended.timed_out) == (9, False)
        assert reply_of(supervisor, "answer")["said"] == "hello"


ON_A_FULL_DISK = """
import json, sys
from pathlib import Path
from edgekernelbench.evaluator.exam import choose_inputs
from edgekernelbench.evaluator.judge import Judge
from edgekernelbench.evaluator.submission import Submission
from edgekernelbench.metrics.failures import failure_kind
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.workloads.catalogue import load_catalogue

workload = load_catalogue(Path(sys.argv[1])).workload("tiny/scale@n12-f32")
text = "def right(x: f32[12], w: const[f32[12]]):\\n    with compute:\\n"
text += "        out[i]: f32[12] = x[i] * w[i]\\n        return out\\n"
submission = Submission(workload, text, choose_inputs(b"s", workload))
scratch = Path(sys.argv[3])
found = []
with Judge(load_profile("llvm"), compiler="null", server=[sys.executable, sys.argv[2]]) as judge:
    for filler in (0, 1 << 20, 0):
        path = scratch / "filler"
        if filler:
            with path.open("wb", buffering=0) as stream:
                try:
                    while True:
                        stream.write(bytes(4096))
                except OSError:
                    pass
        elif path.exists():
            path.unlink()
        found.append(failure_kind(judge.judge(submission).outcome))
print(json.dumps({"found": found, "left": sorted(p.name for p in scratch.iterdir())}))
"""


def test_a_full_disk_leaves_kernels_unjudged_until_there_is_room_again(tmp_path: Path) -> None:
    catalogue, scratch = make_catalogue(tmp_path / "catalogue"), tmp_path / "scratch"
    scratch.mkdir()
    program = tmp_path / "program.py"
    program.write_text(ON_A_FULL_DISK, encoding="utf-8")
    small = "mount -t tmpfs -o size=1m none"
    mount = f'{small} {scratch} && {small} /dev/shm && exec "$@"'
    namespace = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"])]
    inside = [*namespace, "sh", "-c", mount, "sh"]
    if subprocess.run([*inside, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here: it takes root, or a namespace of users")
    dishonest = FAKE_SERVER.with_name("dishonest.py")
    done = subprocess.run(
        [*inside, sys.executable, *map(str, (program, catalogue, dishonest, scratch))],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"TMPDIR": str(scratch)},
    )

    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["found"] == ["correct", "unjudged disk", "correct"]
    assert said["left"] == []
