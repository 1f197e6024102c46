"""What a board does in one session: keeps files, starts workers, passes tokens, says how hot it is.

It judges nothing. Workers are those of this machine's own fork server, so a kernel that crashes or hangs here
costs one worker and its deadline, as it does anywhere.
"""

import ctypes
import json
import os
import platform
import shutil
import signal
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.compiler.tvm.start import RUNTIME_ONLY
from edgekernelbench.evaluator.boards.blocks import BLOCK_BYTES, BlockStore, digests
from edgekernelbench.evaluator.environment import LATE, scratch_root, worker_cores, worker_environment
from edgekernelbench.evaluator.messages import Limits
from edgekernelbench.evaluator.supervisor import ServerLost, Supervisor, Worker
from edgekernelbench.evaluator.telemetry import read_telemetry
from edgekernelbench.evaluator.worker import BOARD
from edgekernelbench.profiles.host import cpu_name
from edgekernelbench.profiles.profile import Profile

PR_SET_PDEATHSIG = 1

Fields = dict[str, Any]


class BoardSide:
    """Answers what a host asks in one session."""

    def __init__(self, profile: Profile, key: str, server: tuple[str, ...]) -> None:
        """Start nothing yet: the process of a session is forked from the one that makes this.

        Args:
            profile: What the board is.
            key: The kind as which it is registered.
            server: Starts the fork server.
        """
        self._profile = profile
        self._key = key
        self._command = server
        self._supervisor: Supervisor | None = None
        self._folders: dict[int, Path] = {}
        self._workers: dict[int, Worker] = {}
        self._blocks = BlockStore(memory_bytes())
        self._answers: dict[str, Callable[[Fields], Fields]] = {
            "hello": self._hello,
            "folder": self._folder,
            "start": self._start,
            "token": self._token,
            "extend": self._extend,
            "kill": self._kill,
            "wait": self._wait,
            "look": self._look,
            "close": self._close,
            "lay": self._lay,
            "digests": lambda asked: {"digests": digests(self._path(asked["name"]))},
            "telemetry": lambda asked: asdict(read_telemetry(asked["cores"])),
        }

    def ask(self, text: str) -> str:
        """Answer a question.

        Args:
            text: JSON, with the kind of question under `do`.

        Returns:
            JSON: the answer; `lost`, `missing` or `full` where there is none.
        """
        fields: Fields = json.loads(text)
        try:
            return json.dumps(self._answers[fields["do"]](fields))
        except PrerequisiteError as error:
            return json.dumps({"missing": error.missing, "remedy": error.remedy})
        except ServerLost as error:
            return json.dumps({"lost": str(error)})
        except OSError as error:
            return json.dumps({"errno": error.errno, "error": error.strerror or str(error)})

    def put(self, name: str, offset: int, data: bytes) -> int:
        """Take a piece of a file.

        Args:
            name: Number of the folder, a slash, name of the file.
            offset: Where the piece begins.
            data: The piece.

        Returns:
            0, or the number of the system's error.
        """
        self._blocks.add(data)
        try:
            handle = os.open(self._path(name), os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600)
            try:
                os.pwrite(handle, data, offset)
            finally:
                os.close(handle)
        except OSError as error:
            return error.errno or -1
        return 0

    def get(self, name: str, offset: int, size: int) -> bytes:
        """Give a piece of a file; less than was asked for at its end, or where it cannot be read."""
        try:
            handle = os.open(self._path(name), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            return b""
        try:
            return os.pread(handle, size, offset)
        finally:
            os.close(handle)

    def _lay(self, fields: Fields) -> Fields:
        """Make a file of the blocks that are here; say which are missing."""
        missing = []
        handle = os.open(self._path(fields["name"]), os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        try:
            if fields["size"]:
                os.posix_fallocate(handle, 0, fields["size"])
            for number, name in enumerate(fields["digests"]):
                block = self._blocks.get(name)
                if block is None:
                    missing.append(number)
                else:
                    os.pwrite(handle, block, number * BLOCK_BYTES)
        finally:
            os.close(handle)
        return {"missing_blocks": missing}

    def _path(self, name: str) -> Path:
        number, _, file = name.partition("/")
        return self._folders[int(number)] / Path(file).name

    def _hello(self, fields: Fields) -> Fields:
        """Say what this board is; a session ends with the server that forked it."""
        del fields
        ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        return {
            "release": version("edgekernelbench"),
            "key": self._key,
            "profile": asdict(self._profile),
            "machine": platform.machine(),
            "system": f"{platform.system()} {platform.release()}",
            "name": platform.node(),
            "cpu": cpu_name(),
            "cores": len(os.sched_getaffinity(0)),
            "used": worker_cores(self._profile.threads),
            "memory_bytes": memory_bytes(),
        }

    def _server(self) -> Supervisor:
        if self._supervisor is None:
            environment = board_environment(self._profile)
            self._supervisor = Supervisor(self._command, environment, scratch_root())
        return self._supervisor

    def _folder(self, fields: Fields) -> Fields:
        del fields
        number = len(self._folders)
        self._folders[number] = self._server().folder()
        return {"folder": number}

    def _start(self, fields: Fields) -> Fields:
        limits = Limits(**{**fields["limits"], "cpus": tuple(fields["limits"]["cpus"])})
        limits = replace(limits, cpus=worker_cores(self._profile.threads))
        number = fields["folder"]
        self._workers[number] = self._server().start(
            fields["role"], fields["request"], folder=self._folders[number], limits=limits
        )
        return {}

    def _token(self, fields: Fields) -> Fields:
        worker = self._workers[fields["worker"]]
        worker.extend(fields["patience_s"])
        answer = worker.pass_token(fields["message"])
        return {"answer": answer, **_end_of(worker)}

    def _extend(self, fields: Fields) -> Fields:
        worker = self._workers[fields["worker"]]
        worker.extend(fields["patience_s"])
        return {}

    def _kill(self, fields: Fields) -> Fields:
        self._workers[fields["worker"]].kill()
        return {}

    def _wait(self, fields: Fields) -> Fields:
        worker = self._workers[fields["worker"]]
        worker.wait()
        return _end_of(worker)

    def _look(self, fields: Fields) -> Fields:
        worker = self._workers[fields["worker"]]
        return {"phase": worker.phase(), "reply": worker.reply(), "stderr": worker.stderr_tail()}

    def _close(self, fields: Fields) -> Fields:
        number = fields["folder"]
        worker = self._workers.pop(number, None)
        if worker is not None:
            worker.close()
        shutil.rmtree(self._folders[number], ignore_errors=True)
        return {}


def _end_of(worker: Worker) -> Fields:
    return {"ended": None if worker.ended is None else asdict(worker.ended)}


def memory_bytes() -> int:
    """Give the size of this machine's memory."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def own_server(profile: Profile) -> tuple[str, ...]:
    """Say what starts the fork server of a board; on a GPU each worker imports what it needs itself."""
    name = f"tvm{LATE}" if profile.target == "cuda" else BOARD
    return (sys.executable, "-m", "edgekernelbench.evaluator.worker", name)


def board_environment(profile: Profile) -> dict[str, str]:
    """List the environment of a board's workers."""
    more = {} if profile.target == "cuda" else RUNTIME_ONLY
    return worker_environment(profile.threads) | more
