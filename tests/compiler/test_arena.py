from tests.compiler.hand import lit, loops, param, places, read, work

from edgekernelbench.compiler.arena import Slot, plan_arena
from edgekernelbench.nest.tree import Allocate, Buffer, Mark, Stmt, Store

GIVEN = param("given", 64)


def copy(source: Buffer, target: Buffer, *, mark: Mark = Mark.SERIAL) -> Stmt:
    var = f"{target.name}.i"
    return loops([(var, 64, mark)], Store(target.name, places(var), read(source, var).expr))


def test_buffers_that_are_never_alive_together_share_bytes() -> None:
    a, b, c = (work(name, 64) for name in "abc")
    out = work("out", 64)
    body = (Allocate((a, b, c, out), (copy(GIVEN, a), copy(a, b), copy(b, c), copy(c, out))),)
    arena = plan_arena(body, 0)
    assert arena.run_bytes == 2 * 256
    assert arena.slots["a"].offset == arena.slots["c"].offset
    assert not arena.slots["a"].alone


def test_a_buffer_used_in_a_loop_that_it_outlives_lasts_as_long_as_the_loop() -> None:
    kept, inner = work("kept", 64), work("inner", 64)
    loop = loops([("t", 3)], copy(GIVEN, inner), copy(kept, inner), copy(inner, kept))
    arena = plan_arena((Allocate((kept, inner), (copy(GIVEN, kept), loop)),), 0)
    assert arena.run_bytes == 2 * 256
    assert arena.slots["kept"].alone


def test_each_thread_has_its_own_area() -> None:
    tile = work("tile", 64)
    body = (loops([("i", 8, Mark.PARALLEL)], Allocate((tile,), (copy(GIVEN, tile),))),)
    arena = plan_arena(body, 0)
    assert (arena.run_bytes, arena.thread_bytes, arena.total(4)) == (0, 256, 1024)


def test_small_local_buffers_stay_on_the_stack() -> None:
    tile, large = work("tile", 64, scope="local"), work("large", 4096, scope="local")
    body = (Allocate((tile, large), (copy(GIVEN, tile), copy(GIVEN, large))),)
    arena = plan_arena(body, 1024)
    assert arena.slots["tile"] == Slot("stack")
    assert arena.slots["large"].area == "run"
    assert arena.stack_bytes == 256


def test_alignment_is_kept_when_a_hole_is_filled() -> None:
    a, b = work("a", 10), Buffer("b", GIVEN.dtype, (10,), GIVEN.role, align=256)
    body = (Allocate((a, b), (copy_short(a), copy_short(b), copy_short(a))),)
    arena = plan_arena(body, 0)
    assert arena.slots["b"].offset % 256 == 0
    assert arena.slots["a"].offset % 64 == 0
    spans = sorted((arena.slots[n].offset, arena.slots[n].offset + 40) for n in "ab")
    assert spans[0][1] <= spans[1][0]


def copy_short(target: Buffer) -> Stmt:
    return Store(target.name, places(0), lit(1.0).expr)
