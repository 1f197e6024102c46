"""What a step says for the trajectory, from values of the controller."""

from edgekernelbench.agents.leka.state import Plan
from edgekernelbench.analysis.report import StaticReport
from edgekernelbench.records.trajectory import FindingRecord, PlanRecord, ReportRecord


def plan_record(plan: Plan | None) -> PlanRecord | None:
    """Give a plan as a record."""
    if plan is None:
        return None
    return PlanRecord(
        layer=str(plan.layer),
        bottleneck=str(plan.bottleneck),
        move=plan.move,
        change=plan.change,
        expected=plan.expected,
        author=str(plan.author),
    )


def report_record(report: StaticReport | None) -> ReportRecord | None:
    """Give static feedback as a record."""
    if report is None:
        return None
    return ReportRecord(
        flops=report.flops,
        bytes_moved=report.bytes_moved,
        bound_ns=report.bound_ns,
        bound_class=str(report.bound_class),
        findings=tuple(
            FindingRecord(
                layer=str(finding.layer),
                bottleneck=str(finding.bottleneck),
                message=finding.message,
                directive=finding.directive,
                share=finding.share,
            )
            for finding in report.findings
        ),
    )
