"""Every code of the schedule, memory and limit checks, by a text that earns it."""

from dataclasses import dataclass, replace

import pytest
from tests.nest.running import profile_of

from edgekernelbench.base.errors import SourceError
from edgekernelbench.lang.parse import read
from edgekernelbench.nest.build import build_nest
from edgekernelbench.nest.tree import Nest
from edgekernelbench.verify.compute import verify_compute

MATMUL = """
def matmul(a: f32[8, 12], b: const[f32[12, 10]]):
    with compute:
        c[i, j]: f32[8, 10] = sum(a[i, k] * b[k, j] for k in range(12))
        out[i, j]: f32[8, 10] = max(c[i, j], 0.0)
        return out
"""
CHAIN = """
def softmax(x: f32[4, 32]):
    with compute:
        top[i]: f32[4] = max(x[i, j] for j in range(32))
        ex[i, j]: f32[4, 32] = exp(x[i, j] - top[i])
        den[i]: f32[4] = sum(ex[i, j] for j in range(32))
        out[i, j]: f32[4, 32] = ex[i, j] / den[i]
        return out
"""
SCAN = """
def scan(x: f32[6, 9], start: f32[6]):
    with compute:
        for t in range(9):
            h[n, t]: f32[6, 9] = x[n, t] + (h[n, t - 1] if t > 0 else start[n])
            g[n, t]: f32[6, 9] = h[n, t] + (h[5 - n, t - 1] if t > 0 else 0.0)
        out[n]: f32[6] = g[n, 8]
        return out
"""
FREE = """
def scan(x: f32[6, 9]):
    with compute:
        for t in range(9):
            h[n, t]: f32[6, 9] = x[n, t] + (h[n, t - 1] if t > 0 else 0.0)
            g[n, t]: f32[6, 9] = h[n, t] * 2.0 + (h[n, t - 3] if t > 2 else 0.0)
        out[n]: f32[6] = g[n, 8]
        return out
"""
STENCIL = """
def stencil(x: f32[20]):
    with compute:
        p[i]: f32[20] = x[i] * 2.0
        q[i]: f32[18] = p[i] + p[i + 2]
        return p, q
"""
COUNT = """
def count(img: u8[64]):
    with compute:
        hist[v]: i32[256] = sum(1 for i in range(64) if img[i] == v)
        return hist
"""
CHAIN_OF_THREE = """
def chain(x: f32[16]):
    with compute:
        p[i]: f32[16] = x[i] * 2.0
        q[i]: f32[16] = p[i] + 1.0
        r[i]: f32[16] = q[15 - i] * p[i]
        return r
"""


@dataclass(frozen=True)
class Case:
    """A text with one block, and the code that it earns."""

    code: str
    text: str
    schedule: tuple[str, ...] = ()
    memory: tuple[str, ...] = ()
    target: str = "llvm"
    says: str = ""
    hint: str = ""


