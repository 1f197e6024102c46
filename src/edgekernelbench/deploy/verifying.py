"""The proof that exported files compute what their text says."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.compiler.arrays import Array, place_array
from edgekernelbench.compiler.linking import architecture
from edgekernelbench.deploy.building import Tools, build_example
from edgekernelbench.deploy.calling import load_kernel
from edgekernelbench.deploy.record import ExportRecord, Form, ModelRecord, read_export
from edgekernelbench.deploy.values import differences, draw
from edgekernelbench.deploy.verifying_models import Verified, verify_model
from edgekernelbench.interp.evaluate import evaluate
from edgekernelbench.lang.parse import parse
from edgekernelbench.nest.build import build_nest
from edgekernelbench.nest.tree import Nest
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute

SEED = 7
TURNS = 50


@dataclass(frozen=True, slots=True)
class Trial:
    """Drawn inputs of a kernel, and what must come out.

    Attributes:
        nest: The kernel, for its device.
        values: A value for each parameter, in order, as a person has it.
        inputs: The same as machine code takes it.
        expected: A value for each output.
    """

    nest: Nest
    values: tuple[Array, ...]
    inputs: tuple[Array, ...]
    expected: tuple[Array, ...]

    def flaws(self, found: Sequence[Array]) -> tuple[str, ...]:
        """Say which outputs are wrong; they are in stored form."""
        pairs = zip(self.nest.outputs, found, self.expected, strict=True)
        return tuple(s for b, own, like in pairs for s in differences(b.name, own, like, b.dtype))


def make_trial(folder: Path, record: ExportRecord) -> Trial:
    """Draw inputs for what was exported, and evaluate its text on them."""
    facts = verify_compute(parse((folder / f"{record.name}.kir").read_text(encoding="utf-8")))
    nest = build_nest(facts, "llvm", load_profile(record.profile))
    generator = np.random.default_rng(SEED)
    inputs = {p.name: draw(p, generator) for p in facts.kernel.params}
    expected = evaluate(facts, inputs, "declared")
    outputs = tuple(place_array(b, right) for b, right in zip(nest.outputs, expected, strict=True))
    placed = tuple(place_array(b, inputs[b.name]) for b in nest.params)
    return Trial(nest, tuple(inputs[b.name] for b in nest.params), placed, outputs)


def verify_export(
    folder: Path, *, compiler: str | None = None, flags: Sequence[str] = (), runner: str = ""
) -> Verified:
    """Build an exported folder, run it, and hold its outputs against the interpreter.

    A model is held against what its own framework gave when it was imported. What was made for another
    architecture is built by its cross compiler and run by its emulator. What is for this machine is called
    from Python as well, and a Relax library by TVM's virtual machine.

    Args:
        folder: The folder.
        compiler: The C compiler; None finds one.
        flags: More options for it.
        runner: What runs the program, such as an emulator with its options.

    Raises:
        RecordError: When it is no exported folder.
        PrerequisiteError: When the compiler or the runner is missing.
        CompileError: When the compiler refuses.
    """
    record = read_export(folder)
    changed = record.changed_files(folder)
    if changed:
        return Verified(tuple(f"{name} is not what was exported" for name in changed))
    if isinstance(record, ModelRecord):
        tools = Tools.find(record.triple, compiler=compiler, flags=flags, runner=runner)
        return verify_model(folder, record, tools)
    trial = make_trial(folder, record)
    if record.form == Form.RELAX:
        return _verify_relax(folder, record, trial)
    tools = Tools.find(record.triple, compiler=compiler, flags=flags, runner=runner)
    with TemporaryDirectory(prefix="ekb-") as place:
        program = build_example(folder, record, Path(place), tools)
        said = tools.run(program).strip()
        flaws = trial.flaws(_outputs(trial, program, tools))
    if not flaws and architecture(record.triple) == architecture("") and not tools.runner:
        flaws = tuple(f"from Python, {flaw}" for flaw in trial.flaws(_called(folder, trial)))
    return Verified(flaws, said)


def _called(folder: Path, trial: Trial) -> list[Array]:
    """Call what was exported from Python."""
    found = load_kernel(folder)(*trial.values)
    given = found if isinstance(found, tuple) else (found,)
    return [own.reshape(like.shape) for own, like in zip(given, trial.expected, strict=True)]


def _verify_relax(folder: Path, record: ExportRecord, trial: Trial) -> Verified:
    if architecture(record.triple) != architecture(""):
        raise PrerequisiteError(f"a Relax library for {record.profile} does not run here", "verify it there")
    from edgekernelbench.compiler.tvm.compiler import start_tvm  # noqa: PLC0415

    start_tvm(record.threads)
    # Only now: importing it imports TVM.
    from edgekernelbench.compiler.tvm.relaxed import RelaxLibrary  # noqa: PLC0415

    library = RelaxLibrary(folder / f"{record.name}_relax.so")
    kept = library.call("prepare", trial.inputs) if trial.nest.prepared else []
    spent = []
    found: list[Any] = []
    for _ in range(TURNS):
        start = time.perf_counter_ns()
        found = library.call("main", [*trial.inputs, *kept])
        spent.append(time.perf_counter_ns() - start)
    pairs = zip(found, trial.expected, strict=True)
    outputs = [own.numpy().reshape(like.shape).view(like.dtype) for own, like in pairs]
    said = f"{record.name}: {min(spent) / 1000:.1f} us a run in TVM's virtual machine, the best of {TURNS}"
    return Verified(trial.flaws(outputs), said)


def _outputs(trial: Trial, program: Path, tools: Tools) -> list[Array]:
    """Run the example on the inputs of a trial."""
    given, found = program.with_suffix(".in"), program.with_suffix(".out")
    given.write_bytes(b"".join(array.tobytes() for array in trial.inputs))
    tools.run(program, str(given), str(found))
    data, at, outputs = found.read_bytes(), 0, []
    for like in trial.expected:
        outputs.append(np.frombuffer(data, like.dtype, like.size, at).reshape(like.shape))
        at += like.nbytes
    return outputs
