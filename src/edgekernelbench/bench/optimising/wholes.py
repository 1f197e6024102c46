"""The whole model with the kernels that were found: is it still the model, and what did it gain?"""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

from edgekernelbench.base.errors import RecordError
from edgekernelbench.bench.optimising.record import KERNELS, MODEL, Optimisation, Whole
from edgekernelbench.compiler.linking import architecture
from edgekernelbench.deploy.assembling import Assembled, assemble
from edgekernelbench.deploy.building import Tools
from edgekernelbench.deploy.kernels import Wish
from edgekernelbench.deploy.models import Source, export_model
from edgekernelbench.deploy.probes import MOST_APART, Probe, load_probe, worst_distance
from edgekernelbench.deploy.proving import Stand, build_library
from edgekernelbench.deploy.verifying_models import how_far
from edgekernelbench.imports.record import ImportedModel
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.parse import parse
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.catalogue import Catalogue, load_catalogue

START = "start"
"""The model with the default lowering everywhere."""

SLOWER = 1.02
"""A whole that takes so many times as long as before is slower: less is the spread of turns."""


def kept_kernels(folder: Path, found: Optimisation) -> dict[str, Kernel]:
    """Read the texts of a result folder, by function.

    Raises:
        RecordError: When a text is missing.
    """
    kernels = {}
    for part in found.parts:
        path = folder / KERNELS / f"{part.name}.kir"
        if not path.is_file():
            raise RecordError(f"no {path.name} in {path.parent}: the folder is not whole")
        kernels[part.name] = parse(path.read_text(encoding="utf-8"))
    return kernels


class Proof(Protocol):
    """A way to run a whole model."""

    def apart(self, name: str, assembled: Assembled) -> float:
        """Run a model; give the distance of its outputs from what is right."""
        ...

    def times(self) -> Mapping[str, float]:
        """Give the time of a run of each model so far, by name; empty where times mean nothing."""
        ...


class Here:
    """Runs models on this machine, through TVM's Relax: functions without a text are TVM's."""

    def __init__(self, imported: Path, profile: Profile, probe: Probe, stack: ExitStack) -> None:
        self._imported, self._profile, self._probe = imported, profile, probe
        self._place = Path(stack.enter_context(TemporaryDirectory(prefix="ekb-")))
        self._stand = stack.enter_context(closing(Stand(profile.threads, probe.inputs)))

    def apart(self, name: str, assembled: Assembled) -> float:
        """Build a library, and run it in a process of its own."""
        library = self._place / f"{name}.so"
        build_library(assembled, self._imported, self._profile, library)
        return worst_distance(self._stand.add(name, library), self._probe.outputs)

    def times(self) -> Mapping[str, float]:
        """Let the processes take turns."""
        return self._stand.times()


class Emulated:
    """Runs models of another architecture, as C programs under its emulator."""

    def __init__(self, imported: Path, profile: Profile, probe: Probe) -> None:
        self._imported, self._profile, self._probe = imported, profile, probe

    def apart(self, name: str, assembled: Assembled) -> float:
        """Export a program, build and run it."""
        with TemporaryDirectory(prefix="ekb-") as place:
            folder = Path(place) / name
            record = export_model(Source(self._imported, assembled, {}, {}), self._profile, folder, Wish())
            return how_far(folder, record, self._probe, Tools.find(record.triple))[0]

    def times(self) -> Mapping[str, float]:
        """An emulator's times mean nothing."""
        return {}


def prove_whole(
    folder: Path, model: ImportedModel, found: Optimisation, profile: Profile, proof: Proof | None = None
) -> Optimisation:
    """Run the model with the kernels that are kept, beside what its own framework gave.

    Where the model is wrong, kernels are taken out one after another until it is right; where it is slower
    than with the default lowering everywhere, all of them are. Their texts are then those of the default
    lowering.

    Args:
        folder: The result folder.
        model: The model.
        found: What was found.
        profile: The device, a CPU.
        proof: How models are run; None for what suits the device.

    Returns:
        The record with what the whole came to.

    Raises:
        RecordError: When the model is wrong even with the default lowering everywhere.
    """
    imported = folder / MODEL
    probe = load_probe(model, imported)
    names = {part.name for part in found.parts}
    every = default_kernels(model, load_catalogue(imported.resolve()), profile)
    start = {name: kernel for name, kernel in every.items() if name in names}
    with ExitStack() as stack:
        proof = proof or _proof(imported, profile, probe, stack)
        trial = _Trial(model, imported, profile, proof)
        first = trial.apart(START, start)
        if not first <= MOST_APART:
            raise RecordError(
                f"{model.name} by the default lowering is {first:.3g} of its size "
                f"from what {probe.against} gave"
            )
        faster = [part.name for part in found.parts if part.speedup > 1.0]
        distance, wrong = trial.until_right(kept_kernels(folder, found), start, faster, first)
        times = proof.times()
    now = times.get(trial.last)
    slow = now is not None and now > SLOWER * times[START]
    whole = Whole(
        against=probe.against,
        apart=first if slow else distance,
        start_ns=times.get(START),
        now_ns=times.get(START) if slow else now,
        dropped=tuple(faster) if slow else tuple(wrong),
    )
    why = "the whole model was slower with it" if slow else "the whole model was wrong with it"
    for name in whole.dropped:
        (folder / KERNELS / f"{name}.kir").write_text(print_kernel(start[name]), encoding="utf-8")
        found = found.with_part(found.part(name).model_copy(update={"speedup": 1.0, "note": why}))
    return found.model_copy(update={"whole": whole})


def _proof(imported: Path, profile: Profile, probe: Probe, stack: ExitStack) -> Proof:
    if architecture(profile.triple) == architecture(""):
        return Here(imported, profile, probe, stack)
    return Emulated(imported, profile, probe)


class _Trial:
    """Runs sets of kernels, one after another."""

    def __init__(self, model: ImportedModel, imported: Path, profile: Profile, proof: Proof) -> None:
        self._model, self._imported, self._profile, self._proof = model, imported, profile, proof
        self.last = START

    def apart(self, name: str, kernels: Mapping[str, Kernel]) -> float:
        self.last = name
        return self._proof.apart(name, assemble(self._model, self._imported, kernels, self._profile))

    def until_right(
        self, kernels: dict[str, Kernel], start: Mapping[str, Kernel], faster: Sequence[str], first: float
    ) -> tuple[float, list[str]]:
        """Take kernels out until the model is right; with none left, it is what it was at the start."""
        distance, wrong = self.apart("now", kernels) if faster else first, list[str]()
        while not distance <= MOST_APART:
            name = faster[len(wrong)]
            kernels = {**kernels, name: start[name]}
            wrong.append(name)
            distance = self.apart(f"now{len(wrong)}", kernels)
        return distance, wrong


def default_kernels(model: ImportedModel, catalogue: Catalogue, profile: Profile) -> dict[str, Kernel]:
    """Give the default lowering of every function that was raised, by name."""
    return {
        function.name: default_lowering(
            verify_compute(catalogue.workload(function.workload).kernel()), profile.target, profile
        )
        for function in model.functions
        if function.workload is not None
    }
