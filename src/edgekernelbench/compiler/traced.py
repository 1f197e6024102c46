"""A kernel that TVM scheduled: a compute layer with one trace a part. Data, replayed in workers only."""

import json
from dataclasses import dataclass

from edgekernelbench.base.errors import RecordError

SCHEMA = "traced/1"


@dataclass(frozen=True, slots=True)
class Part:
    """Some stages that are scheduled together.

    Attributes:
        stages: Their names, in text order.
        trace: What TVM did to them, as TVM writes it in JSON; empty for TVM's own plain loops.
    """

    stages: tuple[str, ...]
    trace: str = ""


@dataclass(frozen=True, slots=True)
class Traced:
    """A kernel with TVM's schedule.

    Attributes:
        text: The kernel text; only its compute layer counts.
        parts: In the order in which they run.
        prepared: Stages that are evaluated once per weights.
    """

    text: str
    parts: tuple[Part, ...]
    prepared: tuple[str, ...] = ()

    def to_json(self) -> str:
        """Write it as one line of JSON."""
        parts = [{"stages": list(p.stages), "trace": p.trace} for p in self.parts]
        fields = {"schema": SCHEMA, "text": self.text, "prepared": list(self.prepared), "parts": parts}
        return json.dumps(fields)


def read_traced(text: str) -> Traced:
    """Read what `to_json` wrote.

    Args:
        text: One JSON object.

    Returns:
        The kernel.

    Raises:
        RecordError: When the text is no such object.
    """
    try:
        fields = json.loads(text)
        if fields["schema"] != SCHEMA:
            raise RecordError(f"expected a traced kernel of schema {SCHEMA}, found {fields['schema']!r}")
        parts = tuple(Part(tuple(map(str, p["stages"])), str(p["trace"])) for p in fields["parts"])
        return Traced(str(fields["text"]), parts, tuple(map(str, fields["prepared"])))
    except (ValueError, KeyError, TypeError) as error:
        raise RecordError(f"expected a traced kernel as JSON, found something else: {error}") from None
