"""How complaints are collected."""

from edgekernelbench.base.span import Span
from edgekernelbench.verify.report import MAX_HINT, MAX_MESSAGE, Report

FIRST, SECOND = Span(1, 1, 1, 2), Span(2, 1, 2, 2)


def test_complaints_come_in_source_order_and_once() -> None:
    report = Report()
    report.error("R01", "later", SECOND)
    report.warn("W01", "earlier", FIRST)
    report.error("R01", "later", SECOND)
    assert [found.message for found in report.sorted()] == ["earlier", "later"]
    assert report.codes == {"R01"}
    assert report.refused


def test_a_warning_alone_refuses_nothing() -> None:
    report = Report()
    report.warn("W01", "careful", FIRST)
    assert not report.refused


def test_a_text_cannot_flood_an_answer() -> None:
    report = Report()
    report.refuse("T01", ("m" * 10_000, "h" * 10_000), FIRST)
    (found,) = report.sorted()
    assert len(found.message) == MAX_MESSAGE + 1
    assert found.hint is None
    report.refuse("T02", ("m", "h" * MAX_HINT), FIRST)
    assert report.sorted()[1].hint is not None
