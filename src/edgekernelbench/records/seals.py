"""Seals: what shows that a stored record was changed, taken out or put in afterwards.

Every line ends with a seal of 64 hexadecimal digits. The first half is a hash of the line itself. The second
half is a hash of the seal before it and of that first half, so lines form a chain that begins at the
manifest. The manifest holds a hash of itself.

Seals keep no secret: who edits a line can write all seals after it anew. What that cannot do is keep the
digest of the run, which a published table names, or make another judge agree.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from edgekernelbench.base.hashing import canonical_json

HALF = 32
_SEALED = re.compile(rb',"seal":"([0-9a-f]{64})"\}$')
DIGEST = "digest"
"""The field of a manifest that holds its hash."""


@dataclass(frozen=True, slots=True)
class Flaw:
    """Where the records of a run are not what was written.

    Attributes:
        file: Name of the file.
        line: Which line, from 1; None for a whole file.
        what: What is wrong with it.
    """

    file: str
    line: int | None
    what: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{place}: {self.what}"


def add_seal(body: bytes, before: str) -> tuple[bytes, str]:
    """Seal one record.

    Args:
        body: A JSON object on one line.
        before: The seal of the line before it, or the root.

    Returns:
        The same object with its seal as the last field, and that seal.
    """
    seal = _seal_of(body, before)
    return body[:-1] + f',"seal":"{seal}"}}'.encode(), seal


def split_seal(line: bytes) -> tuple[bytes, str | None]:
    """Take the seal off a line.

    Args:
        line: A line of a file of records, without its line break.

    Returns:
        The record, and its seal; None for one that was written before there were seals.
    """
    found = _SEALED.search(line)
    return (line, None) if found is None else (line[: found.start()] + b"}", found[1].decode())


def root_seal(manifest: bytes, name: str) -> str:
    """Give what the first line of a file follows.

    Args:
        manifest: The contents of the manifest.
        name: Name of the file of records.
    """
    return _hash(f"{name} {manifest_digest(manifest)}".encode())


def manifest_digest(manifest: bytes) -> str:
    """Hash a manifest, whatever its layout and without the hash that it holds.

    Raises:
        ValueError: When it is no JSON object.
    """
    values = json.loads(manifest)
    if not isinstance(values, dict):
        raise ValueError("expected an object")  # noqa: TRY004 - of a file, not of an argument
    return hashlib.sha256(
        canonical_json({name: value for name, value in values.items() if name != DIGEST}).encode()
    ).hexdigest()


def last_seal(path: Path, root: str) -> str:
    """Give what the next line of a file follows.

    Args:
        path: The file; only whole lines are in it.
        root: Its `root_seal`.
    """
    chain = _Chain(root)
    for line in _whole_lines(path):
        chain.add(line)
    return chain.seal


def find_flaws(path: Path, root: str, *, must_be_sealed: bool) -> Iterator[Flaw]:
    """Look for lines that are not as they were written.

    Args:
        path: A file of records; one that does not exist has no lines.
        root: Its `root_seal`.
        must_be_sealed: Whether lines without a seal cannot be from the time before there were seals.
    """
    chain = _Chain(root)
    for number, line in enumerate(_whole_lines(path), 1):
        expected_after = chain.seal
        body, seal = split_seal(line)
        if seal is None:
            if must_be_sealed or chain.is_sealed:
                yield Flaw(path.name, number, "its seal was taken off")
        elif seal[:HALF] != _hash(body)[:HALF]:
            yield Flaw(path.name, number, "was changed after it was written")
        elif seal != _seal_of(body, expected_after):
            before = "the manifest" if number == 1 else "the line before it"
            yield Flaw(
                path.name, number, f"does not follow {before}: something was taken out, put in or changed"
            )
        chain.add(line)


class _Chain:
    """What has been read of a file: the seal that the next line follows."""

    def __init__(self, root: str) -> None:
        self.seal = root
        self.is_sealed = False
        self._prefix = hashlib.sha256(root.encode())

    def add(self, line: bytes) -> None:
        _, seal = split_seal(line)
        if seal is not None:
            self.seal, self.is_sealed = seal, True
        elif not self.is_sealed:
            # Lines from before there were seals are covered by the first seal after them.
            self._prefix.update(line + b"\n")
            self.seal = self._prefix.hexdigest()


def _whole_lines(path: Path) -> Iterator[bytes]:
    if not path.exists():
        return
    with path.open("rb") as stream:
        for line in stream:
            if line.endswith(b"\n"):
                yield line[:-1]


def _seal_of(body: bytes, before: str) -> str:
    own = _hash(body)[:HALF]
    return own + _hash(f"{before} {own}".encode())[:HALF]


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
