"""How far a run is: done, rate, time left, on standard error."""

import os
import sys
from collections import Counter
from dataclasses import dataclass, field
from types import TracebackType
from typing import Protocol, Self

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

PLAIN = "EKB_PLAIN"
"""Environment variable: when it is set, and not empty, progress is lines of text on a terminal too."""


class Watcher(Protocol):
    """Is told what a run does."""

    def begin(self, stage: str, total: int, done: int) -> None:
        """A stage begins, with some of its work done by an earlier process."""
        ...

    def advance(self, kind: str, stage: str = "") -> None:
        """One piece of a stage is done.

        Args:
            kind: What came of it, in a word or two.
            stage: Which stage; the one that began last where none is named.
        """
        ...

    def stop(self) -> None:
        """The stage was interrupted: it ends when the pieces at work are done."""
        ...


class Silent:
    """Watches and says nothing."""

    def begin(self, stage: str, total: int, done: int) -> None:
        """Take no notice."""

    def advance(self, kind: str, stage: str = "") -> None:
        """Take no notice."""

    def stop(self) -> None:
        """Take no notice."""


class _Rate(ProgressColumn):
    """Pieces a minute, of this process alone."""

    def render(self, task: Task) -> Text:
        """Show the rate; nothing before the first piece."""
        speed = task.finished_speed or task.speed
        return Text("" if speed is None else f"{rate_text(60 * speed)}/min", style="dim")


def rate_text(rate: float) -> str:
    """Write a rate with three digits, or with as many as it has before the point."""
    return f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"


@dataclass(slots=True)
class _Shown:
    """A bar, and what it counts."""

    task: TaskID
    total: int
    done: int
    kinds: Counter[str] = field(default_factory=Counter)


class Bar:
    """Shows a bar on a terminal, and now and then a line elsewhere."""

    LINES_A_STAGE = 20

    def __init__(self, console: Console | None = None) -> None:
        """Show on standard error.

        Args:
            console: Where to instead.
        """
        self._console = console or Console(file=sys.stderr)
        dumb = not self._console.is_terminal or self._console.is_dumb_terminal
        self._is_lines = dumb or bool(os.environ.get(PLAIN))
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            _Rate(),
            TimeElapsedColumn(),
            TimeRemainingColumn(elapsed_when_finished=True),
            TextColumn("[dim]{task.fields[kinds]}"),
            console=self._console,
            disable=self._is_lines,
        )
        self._stages: dict[str, _Shown] = {}
        self._stage = ""

    def begin(self, stage: str, total: int, done: int) -> None:
        """Start a new bar."""
        self._stage = stage
        task = self._progress.add_task(stage, total=total, completed=done, kinds="")
        self._stages[stage] = _Shown(task, total, done)
        if done:
            self._say(f"{stage}: {done} of {total} were done before")

    def advance(self, kind: str, stage: str = "") -> None:
        """Move a bar by one."""
        name = stage or self._stage
        bar = self._stages.get(name)
        if bar is None:
            return
        bar.done += 1
        # Without the codes and phases, so that there is room for every outcome.
        bar.kinds[kind.partition(" ")[0]] += 1
        shown = ", ".join(f"{kind} {count}" for kind, count in bar.kinds.most_common())
        self._progress.update(bar.task, advance=1, kinds=shown)
        step = max(1, bar.total // self.LINES_A_STAGE)
        if self._is_lines and (bar.done % step == 0 or bar.done == bar.total):
            self._say(f"{name}: {bar.done}/{bar.total} ({shown})")

    def stop(self) -> None:
        """Say what is waited for: an answer of a model can take minutes."""
        self._say(f"{self._stage}: what is at work is finished first; Ctrl-C again ends at once")

    def _say(self, line: str) -> None:
        """Print a line as it is: not wrapped, no markup, no colours."""
        self._console.print(line, highlight=False, markup=False, soft_wrap=True)

    def __enter__(self) -> Self:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._progress.stop()
