"""One attempt of an agent that comes from elsewhere, as a run of its own.

The run goes on in a thread of its own and waits at the counter; whoever serves the counter has the main
thread, where signals arrive.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from queue import SimpleQueue
from threading import Event

from edgekernelbench.agents.hosted import Counter
from edgekernelbench.bench.run import Surroundings, continue_run
from edgekernelbench.records.store import RunFolder


def host_run(folder: RunFolder, serve: Callable[[Counter], None], around: Surroundings) -> None:
    """Let one agent come, then judge what it leaves.

    Args:
        folder: A new run with one attempt of an agent of the kind `mcp`.
        serve: Serves the counter; returns when the agent has left.
        around: Who watches.

    Raises:
        EkbError: When the run cannot begin or go on, or the counter cannot be served.
    """
    opened: SimpleQueue[Counter | None] = SimpleQueue()
    left = Event()

    def host(counter: Counter) -> None:
        opened.put(counter)
        left.wait()

    with ThreadPoolExecutor(1, thread_name_prefix="run") as pool:
        run = pool.submit(continue_run, folder, replace(around, host=host))
        run.add_done_callback(lambda _: opened.put(None))
        try:
            counter = opened.get()
            if counter is not None:
                serve(counter)
        finally:
            left.set()
        run.result()
