"""Parcels that are built: shared by all boards of a kind, and by who builds ahead of them."""

import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Condition
from typing import Any

from edgekernelbench.base.hashing import canonical_json, hash_text
from edgekernelbench.compiler.parcel import CODE, PARCEL
from edgekernelbench.evaluator.hands import Hand
from edgekernelbench.evaluator.messages import Limits
from edgekernelbench.evaluator.supervisor import Supervisor

KEPT_PARCELS = 64
"""Parcels that are remembered: a final verdict starts the same kernel, and its baseline, five times, and some
are built before a board is free for them."""

LOOK_S = 0.2


@dataclass(frozen=True, slots=True)
class Built:
    """A parcel as files, and what the report says of compiling."""

    files: Mapping[str, bytes]
    cost: dict[str, Any]
    compile_ns: int


class Parcels:
    """Remembers the newest parcels, and builds each once; may be called from several threads."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Built] = OrderedDict()
        self._making: set[str] = set()
        self._changed = Condition()

    def get(self, request: Mapping[str, object], here: Supervisor, limits: Limits) -> "Built | Hand":
        """Give a parcel; who comes while another builds it waits for that.

        Args:
            request: With the text and the profile.
            here: Compiles on this machine; used by one thread at a time.
            limits: What compiling may use.

        Returns:
            The parcel; where the text could not be compiled, the worker that tried.

        Raises:
            ServerLost: When no worker can be started here.
        """
        key = hash_text(canonical_json({"text": request["text"], "profile": request["profile"]}))
        until = time.monotonic() + limits.deadline_s
        with self._changed:
            while key in self._making and time.monotonic() < until:
                self._changed.wait(LOOK_S)
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
            self._making.add(key)
        try:
            found = _build(request, here, limits)
            if isinstance(found, Built):
                self._keep(key, found)
            return found
        finally:
            with self._changed:
                self._making.discard(key)
                self._changed.notify_all()

    def _keep(self, key: str, built: Built) -> None:
        with self._changed:
            self._kept[key] = built
            while len(self._kept) > KEPT_PARCELS:
                self._kept.popitem(last=False)


def _build(request: Mapping[str, object], here: Supervisor, limits: Limits) -> "Built | Hand":
    folder = here.folder()
    told = {"text": request["text"], "profile": request["profile"], "run_s": request["run_s"]}
    worker = here.start("build", told, folder=folder, limits=limits)
    worker.wait()
    reply = worker.reply()
    if reply is None or "cost" not in reply:
        return worker
    with worker:
        files = {name: (folder / name).read_bytes() for name in (PARCEL, CODE)}
        return Built(files, reply["cost"], int(reply["spent"]["compile"]))
