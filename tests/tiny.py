"""A catalogue of tiny workloads, and a run over them that another process can go on with."""

import sys
from pathlib import Path

from edgekernelbench.bench.experiment import AgentSetting, Experiment
from edgekernelbench.bench.run import continue_run
from edgekernelbench.records.store import RunFolder
from edgekernelbench.workloads.catalogue import load_catalogue

SCALE = '''def scale(x: T[N], w: const[T[N]]):
    """scale: multiply by weights."""
    with compute:
        out[i]: T[N] = x[i] * w[i]
        return out
'''
ROW_SUM = '''def row_sum(x: T[R, N]):
    """row_sum: sum along the last axis."""
    with compute:
        out[i]: f32[R] = sum(f32(x[i, j]) for j in range(N))
        return out
'''
TORCH = '''"""{name}"""


def {name}({parameters}):
    """{name}"""
    return {value}
'''
SIZES = range(3, 13)


def make_catalogue(root: Path) -> Path:
    """Write the catalogue: ten sizes of two patterns."""
    family = root / "tiny"
    family.mkdir(parents=True)
    (root / "VERSION").write_text("0\n", encoding="utf-8")
    (family / "scale.kir").write_text(SCALE, encoding="utf-8")
    (family / "row_sum.kir").write_text(ROW_SUM, encoding="utf-8")
    scale = TORCH.format(name="scale", parameters="x, w", value="x * w")
    row_sum = TORCH.format(name="row_sum", parameters="x", value="x.float().sum(-1)")
    (family / "scale.py").write_text(scale, encoding="utf-8")
    (family / "row_sum.py").write_text(row_sum, encoding="utf-8")
    rows = [_row(f"tiny/row_sum@r4-n{n}-f32", f'R = 4, N = {n}, T = "f32"', "x") for n in SIZES]
    rows += [_row(f"tiny/scale@n{n}-f32", f'N = {n}, T = "f32"', "x", "w") for n in SIZES]
    small = "[small]\nscale = { N = 3 }\nrow_sum = { R = 2, N = 3 }\n\n"
    (family / "workloads.toml").write_text(small + "\n".join(sorted(rows)), encoding="utf-8")
    return root


def _row(name: str, sizes: str, *params: str) -> str:
    draws = {"x": 'x = { draw = "normal" }', "w": 'w = { draw = "weights" }'}
    lines = [
        "[[workload]]",
        f'id = "{name}"',
        f"sizes = {{ {sizes} }}",
        'accumulate = "f32"',
        'domain = "signal"',
        'level = "operator"',
        'source = "made up for tests"',
        "[workload.inputs]",
        *(draws[p] for p in params),
    ]
    return "\n".join(lines) + "\n"


def write_texts(root: Path, catalogue: Path) -> Path:
    """Write one text a workload: right, wrong, refused, or none at all, in turn."""
    for number, workload in enumerate(load_catalogue(catalogue).workloads):
        text = workload.pattern.source_text
        sizes = ", ".join(workload.sizes)
        values = ", ".join(str(v) for v in workload.sizes.values() if v != "f32")
        names = ", ".join(n for n, v in workload.sizes.items() if v != "f32")
        whole = text.replace("T[", "f32[").replace("    with", f"    {names} = {values}\n\n    with", 1)
        assert sizes
        path = root / f"{workload.id}.kir"
        path.parent.mkdir(parents=True, exist_ok=True)
        match number % 4:
            case 0:
                path.write_text(whole, encoding="utf-8")
            case 1:
                path.write_text(whole.replace("x[i", "2.0 * x[i"), encoding="utf-8")
            case 2:
                path.write_text(whole.replace("return out", "return nothing"), encoding="utf-8")
            case _:
                continue
    return root


def tiny_experiment(texts: Path, catalogue: Path, *, compiler: str = "null", k: int = 3) -> Experiment:
    """Let the scripted agent answer all workloads."""
    workloads = tuple(w.id for w in load_catalogue(catalogue).workloads)
    agent = AgentSetting(name="script", kind="scripted", texts=str(texts))
    return Experiment(
        agents=(agent,), suite="full", workloads=workloads, k=k, compiler=compiler, timing="none"
    )


if __name__ == "__main__":
    continue_run(RunFolder(Path(sys.argv[1])), catalogue=load_catalogue(Path(sys.argv[2])))