CASES = (
    Case("S01", MATMUL, ("parallel(c.i, out.i)",), says="which belong to c, out"),
    Case("S02", MATMUL, ("compute_at(cc, out.i)",), says="no stage cc"),
    Case("S02", MATMUL, ("vectorize(d.j)",), says="no stage d"),
    Case("S02", MATMUL, ("inline(a)",), says="a is no stage but a parameter"),
    Case("S03", CHAIN, ("inline(ex)", "vectorize(ex.j)"), says="ex is inlined, so it has no loops"),
    Case("S03", CHAIN, ("inline(ex)",), ('place(ex, "local")',), says="ex is inlined, so it has no storage"),
    Case("S04", MATMUL, ("vectorize(k)",), says="no loop k; c.k exists"),
    Case("S04", MATMUL, ("vectorize(j)",), says="no loop j; c.j and out.j exist"),
    Case("S04", MATMUL, ("vectorize(out.k)",), says="out has no loop k"),
    Case(
        "S04", MATMUL, ("ko, ki = split(c.k, 4)", "part = rfactor(ki)", "unroll(ko)"),
        says="ko moved to part: write part.ko",
    ),
    Case("S05", MATMUL, ("jo, ji = split(out.j, 5)", "parallel(out.j)"), says="was split into jo, ji"),
    Case("S05", MATMUL, ("f = fuse(out.i, out.j)", "vectorize(out.i)"), says="out.i was fused into f"),
    Case("S05", COUNT, ("scatter(hist.v)", "vectorize(hist.v)"), says="scattered"),
    Case("S06", MATMUL, ("a, ji = split(out.j, 5)",), says="the name a is taken"),
    Case("S06", MATMUL, ("i, ji = split(out.j, 5)",), says="there is an axis of this name"),
    Case("S06", MATMUL, ("l, m = split(out.j, 5)", "l, n = split(out.i, 2)"), says="is a loop of this name"),
    Case("S07", MATMUL, ("jo, ji = split(out.j, 5, 2)",), says="makes 3 loops"),
    Case("S08", MATMUL, ("f = fuse(c.i, c.k)",), says="data loops or reduction loops"),
    Case("S08", MATMUL, ("f = fuse(c.i, out.i)",), says="loops of one stage"),
    Case("S09", MATMUL, ("order(c.i, out.i)",), says="different loops of one stage"),
    Case("S09", FREE, ("order(h.t, h.n)",), says="shared"),
    Case("S10", MATMUL, ("order(c.k, c.i)", "order(c.j, c.i)"), says="ordered already on line"),
    Case("S11", MATMUL, ("o = hoist(c.i)",), says="c is in no for"),
    Case("S12", CHAIN, ("compute_at(top, out.i)", "compute_at(top, out.j)"), says="at out.i already"),
    Case("S12", FREE, ("compute_at(h, out.n)", "compute_at(g, out.n)"), says="the group of g"),
    Case("S13", SCAN, ("o = hoist(h.n)",), says="n is not free"),
    Case("S13", FREE, ("o = hoist(h.t)",), says="ordered"),
    Case("S14", MATMUL, ("p = rfactor(c.i)",), says="c.i is a data loop"),
    Case("S15", MATMUL, ("scatter(c.i)",), says="no condition e == i"),
    Case("S16", MATMUL, ('bind(out.i, "blockIdx.x")',), hint="parallel(out.i)"),
    Case("S16", MATMUL, ("parallel(out.i)",), target="cuda", hint='bind(out.i, "blockIdx.x")'),
    Case(
        "S17", MATMUL, ("vectorize(c.k)",), says="k is a reduction loop",
        hint="ko, ki = split(c.k, 16)\npart = rfactor(ki)\norder(part.ko, part.ki)\nvectorize(part.ki)",
    ),
    Case("S17", FREE, ("vectorize(h.t)",), says="ordered loop"),
    Case("S17", FREE, ("to, ti = split(h.t, 3)",), says="split takes a loop of one stage"),
    Case("S17", FREE, ("o = hoist(h.n, 2)", "vectorize(o)"), says="round a whole group"),
    Case("S18", MATMUL, ("vectorize(out.j)", "unroll(out.j)"), says="has a mark already: vector"),
    Case("S19", MATMUL, ("vectorize(out.j)", "compute_at(c, out.j)"), says="out.j is a vector loop"),
    Case("S20", MATMUL, ("parallel(out.j)",), hint="order(out.j, out.i)"),
    Case("S20", MATMUL, ("compute_at(c, out.i)", "parallel(c.j)"), says="c is computed inside out.i"),
    Case("S20", FREE, ("o = hoist(h.n)", "parallel(o)", "parallel(g.n)"), says=""),
    Case("S21", MATMUL, ("inline(c)",), says="c is a reduction"),
    Case("S22", MATMUL, ("inline(out)",), says="out is returned"),
    Case("S23", FREE, ("inline(h)",), says="leads back to h"),
    Case("S24", MATMUL, ("compute_at(out, c.i)",), says="c is read by out: place c at a loop of out"),
    Case("S24", MATMUL, ("compute_at(c, c.i)",), says="inside itself"),
    Case(
        "S24", CHAIN, ("compute_at(top, out.i)",), says="out.i needs ex, which reads top",
        hint="compute_at(ex, out.i)",
    ),
    Case("S25", STENCIL, ("compute_at(p, q.i)",), says="p is stored whole"),
    Case("S26", MATMUL, ("precompute(c)",), says="c reads a, which is not const"),
    Case(
        "S27", CHAIN, ("compute_at(ex, out.i)", "compute_at(top, out.i)"),
        says="den reads ex, which is filled inside the nest of out", hint="compute_at(den, out.i)",
    ),
    Case("S29", MATMUL, ('tensorize("dot4", c.j, c.k)',), target="opencl", says="has no instruction 'dot4'"),
    Case(
        "S30", MATMUL, ('bind(out.i, "blockIdx.x")', "compute_at(c, out.i)", 'bind(c.j, "blockIdx.y")'),
        target="cuda", says="computed inside out.i",
    ),
    Case("S30", MATMUL, ('bind(c.k, "blockIdx.x")',), target="cuda", says="c.k is a reduction loop"),
    Case(
        "S31", MATMUL,
        ('bind(out.i, "threadIdx.x")', "compute_at(c, out.i)", 'bind(c.j, "threadIdx.y")'),
        target="cuda", says="c.j stands inside out.i",
    ),
    Case("M01", MATMUL, (), ('layout(d, "i j -> j i")',), says="no tensor d"),
    Case(
        "M02", MATMUL, (), ('layout(b, "k j -> k/4 j")',), says="k/4 is there, k%4 is missing",
        hint='"k j -> k/4 j k%4"',
    ),
    Case("M02", MATMUL, (), ('layout(b, "k -> k")',), says="b has 2 axes"),
    Case("M03", MATMUL, (), ('layout(out, "i j -> j i")',), says="out is returned"),
    Case("M04", MATMUL, (), ('place(c, "local")',), says="stored whole"),
    Case("M04", MATMUL, ("compute_at(c, out.i)",), ('place(c, "shared")',), says="no scope 'shared'"),
    Case("M05", MATMUL, (), ('cache(a, "local", at=ko)',), says="no loop ko"),
    Case("M05", FREE, (), ('cache(h, "local", at=h.t)',), says="h is computed inside h.t"),
    Case("M06", MATMUL, (), ('accumulate(out, "local")',), says="out is no reduction"),
    Case("M07", FREE, (), ("fold(h.n, 2)",), says="h.n is not ordered"),
    Case("M08", """
def f(x: f32[9]):
    with compute:
        for t in range(9):
            h[t]: f32[9] = x[t] + (h[t - 1] if t > 0 else 0.0)
        return h
""", (), ("fold(h.t, 2)",), says="h is returned"),
    Case("M09", FREE, (), ("fold(h.t, 3)",), says="g reads h more than 2 steps back"),
    Case("M10", MATMUL, (), ('cache(b, "local", at=out.i)',), says="nothing inside out.i reads b"),
    Case("M11", CHAIN_OF_THREE, (), ("reuse(q, p)",), says="r reads p when q is there"),
    Case("M11", CHAIN_OF_THREE, (), ("reuse(r, q)",), says="at another position than its own"),
    Case("L01", """
def f(x: f32[4, 2048]):
    with compute:
        out[i, j]: f32[4, 2048] = x[i, j] + 1.0
        return out
""", ('bind(out.i, "blockIdx.x")', 'bind(out.j, "threadIdx.x")'), target="cuda",
         says="2,048 threads a block, cuda-sm87 has 1,024: threadIdx.x comes from out.j"),
    Case("L01", """
def f(x: f32[4, 64, 32, 40]):
    with compute:
        out[i, j, k, l]: f32[4, 64, 32, 40] = x[i, j, k, l] + 1.0
        return out
""", ('bind(out.i, "blockIdx.x")', 'bind(out.j, out.k, "threadIdx.x")', 'bind(out.l, "threadIdx.y")'),
         target="cuda",
         says="81,920 threads a block, cuda-sm87 has 1,024: threadIdx.x comes from out.j and out.k"),
    Case("S24", """
def f(x: f32[32]):
    with compute:
        a[i]: f32[32] = x[i] + 1.0
        b[i]: f32[32] = a[i] * 2.0
        c[i]: f32[32] = b[i] - 1.0
        return a, c
""", ("compute_at(c, a.i)",), says="c reads b, which needs the stage of a.i: a.i cannot wait for it"),
    Case("L02", """
def f(x: f32[4, 16384]):
    with compute:
        p[i, j]: f32[4, 16384] = x[i, j] + 1.0
        out[i, j]: f32[4, 16384] = p[i, 16383 - j]
        return out
""", ('bind(out.i, "blockIdx.x")', "compute_at(p, out.i)"), target="cuda",
         says="65,536 B of shared memory, 49,152 B there: p 65,536"),
    Case("L03", """
def f(x: f32[4, 512]):
    with compute:
        p[i, j]: f32[4, 512] = x[i, j] + 1.0
        out[i]: f32[4] = sum(p[i, j] * p[i, 511 - j] for j in range(512))
        return out
""", ('bind(out.i, "threadIdx.x")', "compute_at(p, out.i)"), target="cuda", says="local memory a thread"),
    Case("L04", """
def f(x: f32[2048]):
    with compute:
        out[i]: f32[2048] = x[i] + 1.0
        return out
""", ("unroll(out.i)",), says="2,048 unrolled iterations"),
    Case("L06", MATMUL, ("vectorize(out.j)",), target="cuda", says="out.j has 10 iterations"),
    Case("L06", MATMUL, (), ('cache(b, "local", at=c.i, vector=4)',), says="10 elements along the last axis"),
)  # fmt: skip


