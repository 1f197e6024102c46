"""What every exception of ours comes to."""

import pytest

from edgekernelbench.base.errors import (
    BudgetExceeded,
    CatalogueError,
    CompileError,
    EkbError,
    InternalError,
    ModelError,
    PrerequisiteError,
    RecordError,
    SourceError,
)
from edgekernelbench.cli.status import Status, status_of


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (SourceError([]), 1),
        (BudgetExceeded("tokens", 1, 1), 1),
        (CatalogueError(""), 2),
        (RecordError(""), 2),
        (PrerequisiteError("", ""), 3),
        (ModelError(""), 3),
        (CompileError(""), 70),
        (InternalError(""), 70),
    ],
)
def test_an_exception_has_a_status(error: EkbError, status: int) -> None:
    assert status_of(error) == status


def test_statuses_are_what_the_help_says() -> None:
    assert [int(s) for s in Status] == [0, 1, 2, 3, 70, 130]
