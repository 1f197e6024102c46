"""Python's parser is right in several threads at once."""

import gc
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from edgekernelbench.base.python_text import parse_python

THREADS = 8
PROGRAM = "\n".join(f"a{i} = f(b[{i}] + c * (d - {i}), [x for x in y])" for i in range(20))


class Yielding:
    """Lets other threads run whenever it is collected."""

    def __init__(self) -> None:
        self.me = self

    def __del__(self) -> None:
        time.sleep(0)


@pytest.fixture
def hasty() -> Iterator[None]:
    """Threads change, and garbage is collected, as often as can be."""
    interval, threshold = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(1)
    yield
    gc.set_threshold(*threshold)
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("hasty")
def test_threads_that_parse_at_once_all_get_their_tree() -> None:
    def parse(_: int) -> int:
        Yielding()
        return len(parse_python(PROGRAM).body)

    with ThreadPoolExecutor(THREADS) as pool:
        found = list(pool.map(parse, range(4 * THREADS)))

    assert found == [20] * 4 * THREADS


def test_errors_name_the_text() -> None:
    with pytest.raises(SyntaxError) as caught:
        parse_python("1 +", name="mine.py")

    assert caught.value.filename == "mine.py"
