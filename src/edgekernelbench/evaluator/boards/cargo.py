"""Files on their way: what a board has of them already stays here, and what came back before stays there."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from edgekernelbench.evaluator.boards.line import Line
from edgekernelbench.evaluator.boards.pieces import PieceStore, offsets, opened, write
from edgekernelbench.evaluator.boards.wire import MOST_LOAD_BYTES, BoardLost, Fields
from edgekernelbench.evaluator.supervisor import ServerLost

KEPT_BYTES = 64 << 20
"""Pieces that are kept here: inputs and poison, and what came back, since processes that run the same kernel
leave the same outputs."""

SLOWEST_BYTES_S = 500_000
"""Files travel at least at this rate."""

DROP_S = 120.0
"""How long a board may take to end a worker and to remove its files."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a piece is.

    Attributes:
        name: The file.
        number: Which piece of it.
        offset: Where in it.
        size: Bytes.
    """

    name: str
    number: int
    offset: int
    size: int


class Cargo:
    """Goes between this machine and one board.

    Attributes:
        line: Leads to the board.
        known: The newest pieces that went there, or came from there.
    """

    def __init__(self, line: Line) -> None:
        """Keep nothing yet."""
        self.line = line
        self.known = PieceStore(KEPT_BYTES)


class Shipment:
    """Files in one folder of a board, and what is known of them here; used by one thread at a time.

    Attributes:
        line: Leads to the board.
        folder: Where the files are here.
    """

    def __init__(self, cargo: Cargo, folder: Path) -> None:
        """Bring nothing yet.

        Args:
            cargo: Goes to the board.
            folder: Where the files are here.
        """
        self.line = cargo.line
        self._known = cargo.known
        self.folder = folder
        self._number: int | None = None
        self._sizes: dict[str, list[int]] = {}
        self._ours: dict[str, list[str]] = {}

    @property
    def number(self) -> int:
        """The folder, as the board counts."""
        if self._number is None:
            raise ServerLost("nothing was brought to the board")
        return self._number

    def bring(self, files: Mapping[str, Sequence[int]]) -> None:
        """Lay files in the folder on the board, which is made with the first.

        Args:
            files: Sizes of the pieces of each, by name.

        Raises:
            BoardLost: When the board does not answer.
            ServerLost: When a file is not here as it was said to be.
            OSError: When the board has no room for them.
        """
        spots: dict[str, Spot] = {}
        for name, sizes in files.items():
            pieces = self._known.names(self.folder / name, sizes)
            if pieces is None:
                raise ServerLost(f"expected {name} to have {sum(sizes)} bytes, found another file")
            self._sizes[name], self._ours[name] = list(sizes), pieces
            spots.update(_spots(name, sizes, pieces))
        manifest = [{"name": n, "sizes": self._sizes[n], "digests": self._ours[n]} for n in files]
        lay = {"do": "lay", "folder": self._number, "files": manifest}
        answer = self.line.ask(lay, self.patience_s(list(files)))
        self._number = int(answer["folder"])
        for load in loads([spots[piece] for piece in answer["missing_pieces"]]):
            fill = {"do": "fill", "sizes": [spot.size for spot in load]}
            data = [_read(self.folder, spot) for spot in load]
            self.line.exchange(fill, data, MOST_LOAD_BYTES / SLOWEST_BYTES_S)
            for spot, piece in zip(load, data, strict=True):
                self._known.add(piece, self._ours[spot.name][spot.number])

    def drop(self) -> None:
        """Remove the folder on the board, with the worker in it; a board that is lost has neither."""
        if self._number is not None and not self.line.lost:
            with suppress(BoardLost):
                self.line.ask({"do": "close", "folder": self._number}, DROP_S)

    def show(self, names: Sequence[str]) -> list[Fields]:
        """Ask, beside another question, what is in some files now."""
        return [{"name": name, "sizes": list(self._sizes[name])} for name in names]

    def patience_s(self, names: Sequence[str]) -> float:
        """Say how long that may take more."""
        return sum(sum(self._sizes[name]) for name in names) / SLOWEST_BYTES_S

    def fetch(self, shown: Mapping[str, list[str] | None]) -> None:
        """Make files here what they are on the board.

        Args:
            shown: What the board answered to `show`.

        Raises:
            BoardLost: When the board does not answer.
            ServerLost: When it no longer has a file whole.
        """
        wanted: dict[str, list[Spot]] = {}
        for name, theirs in shown.items():
            ours = self._ours[name]
            if theirs is None or len(theirs) != len(ours):
                raise ServerLost(f"the board no longer has {name} whole")
            for piece, spot in _spots(name, self._sizes[name], theirs):
                if piece != ours[spot.number]:
                    wanted.setdefault(piece, []).append(spot)
        for piece in list(wanted):
            kept = self._known.get(piece)
            if kept is not None:
                self._write(wanted.pop(piece), kept, piece)
        groups = {spots[0]: spots for spots in wanted.values()}
        for load in loads(list(groups)):
            order = {
                "do": "fetch",
                "folder": self.number,
                "wanted": [[s.name, s.offset, s.size] for s in load],
            }
            _, behind = self.line.exchange(order, (), MOST_LOAD_BYTES / SLOWEST_BYTES_S)
            if len(behind) != sum(spot.size for spot in load):
                raise ServerLost(f"the board gave {len(behind)} bytes where others were asked for")
            starts = offsets([spot.size for spot in load])
            for spot, start in zip(load, starts, strict=True):
                data = behind[start : start + spot.size]
                # Be it what the board had named or not: a worker may still be at it.
                self._write(groups[spot], data, self._known.add(data))

    def _write(self, spots: Sequence[Spot], data: bytes | memoryview, piece: str) -> None:
        for spot in spots:
            self._ours[spot.name][spot.number] = piece
            with opened(self.folder / spot.name, os.O_WRONLY) as handle:
                write(handle, data, spot.offset)


def _spots(name: str, sizes: Sequence[int], pieces: Sequence[str]) -> Iterator[tuple[str, Spot]]:
    for number, row in enumerate(zip(pieces, offsets(sizes), sizes, strict=True)):
        yield row[0], Spot(name, number, row[1], row[2])


def loads(spots: Sequence[Spot]) -> list[list[Spot]]:
    """Deal pieces out to frames, in order."""
    found: list[list[Spot]] = []
    room = 0
    for spot in spots:
        if spot.size > room or not found:
            found.append([])
            room = MOST_LOAD_BYTES
        found[-1].append(spot)
        room -= spot.size
    return found


def _read(folder: Path, spot: Spot) -> bytes:
    with opened(folder / spot.name, os.O_RDONLY) as handle:
        return os.pread(handle, spot.size, spot.offset)
