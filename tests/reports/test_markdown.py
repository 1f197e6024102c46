"""Tables as Markdown."""

from dataclasses import replace
from pathlib import Path

from tests.conftest import Golden
from tests.reports.support import make_rows, make_run
from tests.reports.test_costs import judged, timed

from edgekernelbench.records.store import RunFolder
from edgekernelbench.reports.markdown import escaped, runs_as_markdown
from edgekernelbench.reports.runs import read_run


def test_the_markdown_of_runs_is_golden(tmp_path: Path, golden: Golden) -> None:
    whole = replace(read_run(make_run(tmp_path / "whole")), folder="runs/whole", digest=16 * "d")
    part = replace(read_run(make_run(tmp_path / "part", without=1)), folder="runs/part", digest=16 * "e")
    golden("\n".join(runs_as_markdown([whole, part])))


def test_costs_and_vendor_are_columns_where_they_are_known(tmp_path: Path) -> None:
    name = "conv/p@s-f32"
    folder = make_rows(tmp_path / "run", {"a": {name: timed(50, 75)}, "b": {name: timed(50, None)}})
    with RunFolder(folder).writing() as writer:
        writer.add_judgement(judged(timed(50, 75)).model_copy(update={"attempt": f"a/{name}/0"}))
    lines = runs_as_markdown([read_run(folder)])

    (heads,) = (line for line in lines if line.startswith("| agent"))
    assert heads.endswith("| workspace | reference's | code | compile | beside vendor |")
    (row,) = (line for line in lines if line.startswith("| a |"))
    assert row.endswith("| 1.02 KiB | 900 B | 2.00 KiB | 10.0 ms | 1.50 times |")
    (other,) = (line for line in lines if line.startswith("| b |"))
    assert other.endswith("| – | – | – | – | – |")


def test_names_are_no_markup() -> None:
    assert escaped("a|b\n<script>`x`\x1b[31m\u202e") == r"a\|b \<script\>\`x\`\\x1b\[31m\\u202e"
