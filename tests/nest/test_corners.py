"""Corner kernels: each rule of the schedule and memory layers at work, values held against compute."""

from dataclasses import dataclass

import pytest
from tests.nest.running import assert_right, nest_of, try_nest

from edgekernelbench.lang.parse import read
from edgekernelbench.nest.tree import Allocate, Loop, Mark, Nest, Stmt, Update, inner, walk_stmts, workspace
from edgekernelbench.verify.compute import verify_compute


@dataclass(frozen=True)
class Corner:
    """A kernel with blocks."""

    name: str
    compute: str
    schedule: str = ""
    memory: str = ""
    target: str = "llvm"

    @property
    def source(self) -> str:
        """The whole text."""
        lines = [self.compute.strip()]
        for word, block in (("schedule", self.schedule), ("memory", self.memory)):
            if block:
                inside = [f"        {line.strip()}" for line in block.strip().split("\n")]
                lines += ["", f'    with {word}("{self.target}"):', *inside]
        return "\n".join(lines) + "\n"


MATMUL = """
def matmul(a: f32[7, 9], b: f32[9, 11]):
    with compute:
        c[i, j]: f32[7, 11] = sum(a[i, k] * b[k, j] for k in range(9))
        return c
"""
TWO_SIBLINGS = """
def siblings(x: f32[4, 5]):
    with compute:
        for t in range(4):
            for s in range(5):
                p[t, s]: f32[4, 5] = x[t, s] + (p[t, s - 1] if s > 0 else 0.0)
            for s in range(5):
                q[t, s]: f32[4, 5] = (
                    p[t, 4 - s] + (q[t, s - 1] if s > 0 else 0.0) + (q[t - 1, s] if t > 0 else 0.0))
        return q
"""
COUNT = """
def count(img: u8[70], w: i32[70]):
    with compute:
        hist[v]: i32[256] = sum(w[i] for i in range(70) if w[i] > 0 and img[i] == v and v != 3)
        return hist
"""
BEST = """
def best(x: f32[5, 23]):
    with compute:
        lo[i]: i32[5] = argmin(x[i, j] for j in range(23) if x[i, j] > 0.0)
        hi[i]: i32[5] = argmax(x[i, 22 - j] + x[i, k] for j in range(23) for k in range(3))
        return lo, hi
"""
SCAN = """
def scan(x: f32[10, 6]):
    with compute:
        for t in range(6):
            h[n, t]: f32[10, 6] = x[n, t] + (h[n, t - 1] if t > 0 else 0.0)
            g[n, t]: f32[10, 6] = h[n, t] * 2.0 + (h[n, t - 2] if t > 1 else 0.0)
        out[n, t]: f32[10, 6] = g[n, 5 - t] + h[n, t]
        return out
"""
CHAIN = """
def chain(x: f32[40]):
    with compute:
        a[i]: f32[40] = x[i] * 2.0
        b[i]: f32[40] = a[i] + 1.0
        c[i]: f32[40] = b[i] * b[i]
        d[i]: f32[40] = c[39 - i]
        return d
"""
STEPS = """
def steps(x: f32[3, 6], m: f32[6, 6]):
    with compute:
        for t in range(3):
            v[t, i]: f32[3, 6] = sum((v[t - 1, k] if t > 0 else x[0, k]) * m[k, i] for k in range(6))
            u[t, i]: f32[3, 6] = v[t, i] + x[t, i]
        out[i]: f32[6] = u[2, i]
        return out
"""
NORM = """
def norm(x: f32[6, 20], w: const[f32[20]]):
    with compute:
        half[j]: f32[20] = w[j] * 0.5
        scale[j]: f32[20] = half[j] + 1.0
        s[i]: f32[6] = sum(x[i, j] * scale[j] for j in range(20))
        m[i]: f32[6] = s[i] / 20.0
        out[i, j]: f32[6, 20] = (x[i, j] - m[i]) * half[j]
        return out, m
"""

