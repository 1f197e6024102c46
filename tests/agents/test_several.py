"""One card for several targets."""

from tests.agents.test_card import CPU, GPU, facts

from edgekernelbench.agents.card import make_task
from edgekernelbench.agents.ledger import Budget
from edgekernelbench.agents.protocol import Track
from edgekernelbench.agents.several import widen_task


def test_other_targets_are_named_with_their_directives() -> None:
    first = make_task(facts(Track.WRITE), CPU, Budget())
    wide = widen_task(first, [GPU], short=False)

    assert wide.prompt.startswith(first.prompt)
    assert "- cuda: A small GPU" in wide.prompt
    assert 'schedule("cuda") and memory("cuda")' in wide.prompt
    assert wide.system.startswith(first.system)
    assert "blockIdx.x" in wide.system
    assert "blockIdx.x" not in first.system


def test_another_device_of_the_same_target_changes_nothing() -> None:
    first = make_task(facts(Track.WRITE), CPU, Budget())
    assert widen_task(first, [CPU], short=False) == first
    assert widen_task(first, [], short=True) == first
