"""Which launches read what they write: the pointers of those are not `restrict`.

With `restrict` NVIDIA's compilers take a value that another thread, or an earlier iteration, has written for
one that never changes: they load it before a barrier, or through the cache that is not coherent (seen with
CUDA 13.0 and NVIDIA's OpenCL: `avg[t - 1] if t > 0 else mean` inside a loop over `t`).
"""

from collections import defaultdict
from collections.abc import Iterator

from edgekernelbench.compiler.gpu.barriers import NOBODY, Mapped, enter
from edgekernelbench.compiler.gpu.plan import Launch
from edgekernelbench.compiler.rewrite import expressions
from edgekernelbench.ir.expr import Expr, Read
from edgekernelbench.ir.walk import walk
from edgekernelbench.nest.marks import THREADS
from edgekernelbench.nest.tree import Loop, Stmt, Store, Update, inner

Place = tuple[Mapped, tuple[Expr, ...]]
"""The thread loops round an access, and its indices."""


def reads_back(launch: Launch) -> bool:
    """Say whether a launch reads global memory that it writes, other than a thread its own element."""
    given = {buffer.name for buffer in launch.buffers}
    written: defaultdict[str, set[Place]] = defaultdict(set)
    read: defaultdict[str, set[Place]] = defaultdict(set)
    for buffer, place, writes in _accesses(launch.body, NOBODY):
        (written if writes else read)[buffer].add(place)
    both = given & written.keys() & read.keys()
    return any(len(written[name] | read[name]) > 1 for name in both)


def _accesses(body: tuple[Stmt, ...], mapped: Mapped) -> Iterator[tuple[str, Place, bool]]:
    for stmt in body:
        for expr in expressions(stmt):
            for node in walk(expr):
                if isinstance(node, Read):
                    yield node.tensor, (mapped, node.indices), False
        if isinstance(stmt, Store | Update):
            yield stmt.buffer, (mapped, stmt.indices), True
        if isinstance(stmt, Update):
            yield stmt.buffer, (mapped, stmt.indices), False
            if stmt.best:
                yield stmt.best, (mapped, stmt.indices), True
                yield stmt.best, (mapped, stmt.indices), False
        inside = enter(stmt, mapped) if isinstance(stmt, Loop) and stmt.mark in THREADS else mapped
        yield from _accesses(inner(stmt), inside)
