"""What models cost, from a small table; what is not in it is not known."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from edgekernelbench.agents.models.protocol import Usage
from edgekernelbench.base.errors import RecordError

TOKENS_PER_UNIT = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """Money for a million tokens.

    Attributes:
        input: For tokens read.
        cached: For tokens read from a cache.
        output: For tokens written, reasoning included.
    """

    input: float
    cached: float
    output: float

    def of(self, usage: Usage) -> float:
        """Say what a usage costs."""
        fresh = usage.input - usage.cached
        cost = fresh * self.input + usage.cached * self.cached + usage.output * self.output
        return cost / TOKENS_PER_UNIT


def load_prices(path: Path) -> Mapping[str, Price]:
    """Read a price table: one TOML table a model with `input`, `output` and, if it differs, `cached`.

    Args:
        path: The file.

    Returns:
        Prices by the model's name.

    Raises:
        RecordError: When the file cannot be read, with the model that is wrong.
    """
    try:
        rows = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RecordError(f"{path}: no price table: {(error.strerror or str(error)).lower()}") from error
    except ValueError as error:
        raise RecordError(f"{path}: not a price table: {error}") from error
    return {name: _price(path, name, row) for name, row in rows.items()}


def _price(path: Path, name: str, row: object) -> Price:
    if not isinstance(row, dict) or not {"input", "output"} <= row.keys() <= {"input", "output", "cached"}:
        raise RecordError(
            f"{path}: {name!r} needs input and output, may have cached, in money for a million tokens"
        )
    numbers = {key: value for key, value in row.items() if isinstance(value, (int, float)) and value >= 0}
    if len(numbers) != len(row):
        raise RecordError(f"{path}: the prices of {name!r} are numbers of at least 0")
    return Price(numbers["input"], numbers.get("cached", numbers["input"]), numbers["output"])
