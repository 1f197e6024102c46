"""What `ekb optimise` and `ekb import` left in a folder, as something that can be exported."""

from pathlib import Path

from edgekernelbench.base.errors import RecordError
from edgekernelbench.bench.optimising.record import ABOUT, MODEL, Optimisation, load_optimisation
from edgekernelbench.bench.optimising.wholes import default_kernels, kept_kernels
from edgekernelbench.deploy.assembling import assemble
from edgekernelbench.deploy.models import Measured, Source
from edgekernelbench.imports.record import MODEL_FILE, load_model
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.workloads.catalogue import load_catalogue


def open_source(folder: Path, profile: Profile) -> Source:
    """Open a folder.

    Kernels that were found on one device are taken for another as they are. Of a model that was only
    imported, every function has the default lowering.

    Args:
        folder: A folder of `ekb optimise` or of `ekb import`.
        profile: The device to export for.

    Raises:
        RecordError: When it is neither.
        SourceError: When a kernel is refused for the device.
    """
    if (folder / ABOUT).is_file():
        found = load_optimisation(folder)
        imported = folder / MODEL
        model, kernels = load_model(imported), kept_kernels(folder, found)
        return Source(imported, assemble(model, imported, kernels, profile), _measured(found), _whole(found))
    if not (folder / MODEL_FILE).is_file():
        raise RecordError(f"{folder} is no folder of `ekb optimise` or `ekb import`: it has no {MODEL_FILE}")
    model = load_model(folder)
    kernels = default_kernels(model, load_catalogue(folder.resolve()), profile)
    return Source(folder, assemble(model, folder, kernels, profile), {}, {})


def _measured(found: Optimisation) -> dict[str, Measured]:
    return {
        part.name: {
            "device": found.device,
            "time_ns": round(part.now_ns, 1),
            "times_default": round(part.speedup, 3),
        }
        for part in found.parts
    }


def _whole(found: Optimisation) -> Measured:
    whole = found.whole
    if whole is None or whole.start_ns is None or whole.now_ns is None:
        return {}
    return {
        "device": found.device,
        "by": "TVM's virtual machine",
        "time_ns": round(whole.now_ns, 1),
        "times_default": round(whole.start_ns / whole.now_ns, 3),
    }
