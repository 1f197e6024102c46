"""How much of real models is raised and judged correct: `python benchmarks/import_models.py [NAME…]`.

Imports the seven networks of `imported_nets.py`, exported by PyTorch as ONNX, and the twenty problems in
`problems/`. Judges the default lowering of every function on this machine and times it; prints, for each
model, how many functions were raised, and how much of the time is in functions that are raised and correct.
`--out FILE` writes the table, `--no-timing` judges values alone and counts functions.
"""

import argparse
import platform
import secrets
import sys
import tempfile
import warnings
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from edgekernelbench.base.errors import EkbError
from edgekernelbench.evaluator.devices import open_judges
from edgekernelbench.evaluator.exam import choose_inputs
from edgekernelbench.evaluator.submission import Submission
from edgekernelbench.imports.importing import Request, import_model
from edgekernelbench.imports.measuring import measure
from edgekernelbench.imports.record import ImportedModel, load_model
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.records.outcome import Correct
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.catalogue import load_catalogue

PROBLEMS = sorted((HERE / "problems").glob("*.py"))


def source_of(name: str, folder: Path) -> str:
    """Give what `ekb import` is told: a problem file, an ONNX file that is exported here, or a class."""
    from imported_nets import NETS, build

    if name not in NETS:
        return str(HERE / "problems" / f"{name}.py")
    import torch

    net, inputs = build(name)
    path = folder / f"{name}.onnx"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(net, inputs, str(path), dynamo=False)
    return str(path)


def judged(folder: Path) -> ImportedModel:
    """Judge the values of every default lowering, and nothing else."""
    model, catalogue = load_model(folder), load_catalogue(folder)
    found = []
    with open_judges("llvm", "tvm", lambda _: (), at_most=1) as judging:
        for function in model.functions:
            if function.workload is None:
                found.append(function)
                continue
            workload = catalogue.workload(function.workload)
            kernel = default_lowering(verify_compute(workload.kernel()), "llvm", judging.profile)
            choice = choose_inputs(secrets.token_bytes(16), workload)
            outcome = judging.judge(Submission(workload, print_kernel(kernel), choice)).outcome
            found.append(function.model_copy(update={"verdict": outcome.kind}))
            if not isinstance(outcome, Correct):
                print(f"   {workload.id}: {outcome}")
    return model.model_copy(update={"functions": tuple(found)})


def row(name: str, model: ImportedModel, *, timed: bool) -> list[str]:
    right = [f for f in model.functions if f.verdict == "correct"]
    raised = [f for f in model.functions if f.workload is not None]
    share = sum(f.share or 0.0 for f in right) if timed else len(right) / len(model.functions)
    left = "; ".join(f"{f.name}: {f.reason or f.verdict}" for f in model.functions if f.verdict != "correct")
    apart = "" if model.apart is None else f"{model.apart:.0e}"
    counts = [str(len(model.functions)), str(len(raised)), str(len(right))]
    return [name, *counts, f"{share:.1%}", f"{model.framework} {apart}", left]


def main() -> None:
    from imported_nets import NETS

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--no-timing", action="store_true")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    timed = not options.no_timing
    names = options.names or [*NETS, *(path.stem for path in PROBLEMS)]
    what = "share of the time" if timed else "share of the functions"
    head = ["model", "functions", "raised", "correct", what, "compared with", "what is left"]
    rows = []
    sys.path.insert(0, str(HERE))
    for name in names:
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) / "model"
            try:
                import_model(Request(source_of(name, Path(scratch)), {}, trusted=True), folder)
                rows.append(
                    row(
                        name,
                        measure(folder, "llvm", roofline=False) if timed else judged(folder),
                        timed=timed,
                    )
                )
            except EkbError as error:
                rows.append([name, "", "", "", "0.0%", "", str(error)])
        print(" | ".join(rows[-1]), flush=True)
    table = ["| " + " | ".join(cells) + " |" for cells in (head, ["---"] * len(head), *rows)]
    versions = ", ".join(f"{name} {version(name)}" for name in ("apache-tvm", "torch", "onnxruntime"))
    notes = f"{datetime.now(tz=UTC):%Y-%m-%d}, {platform.machine()}, {versions}"
    command = " ".join(["python benchmarks/import_models.py", *options.names])
    text = "\n".join([f"# Imported models\n\n`{command}`, {notes}\n", *table]) + "\n"
    if options.out is not None:
        options.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
