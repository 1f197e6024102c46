"""A model that answers through files, one round after another: what is not answered yet is written down.

```text
ANSWERS/
├── ab/ab….json          answers that are stored
└── pending-1/           a round, in the form of a batch: requests.jsonl, prompts/ID.txt
```
All rows of a run share a round, which holds each open question once; its first stored answer closes it.
An attempt that waits for an answer is lost for now. When the round was answered (`ekb batch import`), `ekb
resume` makes it again, with what the device had said before, and comes as far as the next question.
"""

import json
from pathlib import Path
from threading import Lock

from edgekernelbench.agents.batch import BatchItem, question_id, read_batch
from edgekernelbench.agents.models.protocol import Reply, Request
from edgekernelbench.agents.models.replay import ReplayModel
from edgekernelbench.base.errors import ModelError

ROUND = "pending"


class WaitingModel:
    """Gives stored answers, and writes down the questions that have none.

    Attributes:
        name: The name of the model that will answer.
        round: The folder of this round; it is made with its first question.

    Raises:
        RecordError: When the last round cannot be read.
    """

    def __init__(self, store: Path, name: str) -> None:
        self.name = name
        self._stored = ReplayModel(store, name=name)
        self._asked: set[str] = set()
        numbers = [int(p.name.rpartition("-")[2]) for p in store.glob(f"{ROUND}-*") if p.name[-1].isdecimal()]
        last = max(numbers, default=0)
        self.round = store / f"{ROUND}-{last}"
        if not last or not self._goes_on():
            self.round = store / f"{ROUND}-{last + 1}"
        self._lock = Lock()

    def complete(self, request: Request) -> Reply:
        """Give the stored answer, else write the question down.

        Raises:
            ModelError: When it is not answered yet.
            RecordError: When a stored answer cannot be read.
        """
        if self._stored.path(request).exists():
            return self._stored.complete(request)
        with self._lock:
            self._write(request)
        raise ModelError(
            f"it waits for an answer of {self.name}, the question is in {self.round.name} of the answers; "
            "`ekb batch import` takes answers, `ekb resume` goes on"
        )

    def _goes_on(self) -> bool:
        """Whether the last round is this model's, with no answer stored; then its questions are known."""
        items = read_batch(self.round)
        ours = all(item.id == question_id(self.name, item.request) for item in items)
        if not ours or any(self._stored.path(item.request).exists() for item in items):
            return False
        self._asked = {item.id for item in items}
        return True

    def _write(self, request: Request) -> None:
        item = BatchItem(question_id(self.name, request), request)
        if item.id in self._asked:
            return
        self._asked.add(item.id)
        for name in ("prompts", "answers"):
            (self.round / name).mkdir(parents=True, exist_ok=True)
        with (self.round / "requests.jsonl").open("a", encoding="utf-8") as file:
            file.write(json.dumps({"id": item.id, **request.as_json()}, sort_keys=True) + "\n")
        text = "\n\n".join(f"[{m.role}]\n{m.content}" for m in request.messages)
        (self.round / "prompts" / item.file_name).write_text(text + "\n", encoding="utf-8")