def built(case: Case) -> Nest:
    """Build the nest of a case."""
    lines = [case.text.strip()]
    for word, block in (("schedule", case.schedule), ("memory", case.memory)):
        if block:
            lines += ["", f'    with {word}("{case.target}"):', *(f"        {line}" for line in block)]
    facts = verify_compute(read("\n".join(lines) + "\n").bind())
    return build_nest(facts, case.target, profile_of(case.target))


@pytest.mark.parametrize("case", CASES, ids=[f"{c.code}-{(*c.schedule, *c.memory)[-1]}" for c in CASES])
def test_a_mistake_is_refused_with_its_code(case: Case) -> None:
    with pytest.raises(SourceError) as caught:
        built(case)
    found = caught.value.diagnostics
    assert [d.code for d in found] == [case.code], str(caught.value)
    assert case.says in found[0].message
    assert found[0].target == case.target
    assert case.hint in (found[0].hint or "")


def test_several_mistakes_are_told_at_once_without_what_follows_from_them() -> None:
    case = Case(
        "", MATMUL,
        ("jo, ji = split(out.q, 4)", "order(jo, out.i, ji)", "vectorize(ji)", "inline(out)", "unroll(zz)"),
        ('layout(out, "i j -> j i")',),
    )  # fmt: skip
    with pytest.raises(SourceError) as caught:
        built(case)
    assert sorted(d.code for d in caught.value.diagnostics) == ["M03", "S04", "S04", "S22"]


