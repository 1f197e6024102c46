"""Who may go to the endpoint now: parallel calls may not use together what is left for one."""

from collections.abc import Callable
from dataclasses import dataclass

from anyio import Condition

from edgekernelbench.agents.protocol import Left
from edgekernelbench.agents.proxy.rewriting import UNSAID_ANSWER
from edgekernelbench.base.errors import BudgetExceeded

Admit = Callable[[], Left]
"""Says what is left; may raise `BudgetExceeded`. It is called from the thread of the proxy."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """Leave to go.

    Attributes:
        room: The most tokens that the answer may have; None for no limit.
        reserved: Tokens that are kept for this call while it is under way.
    """

    room: int | None
    reserved: int


@dataclass(frozen=True, slots=True)
class Spent:
    """No leave: the budget is used up.

    Attributes:
        reason: Which limit, for the agent.
    """

    reason: str


class Gate:
    """Lets calls through while there is a budget for them.

    A call that would fit if those under way were not waits for them, since they may use less than they could.

    Args:
        admit: Says what is left.
    """

    def __init__(self, admit: Admit) -> None:
        self._admit = admit
        self._changed = Condition()
        self._under_way = 0
        self._reserved = 0

    async def enter(self, wanted: int | None, prompt: int) -> Ticket | Spent:
        """Wait until a call may go.

        Args:
            wanted: The most tokens of its answer, as the agent says.
            prompt: Estimated tokens of its request.
        """
        async with self._changed:
            while True:
                try:
                    left = self._admit()
                except BudgetExceeded as spent:
                    return Spent(str(spent))
                if 0 in (left.calls, left.tokens, left.money, left.seconds):
                    return Spent(f"the budget is used up; left: {left}")
                ticket = self._ticket(left, wanted, prompt)
                if ticket is not None:
                    self._under_way += 1
                    self._reserved += ticket.reserved
                    return ticket
                await self._changed.wait()

    async def leave(self, ticket: Ticket) -> None:
        """Give back what was kept for a call; what it used is in the account by now."""
        async with self._changed:
            self._under_way -= 1
            self._reserved -= ticket.reserved
            self._changed.notify_all()

    def _ticket(self, left: Left, wanted: int | None, prompt: int) -> Ticket | None:
        if left.calls is not None and left.calls <= self._under_way:
            return None
        if left.money is not None and self._under_way:
            return None  # what a call will cost is known when it has ended
        if left.tokens is None:
            return Ticket(None, 0)
        free = left.tokens - self._reserved
        if free <= 0:
            return None
        answer = UNSAID_ANSWER if wanted is None else wanted
        return Ticket(free, min(free, prompt + answer))
