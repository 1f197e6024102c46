"""What is wrong with a text, in all of its layers at once."""

from dataclasses import dataclass

from edgekernelbench.base.diagnostics import Diagnostic, errors_in
from edgekernelbench.base.errors import SourceError
from edgekernelbench.lang.parse import Sizes, survey
from edgekernelbench.nest.build import build_nest, survey_names
from edgekernelbench.nest.tree import Nest
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.verify.compute import survey_compute
from edgekernelbench.verify.facts import Facts


@dataclass(frozen=True, slots=True)
class Found:
    """What became of a text.

    Attributes:
        facts: What was proven of the compute layer; None when it was refused.
        nest: What the layers mean together; None when something was refused.
        diagnostics: Everything that was found, in source order: errors of every layer, and warnings.
        open: Capitals of a pattern without a value: then neither facts nor a nest can be had.
    """

    facts: Facts | None
    nest: Nest | None
    diagnostics: tuple[Diagnostic, ...]
    open: tuple[str, ...] = ()


def survey_text(source: str, profile: Profile, sizes: Sizes | None = None) -> Found:
    """Look at all three layers of a text, for the target of a device.

    A layer that is wrong does not hide what is wrong with the others; what only follows from it is left out.

    Args:
        source: Any string.
        profile: The device.
        sizes: Values of capitals.

    Returns:
        The nest, or everything that is wrong.
    """
    read = survey(source, sizes)
    if read.kernel is None:
        return Found(None, None, read.diagnostics, read.open)
    proven = survey_compute(read.kernel)
    found = [*read.diagnostics, *proven.diagnostics]
    refused = bool(errors_in(found))
    facts = None if errors_in(proven.diagnostics) else proven.facts
    nest = None
    if proven.facts is not None and refused:
        found += survey_names(proven.facts, profile.target, profile, read.unmade)
    elif proven.facts is not None:
        try:
            nest = build_nest(proven.facts, profile.target, profile)
        except SourceError as error:
            found += error.diagnostics
    return Found(facts, nest, tuple(sorted(found, key=lambda d: (d.span.line, d.span.column))))
