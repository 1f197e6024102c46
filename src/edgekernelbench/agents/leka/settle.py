"""From a revision to a candidate: each setting of its knobs goes through the gate and to the device."""

from dataclasses import replace

from edgekernelbench.agents.leka.gate import Passed, Placing
from edgekernelbench.agents.leka.knobs import KnobSearch, Probe
from edgekernelbench.agents.leka.measure import room_for_knobs
from edgekernelbench.agents.leka.mind import Refusal, Revision
from edgekernelbench.agents.leka.session import Origin, Session
from edgekernelbench.agents.leka.state import Candidate
from edgekernelbench.base.errors import SourceError
from edgekernelbench.lang.layers import layer_knobs

MAX_PROBES = 64
"""Settings of one revision that are looked at, those that the gate refuses included."""


def settle(
    session: Session, origin: Origin, placing: Placing, revision: Revision, search: KnobSearch
) -> Candidate | Refusal:
    """Resolve the knobs of a revision by measuring.

    Args:
        session: Doors and state.
        origin: Where the revision comes from.
        placing: Where it goes.
        revision: The new layer.
        search: Chooses settings.

    Returns:
        The fastest of its candidates; the first refusal when there is none.

    Raises:
        BudgetExceeded: When nothing may be measured any more.
    """
    if not revision.text:
        refusal = Refusal("no-text", revision.note or "the answer has no block of this layer")
        session.note_unmade(origin, refusal, "")
        return refusal
    try:
        knobs = layer_knobs(placing.parent, placing.layer, revision.text)
    except SourceError:
        knobs = {}  # the gate says what is wrong
    share = session.settings.knob_share
    room = room_for_knobs(session.doors.left(), knobs, share)
    best: Candidate | None = None
    first: Refusal | None = None
    probes: list[Probe] = []
    while len(probes) < MAX_PROBES:
        setting = search(knobs, probes, room)
        if setting is None:
            break
        passed = placing.put_in(revision.text, dict(setting))
        if isinstance(passed, Passed):
            before = session.submissions
            result = session.submit(passed, replace(origin, setting=setting))
            measured = session.submissions > before
        else:
            session.note_unmade(replace(origin, setting=setting), passed, revision.text)
            result, measured = passed, False
        room -= measured
        if isinstance(result, Candidate):
            probes.append(Probe(setting, result.ratio, measured))
            if best is None or result.ratio > best.ratio:
                best = result
        else:
            probes.append(Probe(setting, None, measured))
            first = first or result
    return best or first or Refusal("no-text", "no setting of the knobs was tried")