CORNERS = (
    Corner("fused loops split again", MATMUL, "f = fuse(c.i, c.j)\nfo, fi = split(f, 8)\nparallel(fo)"),
    Corner("reduction outermost", MATMUL, "order(c.k, c.j, c.i)"),
    Corner(
        "sums held apart", MATMUL, "jo, ji = split(c.j, 4)\norder(c.i, jo, c.k, ji)\nvectorize(ji)",
        'accumulate(c, "local")',
    ),
    Corner(
        "a tail inside a sum is not moved back", MATMUL,
        "jo, ji = split(c.j, 4)\norder(c.i, c.k, jo, ji)\nvectorize(ji)",
    ),
    Corner(
        "two partial sums", MATMUL,
        "ko, km, ki = split(c.k, 2, 2)\np = rfactor(ki)\nq = rfactor(p.km)\ncompute_at(q, p.ki)",
    ),
    Corner("a run-time layout with tails", MATMUL, "", 'layout(b, "k j -> j/4 k/2 j%4 k%2")'),
    Corner(
        "nested caches", MATMUL,
        "jo, ji = split(c.j, 4)\nko, ki = split(c.k, 4)\norder(jo, c.i, ko, ki, ji)",
        'cache(b, "local", at=jo)\ncache(b, "local", at=ko, layout="k j -> j k", pad=1)\n'
        'cache(a, "local", at=ko, buffers=2)',
    ),
    Corner("two fors of one name", TWO_SIBLINGS),
    Corner("two fors of one name, folded", TWO_SIBLINGS, "", "fold(p.t, 1)"),
    Corner("scatter with filters", COUNT, "scatter(hist.v)"),
    Corner(
        "scatter of partial counts", COUNT,
        "io, ii = split(hist.i, 16)\np = rfactor(io)\nscatter(p.v)\nparallel(p.io)",
        'accumulate(p, "local")',
    ),
    Corner(
        "scatter over threads", COUNT,
        'scatter(hist.v)\nio, ii = split(hist.i, 32)\nbind(ii, "threadIdx.x")',
        'accumulate(hist, "shared")', "opencl",
    ),
    Corner(
        "places of partial results", BEST,
        "jo, ji = split(lo.j, 4)\np = rfactor(ji)\norder(p.jo, p.ji)\nvectorize(p.ji)\n"
        "q = rfactor(hi.k)\ncompute_at(q, hi.i)\ncompute_at(p, lo.i)",
        'accumulate(lo, "local")',
    ),
    Corner(
        "places over threads", BEST,
        'bind(lo.i, "blockIdx.x")\njo, ji = split(lo.j, 8)\nbind(ji, "threadIdx.x")', "", "cuda",
    ),
    Corner("a copy of places and values", BEST, "p = rfactor(lo.j)", 'cache(p, "local", at=lo.i)'),
    Corner(
        "a group computed where it is read", SCAN,
        "no, ni = split(out.n, 4)\ncompute_at(h, no)\nparallel(no)", "fold(h.t, 8)",
    ),
    Corner("hoisted blocks with a tail", SCAN, "o = hoist(h.n, 4)\nparallel(o)\nvectorize(h.n, g.n)"),
    Corner("a group on threads", SCAN, 'o = hoist(h.n, 4)\nbind(o, "threadIdx.x")', "", "opencl"),
    Corner("free axes are dealt out", SCAN, "", "", "opencl"),
    Corner("stored where another was", CHAIN, "", "reuse(b, a)"),
    Corner("an output stored where another was", CHAIN, "", "reuse(c, b)"),
    Corner(
        "kept stages and companions", NORM,
        "precompute(scale)\ncompute_at(m, out.i)\ncompute_at(s, out.i)\nparallel(out.i)",
    ),
    Corner(
        "kept along a loop with a tail", NORM,
        "io, ii = split(out.i, 4)\ncompute_at(m, io)\ncompute_at(s, m.i)",
    ),
    Corner(
        "kept along a fused loop", NORM,
        "f = fuse(out.i, out.j)\nfo, fi = split(f, 20)\ncompute_at(m, fo)\ncompute_at(s, m.i)",
    ),
    Corner(
        "the host runs the steps", STEPS,
        'vo, vi = split(v.i, 4)\nbind(vo, "blockIdx.x")\nbind(vi, "threadIdx.x")', "fold(v.t, 2)", "cuda",
    ),
    Corner(
        "a group in one block", STEPS,
        'bind(v.i, "threadIdx.x")', 'place(v, "shared")\nfold(v.t, 2)', "cuda",
    ),
    Corner(
        "virtual threads", MATMUL,
        'io, im, ii = split(c.i, 2, 2)\nbind(io, "blockIdx.x")\nbind(im, "vthread")\n'
        'bind(ii, "threadIdx.x")',
        'cache(a, "shared", at=c.k)', "opencl",
    ),
    Corner(
        "each thread its own copy", NORM,
        'bind(out.i, "blockIdx.x")\nbind(out.j, "threadIdx.x")\ncompute_at(s, out.i)\n'
        "compute_at(m, out.i)",
        'place(s, "local")', "cuda",
    ),
    Corner(
        "sums of threads in registers", NORM,
        'bind(out.i, "blockIdx.x")\nbind(out.j, "threadIdx.x")\ncompute_at(s, out.i)\n'
        'compute_at(m, out.i)\nbind(s.j, "threadIdx.x")',
        'accumulate(s, "local")', "cuda",
    ),
)  # fmt: skip


