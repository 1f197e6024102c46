"""Which attempts of a run were judged by another reference time than the others on their workload."""

from collections import defaultdict
from collections.abc import Mapping

from edgekernelbench.metrics.references import apart_references
from edgekernelbench.records.judgement import Judgement
from edgekernelbench.records.outcome import Correct


def apart_attempts(judgements: Mapping[str, Judgement], baseline: str) -> frozenset[str]:
    """Find the attempts whose reference took another time than those of the others on the workload.

    Args:
        judgements: What a run found, by the id of the attempt.
        baseline: Name of the run's reference.

    Returns:
        Their ids (`references.apart_references`).
    """
    groups: dict[str, dict[str, Correct]] = defaultdict(dict)
    for name, judgement in judgements.items():
        if isinstance(judgement.outcome, Correct) and judgement.outcome.rings:
            groups[judgement.workload][name] = judgement.outcome
    return frozenset(
        name
        for timed in groups.values()
        for name, is_apart in zip(
            timed, apart_references([one.rings for one in timed.values()], baseline), strict=True
        )
        if is_apart
    )
