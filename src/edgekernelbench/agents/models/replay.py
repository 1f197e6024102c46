"""Stored answers, by the content of what was asked; kept for ever."""

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from edgekernelbench.agents.models.protocol import ChatModel, Reply, Request, Stop, Usage
from edgekernelbench.base.errors import ModelError, RecordError
from edgekernelbench.base.hashing import canonical_json

SCHEMA = "reply/1"


class ReplayModel:
    """Gives stored answers, and asks a model behind it for those that are missing.

    An answer is a file named by the hash of model, parameters, messages and sample, so that a store
    can be copied, merged and committed. Nothing expires.

    Attributes:
        name: The name of the model whose answers these are.
        hits: How many answers came from the store.
    """

    def __init__(self, folder: Path, behind: ChatModel | None = None, name: str = "") -> None:
        self.name = behind.name if behind is not None else name
        self.hits = 0
        self._folder = folder
        self._behind = behind

    def complete(self, request: Request) -> Reply:
        """Give the stored answer, else ask and store.

        Raises:
            ModelError: When the answer is not stored and no model stands behind.
            RecordError: When the stored file cannot be read.
        """
        path = self.path(request)
        if path.exists():
            self.hits += 1
            return _read(path)
        if self._behind is None:
            raise ModelError(f"no stored answer {path.name} of {self.name!r} in {self._folder}")
        reply = self._behind.complete(request)
        store_reply(path, self.name, request, reply)
        return reply

    def path(self, request: Request) -> Path:
        """Say where the answer to a request is stored."""
        key = replay_key(self.name, request)
        return self._folder / key[:2] / f"{key}.json"


def replay_key(model: str, request: Request) -> str:
    """Name a call by its content.

    Args:
        model: The model's name.
        request: What is asked, the sample number included.

    Returns:
        64 hexadecimal digits.
    """
    return _key({"model": model, **request.as_json()})


def _key(asked: Mapping[str, object]) -> str:
    return hashlib.sha256(canonical_json(asked).encode("utf-8", "backslashreplace")).hexdigest()


def reply_to_json(reply: Reply) -> Mapping[str, object]:
    """Give a reply as plain values."""
    return {
        "text": reply.text,
        "usage": reply.usage.as_json(),
        "stop": str(reply.stop),
        "latency_ns": reply.latency_ns,
        "request_id": reply.request_id,
        "model": reply.model,
    }


def reply_from_json(row: Mapping[str, object]) -> Reply:
    """Build a reply from plain values.

    Raises:
        KeyError: When a field is missing.
        TypeError: When a field has the wrong type.
        ValueError: When a field has a value that there is not.
    """
    usage = row["usage"]
    if not isinstance(usage, dict):
        raise TypeError("usage is not an object")
    return Reply(
        text=str(row["text"]),
        usage=Usage(**usage),
        stop=Stop(str(row["stop"])),
        latency_ns=int(str(row["latency_ns"])),
        request_id=str(row["request_id"]),
        model=str(row["model"]),
    )


def _read(path: Path) -> Reply:
    try:
        row = json.loads(path.read_text(encoding="utf-8"))
        key, reply = _key({"model": row["model"], **row["request"]}), reply_from_json(row["reply"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RecordError(f"{path}: not a stored reply: {error}") from error
    if key != path.stem:
        raise RecordError(f"{path}: expected the answer to what its name stands for, found that to {key}")
    return reply


def store_reply(path: Path, model: str, request: Request, reply: Reply) -> None:
    """Write one stored answer.

    Args:
        path: The file, named by the key of the request.
        model: The model's name.
        request: What was asked.
        reply: What was answered.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    row = {"schema": SCHEMA, "model": model, "request": request.as_json(), "reply": reply_to_json(reply)}
    # A file of its own and a rename: two threads, or a kill, leave a whole answer or none.
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(row, file, indent=1, sort_keys=True)
    Path(name).replace(path)
