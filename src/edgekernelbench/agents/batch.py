"""Batch files: prompts written out, answers read in, for models that no program can call.

```text
FOLDER/
├── requests.jsonl       one request a line: id, messages, parameters
├── prompts/ID.txt       folder form: the same as plain text, one file each
├── answers.jsonl        what comes back: {"id": …, "answer": …} a line
└── answers/ID.txt       or: one file each, named like its prompt
```

Answers go into a replay store, so that judging them is an ordinary run with a replayed model.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from edgekernelbench.agents.models.protocol import Message, Reply, Request, Role, Usage
from edgekernelbench.agents.models.replay import replay_key, store_reply
from edgekernelbench.agents.tokens import estimate_tokens
from edgekernelbench.base.errors import RecordError

SEPARATOR = "__"
"""Stands for the slashes of an id in a file name."""
QUESTION = re.compile(r"[0-9a-f]{16}")
"""The id of a question of a round; ids of an export have slashes."""


@dataclass(frozen=True, slots=True)
class BatchItem:
    """One request with the id of its attempt."""

    id: str
    request: Request

    @property
    def file_name(self) -> str:
        """The name of its prompt file and of its answer file."""
        return self.id.replace("/", SEPARATOR) + ".txt"


@dataclass(frozen=True, slots=True)
class BatchAnswers:
    """What came back.

    Attributes:
        answers: Text by id, for ids with exactly one answer.
        missing: Ids without an answer.
        double: Ids with more than one answer, of which none is taken.
        unknown: Ids, or names of files, that belong to no request.
    """

    answers: Mapping[str, str]
    missing: tuple[str, ...]
    double: tuple[str, ...]
    unknown: tuple[str, ...]

    @property
    def is_complete(self) -> bool:
        """Whether every request has exactly one answer, and nothing else came."""
        return not (self.missing or self.double or self.unknown)


def export_batch(items: Sequence[BatchItem], folder: Path, *, as_folder: bool = False) -> None:
    """Write requests out.

    Args:
        items: The requests.
        folder: Where to; it is made.
        as_folder: Whether to write a text file for each prompt as well.

    Raises:
        RecordError: When two ids are the same, also as names of files.
    """
    doubles = [name for name, count in Counter(i.file_name for i in items).items() if count > 1]
    if doubles:
        raise RecordError(f"two requests would have the file {doubles[0]}")
    folder.mkdir(parents=True, exist_ok=True)
    lines = (json.dumps({"id": i.id, **i.request.as_json()}, sort_keys=True) for i in items)
    (folder / "requests.jsonl").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    if as_folder:
        for name in ("prompts", "answers"):
            (folder / name).mkdir(exist_ok=True)
        for item in items:
            text = "\n\n".join(m.content for m in item.request.messages)
            (folder / "prompts" / item.file_name).write_text(text + "\n", encoding="utf-8")


def read_batch(folder: Path) -> tuple[BatchItem, ...]:
    """Read the requests of a batch back.

    Raises:
        RecordError: When the folder is no batch, with file and line.
    """
    return tuple(_item(row, where) for row, where in _rows(folder / "requests.jsonl"))


def read_answers(folder: Path, items: Iterable[BatchItem]) -> BatchAnswers:
    """Read what came back, in either form or in both.

    Args:
        folder: The batch.
        items: Its requests.

    Raises:
        RecordError: When a line is no answer, with file and line.
    """
    wanted = {item.id: item for item in items}
    by_file = {item.file_name: item.id for item in wanted.values()}
    found: list[tuple[str, str]] = []
    if (folder / "answers.jsonl").exists():
        for row, where in _rows(folder / "answers.jsonl"):
            if not isinstance(row.get("id"), str) or not isinstance(row.get("answer"), str):
                raise RecordError(f"{where}: an answer is an object with the texts id and answer")
            found.append((str(row["id"]), str(row["answer"])))
    for path in sorted((folder / "answers").glob("*")):
        # What is no file, or a link to one of whoever reads this, is nobody's answer, and is named as such.
        if path.is_symlink() or not path.is_file():
            found.append((path.name, ""))
            continue
        text = path.read_text(encoding="utf-8", errors="replace")
        found.append((by_file.get(path.name, path.name), text))
    counts = Counter(name for name, _ in found)
    return BatchAnswers(
        answers={name: text for name, text in found if counts[name] == 1 and name in wanted},
        missing=tuple(name for name in wanted if name not in counts),
        double=tuple(name for name in wanted if counts[name] > 1),
        unknown=tuple(sorted(name for name in counts if name not in wanted)),
    )


def store_answers(items: Iterable[BatchItem], answers: Mapping[str, str], *, model: str, store: Path) -> int:
    """Put answers into a replay store.

    Args:
        items: The requests.
        answers: Text by id.
        model: The name of the model that wrote them.
        store: Folder of stored answers.

    Returns:
        How many were new: an answer that is stored already is kept as it is.
    """
    fresh = 0
    for item in items:
        path = store / replay_key(model, item.request)[:2] / f"{replay_key(model, item.request)}.json"
        if item.id in answers and not path.exists():
            text = answers[item.id]
            read = sum(estimate_tokens(m.content) for m in item.request.messages)
            usage = Usage(input=read, output=estimate_tokens(text), estimated=True)
            store_reply(
                path, model, item.request, Reply(text, usage, request_id=f"batch:{item.id}", model=model)
            )
            fresh += 1
    return fresh


def question_id(model: str, request: Request) -> str:
    """Name a question of a round by whom it is asked and by its content.

    Args:
        model: The name of the model, without `batch:`.
        request: What is asked.
    """
    return replay_key(model, request)[:16]


def check_asked(items: Iterable[BatchItem], model: str) -> None:
    """Refuse answers under another name than was asked: nobody would find them.

    Args:
        items: The requests.
        model: The name of the model that is said to have answered.

    Raises:
        RecordError: When a question was asked of another model.
    """
    for item in items:
        if QUESTION.fullmatch(item.id) and item.id != question_id(model, item.request):
            raise RecordError(
                f"question {item.id} was asked of another model than {model}; "
                "give --model the name after `batch:` in the run"
            )


def _rows(path: Path) -> Iterator[tuple[Mapping[str, object], str]]:
    if not path.exists():
        raise RecordError(f"{path.parent} has no {path.name}: it is not a batch")
    # Not `splitlines`: in JSON a string may hold the line separators of Unicode as they are.
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").split("\n"), start=1):
        where = f"{path}:{number}"
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise RecordError(f"{where}: not JSON: {error}") from None
        if not isinstance(row, dict):
            raise RecordError(f"{where}: a line is a JSON object")
        yield row, where


def _item(row: Mapping[str, object], where: str) -> BatchItem:
    try:
        fields = dict(row)
        name = str(fields.pop("id"))
        messages = _messages(fields.pop("messages"))
        return BatchItem(name, Request(messages=messages, **fields))  # type: ignore[arg-type]
    except (KeyError, ValueError, TypeError) as error:
        raise RecordError(f"{where}: not a request: {error}") from None


def _messages(turns: object) -> tuple[Message, ...]:
    if not isinstance(turns, list):
        raise TypeError("messages is not a list")
    return tuple(Message(Role(turn["role"]), str(turn["content"])) for turn in turns)
