"""From a workload to what its task card says."""

from edgekernelbench.agents.card import CardFacts, PlainFacts
from edgekernelbench.agents.protocol import Track
from edgekernelbench.compiler.c.build import FLAGS
from edgekernelbench.compiler.control.prototype import write_prototype
from edgekernelbench.compiler.control.screen import INCLUDES
from edgekernelbench.evaluator.signature import describe_param, outputs_of
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.records.language import Language
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.schema import Workload


def card_facts(
    workload: Workload, track: Track, profile: Profile, language: Language = "kernel"
) -> CardFacts:
    """Collect what the card of a workload says.

    Args:
        workload: The workload.
        track: Which question is asked; the canonical text, with the schedule and memory of the default
            lowering, is told in *optimise* only.
        profile: The device.
        language: What is to be written.

    Returns:
        Plain values: nothing that leads back to the catalogue.
    """
    kernel = workload.kernel()
    return CardFacts(
        workload=workload.id,
        title=_title(kernel.doc, kernel.name),
        name=kernel.name,
        parameters=", ".join(describe_param(p) for p in kernel.params),
        outputs=tuple(_type(s.dtype, s.shape) for s in outputs_of(kernel)),
        arithmetic=f"sums in {workload.accumulate} or wider",
        pytorch=workload.torch_text,
        sizes={name: _plain(value) for name, value in workload.sizes.items()},
        canonical=start_text(kernel, profile) if track is Track.OPTIMISE else None,
        plain=plain_facts(kernel) if language == "c" else None,
    )


def plain_facts(kernel: Kernel) -> PlainFacts:
    """Collect what a card says where plain C is asked for.

    Args:
        kernel: The canonical kernel, for its signature alone.
    """
    outputs = tuple((stage.dtype, stage.shape) for stage in outputs_of(kernel))
    return PlainFacts(write_prototype(kernel.params, outputs).declaration, INCLUDES, (*FLAGS, "-fopenmp"))


def start_text(kernel: Kernel, profile: Profile) -> str:
    """Write what every agent of the *optimise* track starts from: a compute layer, lowered by rules.

    Args:
        kernel: The compute layer.
        profile: The device.
    """
    return print_kernel(default_lowering(verify_compute(kernel), profile.target, profile))


def _title(doc: str, name: str) -> str:
    """Take the first sentence of a pattern's docstring, without the name before the colon."""
    first = " ".join(doc.strip().split("\n\n")[0].split())
    return first.removeprefix(f"{name}:").strip() or name


def _type(dtype: DType, shape: tuple[int, ...]) -> str:
    return f"{dtype}[{', '.join(map(str, shape))}]" if shape else str(dtype)


def _plain(value: float | DType) -> int | float | str:
    return str(value) if isinstance(value, DType) else value