def test_workspace_beyond_the_device_is_refused() -> None:
    facts = verify_compute(read(CHAIN.strip() + "\n").bind())
    with pytest.raises(SourceError) as caught:
        build_nest(facts, "llvm", replace(profile_of("llvm"), workspace_bytes=100))
    assert [d.code for d in caught.value.diagnostics] == ["L05"]
    assert "528 B of workspace, 100 B there: ex 512" in caught.value.diagnostics[0].message


def test_the_size_of_an_inlined_expression_is_limited() -> None:
    lines = [f"        s{n}[i]: f32[4] = s{n - 1}[i] * s{n - 1}[i]" for n in range(1, 20)]
    text = "\n".join(
        [
            "def deep(x: f32[4]):",
            "    with compute:",
            "        s0[i]: f32[4] = x[i]",
            *lines,
            "        out[i]: f32[4] = s19[i]",
            "        return out",
            "",
            '    with schedule("llvm"):',
            *(f"        inline(s{n})" for n in range(20)),
        ]
    )
    with pytest.raises(SourceError) as caught:
        build_nest(verify_compute(read(text + "\n").bind()), "llvm", profile_of("llvm"))
    assert {d.code for d in caught.value.diagnostics} == {"L04"}


def test_a_long_chain_of_inlined_stages_is_refused_before_anything_recurses() -> None:
    lines = [f"        s{n}[i]: f32[4] = -(s{n - 1}[i] + 1.0)" for n in range(1, 240)]
    text = "\n".join(
        [
            "def deep(x: f32[4]):",
            "    with compute:",
            "        s0[i]: f32[4] = x[i]",
            *lines,
            "        return s239",
            "",
            '    with schedule("llvm"):',
            "        inline(" + ", ".join(f"s{n}" for n in range(239)) + ")",
        ]
    )
    with pytest.raises(SourceError) as caught:
        build_nest(verify_compute(read(text + "\n").bind()), "llvm", profile_of("llvm"))
    assert {d.code for d in caught.value.diagnostics} == {"L04"}
    assert "deep" in caught.value.diagnostics[0].message


def test_elements_that_share_a_byte_are_made_ahead_or_given() -> None:
    case = Case("", """
def narrow(w: const[i8[8]], x: i4[8]):
    with compute:
        n[i]: i4[8] = sat_i4(w[i])
        out[i]: i32[8] = i32(n[i]) + i32(x[i])
        return out
""")  # fmt: skip
    with pytest.raises(SourceError) as caught:
        built(case)
    assert [d.code for d in caught.value.diagnostics] == ["S26"]
    assert caught.value.diagnostics[0].hint == "precompute(n)"
    ahead = replace(case, schedule=("precompute(n)",))
    assert built(ahead).prepared[0].name == "n"
    for code, line in (("M02", 'layout(x, "i -> i/2 i%2")'), ("M04", 'cache(x, "local", at=out.i)')):
        with pytest.raises(SourceError) as caught:
            built(replace(ahead, memory=(line,)))
        assert [d.code for d in caught.value.diagnostics] == [code]
