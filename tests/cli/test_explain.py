"""`ekb explain`."""

import pytest
from tests.cli.conftest import Ekb

from edgekernelbench.base.codes import CODES
from edgekernelbench.cli.status import Status


def test_without_a_code_all_are_listed(ekb: Ekb) -> None:
    done = ekb("explain")
    assert done.status == Status.YES
    assert done.out.splitlines() == [f"{code}  {meaning}" for code, meaning in CODES.items()]
    assert ekb("explain", "--json").json == dict(CODES)


@pytest.mark.parametrize("code", ["C14", "c14", "[C14]"])
def test_a_code_may_be_copied_as_it_stands(code: str, ekb: Ekb) -> None:
    assert ekb("explain", code).out.startswith("C14: a reduction that is not the whole right side")


def test_a_page_as_json_has_its_parts(ekb: Ekb) -> None:
    page = ekb("explain", "R01", "--json").json
    assert set(page) == {"code", "meaning", "text", "wrong", "right"}
    assert page["wrong"].startswith("def f(")
