"""Python's parser is right in several threads at once."""

import gc
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from edgekernelbench.lang.python_text import parse_python

THREADS, TIMES, LINES = 8, 40, 20
PROGRAM = "\n".join(
    f"with b:\n    with c:\n        a{i} = f(b[{i}] + c * (d - {i}), [x for x in y])" for i in range(LINES)
)


def let_others_run(phase: str, info: dict[str, int]) -> None:
    """What collecting garbage may do anywhere, also in the midst of the parser."""
    time.sleep(0)


@pytest.fixture
def hasty() -> Iterator[None]:
    """Garbage is collected, and threads change, as often as can be."""
    interval, threshold = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(1)
    gc.callbacks.append(let_others_run)
    yield
    gc.callbacks.remove(let_others_run)
    gc.set_threshold(*threshold)
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("hasty")
def test_threads_that_parse_at_once_all_get_their_tree() -> None:
    def parse(_: int) -> set[int]:
        return {len(parse_python(PROGRAM).body) for _ in range(TIMES)}

    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(parse, range(THREADS)))

    assert found == [{LINES}] * THREADS


def test_errors_name_the_text() -> None:
    with pytest.raises(SyntaxError) as caught:
        parse_python("1 +", name="mine.py")

    assert caught.value.filename == "mine.py"
