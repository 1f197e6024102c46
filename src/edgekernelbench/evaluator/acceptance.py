"""Whether a text may be compiled: legal in all layers, its workload's signature, arithmetic wide enough."""

from edgekernelbench.base.diagnostics import Diagnostic, errors_in
from edgekernelbench.base.errors import SourceError
from edgekernelbench.evaluator.budgets import check_budget
from edgekernelbench.evaluator.signature import verify_arithmetic, verify_signature, verify_sums
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.parse import parse
from edgekernelbench.nest.survey import Found, survey_text
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.schema import Workload


def accept(workload: Workload, text: str, profile: Profile) -> Kernel:
    """Look at all layers of a text, and check it against the workload and the limits of a device.

    Args:
        workload: For which workload.
        text: The kernel text, whatever it is.
        profile: The device.

    Returns:
        The kernel, knobs at their first option.

    Raises:
        SourceError: With everything that is wrong in any layer, in source order.
    """
    found = survey_text(text, profile)
    problems = [*found.diagnostics, *_against(workload, found, profile)]
    if errors_in(problems) or found.nest is None:
        if not errors_in(problems):
            parse(text)  # capitals without values: only a binding says what is missing
        raise SourceError(sorted(problems, key=lambda d: (d.span.line, d.span.column)), text)
    return parse(text)


def _against(workload: Workload, found: Found, profile: Profile) -> tuple[Diagnostic, ...]:
    """Compare a text whose compute layer is proven with what its workload asks for."""
    if found.facts is None:
        return ()
    canonical = workload.kernel()
    problems = verify_signature(found.facts.kernel, canonical)
    if problems:
        return problems
    own = verify_compute(canonical)
    problems = (
        *verify_arithmetic(found.facts.kernel, own.kernel, workload.accumulate),
        *verify_sums(found.facts, own, workload.accumulate),
    )
    if problems or found.nest is None:
        return problems
    return check_budget(found.nest, workload, profile)