def built(corner: Corner) -> Nest:
    """Build a corner."""
    return nest_of(verify_compute(read(corner.source).bind()), corner.target)


@pytest.mark.parametrize("corner", CORNERS, ids=[c.name.replace(" ", "_") for c in CORNERS])
def test_a_corner_computes_its_values(corner: Corner) -> None:
    facts = verify_compute(read(corner.source).bind())
    assert_right(facts, nest_of(facts, corner.target))


def corner(name: str) -> Nest:
    """Build a corner by name."""
    return built(next(c for c in CORNERS if c.name == name))


def test_reuse_takes_the_other_buffer() -> None:
    assert {b.name for b in workspace(corner("stored where another was"))} == {"a", "c"}


def test_a_fold_sees_that_fors_of_one_name_are_two() -> None:
    refused = Corner("", TWO_SIBLINGS, "", "fold(p.s, 1)")
    facts = verify_compute(read(refused.source).bind())
    assert try_nest(facts, "llvm") == (None, {"M09"})


def test_threads_that_meet_at_one_element_update_atomically() -> None:
    updates = [s for s in walk_stmts(corner("scatter over threads").body) if isinstance(s, Update)]
    assert [u.atomic for u in updates] == [True]


def test_the_host_launches_every_stage_of_a_step() -> None:
    (outer,) = corner("the host runs the steps").body
    assert isinstance(outer, Allocate)
    steps = next(s for s in outer.body if isinstance(s, Loop))
    assert steps.mark is Mark.SERIAL
    assert [s.mark for s in steps.body if isinstance(s, Loop)] == [Mark.BLOCK_X, Mark.BLOCK_X]


def stores_outside_threads(body: tuple[Stmt, ...], *, threaded: bool = False) -> int:
    """Count the innermost statements that no thread loop is round."""
    threads = (Mark.THREAD_X, Mark.THREAD_Y, Mark.THREAD_Z)
    total = 0
    for stmt in body:
        own = threaded or (isinstance(stmt, Loop) and stmt.mark in threads)
        total += stores_outside_threads(inner(stmt), threaded=own) if inner(stmt) else int(not own)
    return total


@pytest.mark.parametrize("name", [c.name for c in CORNERS if c.target != "llvm"])
def test_on_gpus_every_statement_has_a_thread(name: str) -> None:
    allowed = {"each thread its own copy": 2, "sums of threads in registers": 1}
    assert stores_outside_threads(corner(name).body) == allowed.get(name, 0)


def test_a_cache_of_all_threads_is_copied_by_them() -> None:
    copies = [
        s for s in walk_stmts(corner("virtual threads").body) if isinstance(s, Loop) and "shared" in s.var
    ]
    assert any(s.mark is Mark.THREAD_X for s in copies)
