"""The whole model with the kernels that were found: is it still the model, and what did it gain?"""

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from edgekernelbench.base.errors import RecordError
from edgekernelbench.bench.optimising.record import KERNELS, MODEL, Optimisation, Whole
from edgekernelbench.deploy.assembling import assemble
from edgekernelbench.deploy.probes import MOST_APART, load_probe, worst_distance
from edgekernelbench.deploy.proving import Stand, build_library
from edgekernelbench.imports.record import ImportedModel
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.parse import parse
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.catalogue import Catalogue, load_catalogue


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


def prove_whole(folder: Path, model: ImportedModel, found: Optimisation, profile: Profile) -> Optimisation:
    """Run the model with the kernels that are kept, beside what its own framework gave.

    Where the model is wrong, kernels are taken out one after another until it is right; their texts are then
    those of the default lowering.

    Args:
        folder: The result folder.
        model: The model.
        found: What was found.
        profile: The device, a CPU of this machine.

    Returns:
        The record with what the whole came to.

    Raises:
        RecordError: When the model is wrong even with the default lowering everywhere.
    """
    imported = folder / MODEL
    catalogue, probe = load_catalogue(imported.resolve()), load_probe(model, imported)
    start = default_kernels(model, catalogue, profile)
    kernels = kept_kernels(folder, found)
    with TemporaryDirectory(prefix="ekb-") as place, closing(Stand(profile.threads, probe.inputs)) as stand:

        def apart(name: str, texts: Mapping[str, Kernel]) -> float:
            library = Path(place) / f"{name}.so"
            build_library(assemble(model, imported, texts, profile), imported, profile, library)
            return worst_distance(stand.add(name, library), probe.outputs)

        first = apart("start", start)
        if not first <= MOST_APART:
            raise RecordError(
                f"{model.name} by the default lowering is {first:.3g} of its size "
                f"from what {probe.against} gave"
            )
        faster = [part.name for part in found.parts if part.speedup > 1.0]
        distance = apart("now", kernels) if faster else first
        dropped: tuple[str, ...] = ()
        number = 0
        while not distance <= MOST_APART:
            name = faster[number]
            kernels[name] = start[name]
            dropped, number = (*dropped, name), number + 1
            distance = apart(f"now{number}", kernels)
        times = stand.times()
        last = f"now{number}" if number else "now"
    whole = Whole(
        against=probe.against,
        apart=distance,
        start_ns=times["start"],
        now_ns=times.get(last, times["start"]),
        dropped=dropped,
    )
    for name in dropped:
        (folder / KERNELS / f"{name}.kir").write_text(print_kernel(start[name]), encoding="utf-8")
        part = found.part(name).model_copy(
            update={"speedup": 1.0, "note": "the whole model was wrong with it"}
        )
        found = found.with_part(part)
    return found.model_copy(update={"whole": whole})


def default_kernels(model: ImportedModel, catalogue: Catalogue, profile: Profile) -> dict[str, Kernel]:
    """Give the default lowering of every function that was raised, by name."""
    return {
        function.name: default_lowering(
            verify_compute(catalogue.workload(function.workload).kernel()), profile.target, profile
        )
        for function in model.functions
        if function.workload is not None
    }
