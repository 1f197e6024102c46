"""What host and board say to each other: questions and answers in JSON, and files in pieces.

```text
judge ── JSON lines ──▶ courier ── TVM's RPC ──▶ session on the board ── fork server ──▶ worker
```
The courier is a process of its own: a board that says nothing any more is left behind by ending it.
"""

from edgekernelbench.base.errors import EkbError
from edgekernelbench.evaluator.supervisor import ServerLost

ASK = "edgekernelbench.ask"
PUT = "edgekernelbench.put"
GET = "edgekernelbench.get"
"""Names under which a board's functions are registered with TVM."""

NEEDS = "pip install 'edgekernelbench[boards]'"


class BoardLost(ServerLost):
    """A board does not answer any more: nothing is known of the kernel that was on it."""


class BoardError(EkbError):
    """A board answered with an error of its own."""
