"""A bundled model on this machine: its server is a child, and is asked like any other endpoint."""

import importlib
import json
import os
import select
import subprocess
import sys
from types import TracebackType
from typing import Self

from edgekernelbench.agents.models.bundled import BundledModel, bundled, has_server, weights
from edgekernelbench.base.errors import ModelError, PrerequisiteError

START_S = 60.0
STOP_S = 5.0


def spare_threads() -> int:
    """Give how many threads a server has unless somebody says: one core is left free.

    Its threads wait for each other by spinning, and all of them crawl when one has to share its core.
    """
    return max(1, len(os.sched_getaffinity(0)) - 1)


class LocalServer:
    """A model's server in a process of its own, for as long as the `with` lasts.

    In a process of its own, since its threads must not live in a parent that forks children to judge in.
    """

    def __init__(self, model: BundledModel, *, threads: int | None = None, parallel: int = 1) -> None:
        self.model = model
        self.threads = threads or spare_threads()
        self.parallel = parallel
        self.base_url = ""
        self._child: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        require(self.model)
        command = [
            sys.executable,
            "-m",
            __spec__.name,
            self.model.name,
            str(self.threads),
            str(self.parallel),
            "0",
        ]
        # The child stops when its standard input closes, so that it never outlives this process; it has a
        # session of its own, so that Ctrl-C lets the call in flight end.
        self._child = subprocess.Popen(  # noqa: S603 - our own module and numbers
            command,
            stdin=subprocess.PIPE,
            start_new_session=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.base_url = self._address(self._child)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        child = self._child
        if child is None:
            return
        self._child = None
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                pipe.close()
        try:
            child.wait(STOP_S)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()

    def _address(self, child: subprocess.Popen[str]) -> str:
        line = ""
        if child.stdout is not None and select.select([child.stdout], [], [], START_S)[0]:
            line = child.stdout.readline()
        try:
            return str(json.loads(line)["base_url"])
        except (ValueError, KeyError, TypeError):
            child.kill()
            self.__exit__(None, None, None)
            raise ModelError(f"the server of {self.model.name!r} did not start in {START_S:g} s") from None


def require(model: BundledModel) -> None:
    """Make sure that a model and its server are installed.

    Raises:
        PrerequisiteError: When something is missing, with the command that brings it.
    """
    if not has_server() or weights(model) is None:
        raise PrerequisiteError(f"the local model {model.name!r} is not installed", model.remedy)


class Server:
    """The server in this process; it runs on threads of its own until the object is gone."""

    def __init__(self, model: BundledModel, *, threads: int, parallel: int, port: int) -> None:
        require(model)
        xlc = importlib.import_module("xllamacpp")
        params = xlc.CommonParams()
        params.model.path = str(weights(model))
        params.n_ctx = model.context * parallel
        params.n_parallel = parallel
        params.verbosity = 0
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
        params.hostnames, params.port = ["127.0.0.1"], port
        params.model_alias = {model.name}
        self._server = xlc.Server(params)
        self.base_url = f"{self._server.listening_address}/v1"


def main(name: str, threads: str, parallel: str, port: str) -> None:
    """Serve one model until standard input closes; the first line out says where.

    Args:
        name: Name of a bundled model.
        threads: Threads to compute with.
        parallel: Calls at one time.
        port: 0 for a free one.
    """
    model = bundled(name)
    server = Server(model, threads=int(threads), parallel=int(parallel), port=int(port))
    sys.stdout.write(json.dumps({"base_url": server.base_url, "model": model.name}) + "\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main(*sys.argv[1:])
