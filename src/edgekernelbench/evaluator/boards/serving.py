"""The process that listens: a board's server, or a tracker.

Started by `ekb device serve` and `ekb device tracker` as
`python -m edgekernelbench.evaluator.boards.serving SETTINGS`, so that what breaks in TVM's threads ends a
process that can be started anew. Says on standard output, as JSON, on which port it listens.
"""

import ctypes
import json
import signal
import sys
from typing import Any

from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.compiler.tvm.rpc import Listener, start_server, start_tracker
from edgekernelbench.evaluator.boards.boardside import PR_SET_PDEATHSIG, BoardSide, own_server
from edgekernelbench.evaluator.boards.wire import FRAME
from edgekernelbench.profiles.profile import profile_from_json


def serve(settings: dict[str, Any]) -> Listener:
    """Start what the settings ask for.

    Args:
        settings: `host` and `port`; for a board also `tracker`, `key` and `profile`.
    """
    if "key" not in settings:
        return start_tracker(settings["host"], settings["port"])
    profile = profile_from_json(settings["profile"])
    side = BoardSide(profile, settings["key"], own_server(profile))
    host, port = settings["tracker"]
    listener = start_server(
        settings["host"],
        settings["port"],
        tracker=(host, port),
        key=settings["key"],
        functions={FRAME: side.frame},
    )
    side.listen(listener.socket)
    return listener


def main() -> None:
    """Listen until it is ended."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        listener = serve(json.loads(sys.argv[1]))
    except PrerequisiteError as error:
        print(json.dumps({"missing": error.missing, "remedy": error.remedy}), flush=True)  # noqa: T201
        return
    except OSError as error:
        print(json.dumps({"error": str(error)}), flush=True)  # noqa: T201
        return
    print(json.dumps({"port": listener.port}), flush=True)  # noqa: T201
    listener.join()


if __name__ == "__main__":
    main()
