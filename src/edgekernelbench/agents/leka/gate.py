"""Gate: free. Parse, put the layer in its place, prove, limits, build, values; the first error ends it.

Frozen layers are applied again word for word. Where one no longer fits, the answer names its directive;
nothing is edited for anybody. Who changes compute may say that the other layers are given up; then they are
written anew by the default rules, or, in the *write* track, left empty.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from edgekernelbench.agents.leka.mind import Refusal
from edgekernelbench.agents.protocol import Check
from edgekernelbench.base.diagnostics import Diagnostic, Layer, errors_in
from edgekernelbench.base.errors import SourceError
from edgekernelbench.base.hashing import hash_text
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.layers import replace_layer
from edgekernelbench.lang.parse import parse
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.nest.printing import print_nest
from edgekernelbench.nest.survey import survey_text
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.verify.compute import verify_compute


@dataclass(frozen=True, slots=True)
class Passed:
    """A kernel that is legal on the device.

    Attributes:
        kernel: Its layers.
        text: Its canonical text.
        digest: Hash of the nest that it means: two texts with one nest are one kernel, whatever their words.
    """

    kernel: Kernel
    text: str
    digest: str


def read_whole(text: str, profile: Profile) -> Passed | Refusal:
    """Let a whole text through.

    Args:
        text: What was written.
        profile: The device.
    """
    try:
        kernel = parse(text)
    except SourceError as error:
        return Refusal("parse", _first(error.diagnostics, error.source or text))
    return legal(kernel, None, profile)


@dataclass(frozen=True, slots=True)
class Placing:
    """Where a new layer goes.

    Attributes:
        parent: The kernel whose other layers are frozen.
        layer: The layer; `TEXT` replaces all three.
        profile: The device.
        giving_up: Whether schedule and memory are given up for a new compute layer.
        defaults: Whether they are then written by the default rules, or left empty.
        others: Texts of other layers that go with the new one.
    """

    parent: Kernel
    layer: Layer
    profile: Profile
    giving_up: bool = False
    defaults: bool = False
    others: tuple[tuple[Layer, str], ...] = ()

    def put_in(self, text: str, knobs: Mapping[str, int | float]) -> Passed | Refusal:
        """Put a text in its place, and see whether all layers fit.

        Args:
            text: What was written.
            knobs: Values of its knobs.
        """
        try:
            kernel = replace_layer(self.parent, self.layer, text, knobs)
            for layer, block in self.others:
                kernel = replace_layer(kernel, layer, block)
            if self.giving_up and self.layer is Layer.COMPUTE:
                kernel = self._afresh(kernel)
        except SourceError as error:
            return Refusal("parse", _first(error.diagnostics, error.source or text))
        if kernel.name != self.parent.name:
            return Refusal("parse", f"expected def {self.parent.name}, found def {kernel.name}")
        whole = self.giving_up or bool(self.others) or self.layer is Layer.TEXT
        return legal(kernel, None if whole else self.layer, self.profile)

    def _afresh(self, kernel: Kernel) -> Kernel:
        bare = replace(kernel, schedules=(), memories=())
        if not self.defaults:
            return bare
        return default_lowering(verify_compute(bare), self.profile.target, self.profile)


def legal(kernel: Kernel, changed: Layer | None, profile: Profile) -> Passed | Refusal:
    """Prove a kernel, resolve its layers, and compare with the limits of the device.

    Args:
        kernel: The kernel.
        changed: The layer that was changed; None when all of it is new.
        profile: The device.
    """
    text = print_kernel(kernel)
    found = survey_text(text, profile)
    errors = errors_in(found.diagnostics)
    if errors or found.nest is None:
        frozen = [d for d in errors if changed is not None and d.layer not in (changed, Layer.TEXT)]
        own = [d for d in errors if d not in frozen]
        if frozen and not own:
            first = frozen[0]
            head = f"the frozen {first.layer} layer no longer fits the new {changed} layer:"
            return Refusal("layers", f"{head}\n{first.render(text, 'kernel')}", broken=True)
        return Refusal("check", _first(tuple(own), text))
    return Passed(kernel, text, hash_text(print_nest(found.nest)))


def try_out(text: str, check: Check) -> Refusal | None:
    """Build a text and run it on the public inputs.

    Args:
        text: A legal text.
        check: The free door.

    Returns:
        What is wrong with it; None when nothing is.
    """
    feedback = check(text)
    if feedback.accepted and feedback.correct is not False:
        return None
    words = feedback.text.rsplit("\nleft: ", 1)[0]
    return Refusal("values" if feedback.accepted else "check", words)


def _first(diagnostics: tuple[Diagnostic, ...], source: str) -> str:
    errors = errors_in(diagnostics)
    return errors[0].render(source, "kernel") if errors else "the text was refused"
