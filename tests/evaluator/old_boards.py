"""Boards as other releases served them: `python -m tests.evaluator.old_boards TRACKER_PORT PROFILE`.

`silent` answers frames, and offers no second connection; `older` knows no frames. Each is a process of its
own, since what a server answers is registered for all of a process.
"""

import json
import os
import sys

from edgekernelbench.compiler.tvm.rpc import start_server
from edgekernelbench.evaluator.boards.address import LOOPBACK
from edgekernelbench.evaluator.boards.boardside import BoardSide, own_server
from edgekernelbench.evaluator.boards.wire import FRAME
from edgekernelbench.profiles.profile import profile_from_json


def main() -> None:
    tracker, profile = (LOOPBACK, int(sys.argv[1])), profile_from_json(json.loads(sys.argv[2]))
    is_older = os.fork() == 0
    key = "older" if is_older else "silent"
    side = BoardSide(profile, key, own_server(profile))
    functions = {"edgekernelbench.ask": str} if is_older else {FRAME: side.frame}
    start_server(LOOPBACK, 0, tracker=tracker, key=key, functions=functions).join()


if __name__ == "__main__":
    main()
