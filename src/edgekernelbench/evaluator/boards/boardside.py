"""What a board does in one session: keeps files, starts workers, passes tokens, says how hot it is.

It judges nothing. Workers are those of this machine's own fork server, so a kernel that crashes or hangs here
costs one worker and its deadline, as it does anywhere.
"""

import ctypes
import os
import platform
import shutil
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from importlib.metadata import version
from pathlib import Path

from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.compiler.tvm.start import RUNTIME_ONLY
from edgekernelbench.evaluator.boards.channel import accept, attend, new_token
from edgekernelbench.evaluator.boards.shelf import Shelf
from edgekernelbench.evaluator.boards.wire import Bytes, Fields, decode, parts
from edgekernelbench.evaluator.environment import LATE, scratch_root, worker_cores, worker_environment
from edgekernelbench.evaluator.messages import Limits
from edgekernelbench.evaluator.ring import IDLE_S
from edgekernelbench.evaluator.supervisor import ServerLost, Supervisor, Worker
from edgekernelbench.evaluator.telemetry import read_telemetry
from edgekernelbench.evaluator.worker import BOARD
from edgekernelbench.profiles.host import cpu_name
from edgekernelbench.profiles.profile import Profile

PR_SET_PDEATHSIG = 1

Answer = Fields | tuple[Fields, Sequence[Bytes]]


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
        self._shelf = Shelf(memory_bytes())
        self._listening: socket.socket | None = None
        self._token = b""
        self._answers: dict[str, Callable[[Fields, memoryview], Answer]] = {
            "offer": self._offer,
            "attend": self._attend,
            "hello": self._hello,
            "lay": self._lay,
            "fill": self._fill,
            "start": self._start,
            "token": self._pass_token,
            "kill": self._kill,
            "wait": self._wait,
            "look": self._look,
            "fetch": self._fetch,
            "close": self._close,
            "telemetry": lambda asked, _: asdict(read_telemetry(asked["cores"])),
        }

    def listen(self, listening: socket.socket | None) -> None:
        """Say where the host of a session can make a second connection."""
        self._listening = listening

    def frame(self, frame: bytes) -> bytes:
        """Answer a frame that came by TVM's RPC."""
        return b"".join(self.answer(frame))

    def answer(self, frame: Bytes) -> Sequence[Bytes]:
        """Answer a frame.

        Args:
            frame: With the kind of question under `do`.

        Returns:
            The answer, in parts; with `lost`, `missing` or `errno` where there is none.

        Raises:
            FrameError: When it is no frame.
        """
        fields, load = decode(frame)
        try:
            answer = self._answers[fields["do"]](fields, load)
        except PrerequisiteError as error:
            answer = {"missing": error.missing, "remedy": error.remedy}
        except ServerLost as error:
            answer = {"lost": str(error)}
        except OSError as error:
            answer = {"errno": error.errno, "error": error.strerror or str(error)}
        return parts(*answer) if isinstance(answer, tuple) else parts(answer)

    def _offer(self, fields: Fields, load: memoryview) -> Fields:
        """Give the token of the second connection; nothing where there can be none."""
        del fields, load
        self._token = b"" if self._listening is None else new_token()
        return {"token": self._token.hex()}

    def _attend(self, fields: Fields, load: memoryview) -> Fields:
        """Answer at the second connection; a session ends with it."""
        del fields, load
        token, self._token = self._token, b""
        channel = accept(self._listening, token) if self._listening is not None and token else None
        if channel is not None:
            attend(channel, self.answer)
            # Said to a host that is gone, an answer would end TVM's server, which waits for this process.
            os._exit(0)
        return {"attended": False}

    def _hello(self, fields: Fields, load: memoryview) -> Fields:
        """Say what this board is; a session ends with the server that forked it."""
        del fields, load
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

    def _lay(self, fields: Fields, load: memoryview) -> Fields:
        """Lay files in a folder, a new one where none is named; say which of their pieces are missing."""
        del load
        number = fields["folder"]
        if number is None:
            number = len(self._folders)
            self._folders[number] = self._server().folder()
        try:
            return {
                "folder": number,
                "missing_pieces": self._shelf.lay(self._folders[number], fields["files"]),
            }
        except OSError:
            shutil.rmtree(self._folders[number], ignore_errors=True)
            raise

    def _fill(self, fields: Fields, load: memoryview) -> Fields:
        self._shelf.fill(fields["sizes"], load)
        return {}

    def _start(self, fields: Fields, load: memoryview) -> Fields:
        del load
        if not self._shelf.is_whole:
            raise ServerLost("pieces of a file did not arrive as they were sent")
        limits = Limits(**{**fields["limits"], "cpus": tuple(fields["limits"]["cpus"])})
        limits = replace(limits, cpus=worker_cores(self._profile.threads))
        number = fields["folder"]
        self._workers[number] = self._server().start(
            fields["role"], fields["request"], folder=self._folders[number], limits=limits
        )
        return {}

    def _pass_token(self, fields: Fields, load: memoryview) -> Fields:
        """Let a worker work; then it is idle until the token comes again."""
        del load
        worker = self._workers[fields["worker"]]
        worker.extend(fields["patience_s"])
        answer = worker.pass_token(fields["message"])
        sensed = asdict(read_telemetry(fields["sense"])) if fields["sense"] else None
        if worker.ended is None:
            worker.extend(IDLE_S)
        return {"answer": answer, "sensed": sensed, **self._state(worker, fields)}

    def _wait(self, fields: Fields, load: memoryview) -> Fields:
        del load
        worker = self._workers[fields["worker"]]
        if fields["patience_s"] is not None:
            worker.extend(fields["patience_s"])
        worker.wait()
        return self._state(worker, fields)

    def _state(self, worker: Worker, fields: Fields) -> Fields:
        """Say how a worker ended, what it said, and what is in its sheets now."""
        ended = worker.ended
        name = self._shelf.store.names
        shown = {file["name"]: name(worker.folder / file["name"], file["sizes"]) for file in fields["show"]}
        looked = {} if ended is None else _look_at(worker)
        return {"ended": None if ended is None else asdict(ended), "digests": shown, **looked}

    def _look(self, fields: Fields, load: memoryview) -> Fields:
        del load
        return _look_at(self._workers[fields["worker"]])

    def _kill(self, fields: Fields, load: memoryview) -> Fields:
        del load
        self._workers[fields["worker"]].kill()
        return {}

    def _fetch(self, fields: Fields, load: memoryview) -> Answer:
        del load
        return {}, self._shelf.fetch(self._folders[fields["folder"]], fields["wanted"])

    def _close(self, fields: Fields, load: memoryview) -> Fields:
        del load
        number = fields["folder"]
        worker = self._workers.pop(number, None)
        if worker is not None:
            worker.close()
        shutil.rmtree(self._folders[number], ignore_errors=True)
        return {}


def _look_at(worker: Worker) -> Fields:
    return {"phase": worker.phase(), "reply": worker.reply(), "stderr": worker.stderr_tail()}


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
