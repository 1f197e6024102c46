"""From a kernel to what a card says of it."""

from edgekernelbench.agents.describe import describe
from edgekernelbench.agents.protocol import Track
from edgekernelbench.lang.parse import parse

TEXT = """def pick(x: f32[8], w: const[i4[4, 8]], n: i32[4] in range(8)):
    with compute:
        best: i32 = argmax(x[i] for i in range(8))
        out[i]: f32[4] = x[n[i]] * f32(w[i, 0])
        return out, best
"""


def test_signature_and_outputs_are_written_in_the_language() -> None:
    facts = describe(
        parse(TEXT),
        workload="a/b@c-f32",
        pytorch="def pick(): ...",
        sizes={},
        accumulate="f32",
        track=Track.OPTIMISE,
    )
    assert facts.signature == "def pick(x: f32[8], w: const[i4[4, 8]], n: i32[4] in range(8)):"
    assert facts.outputs == ("f32[4]", "i32")
    assert facts.title == "pick"
    assert facts.track is Track.OPTIMISE
