"""The file itself: what is in it, what it lets in, that it is the same twice."""

import base64
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import JsonValue
from tests.conftest import Golden
from tests.reports.page.synthetic import make_large_run
from tests.reports.support import correct, make_rows, make_run

from edgekernelbench.base.errors import RecordError
from edgekernelbench.records.attempt import Attempt, Ending, Visit
from edgekernelbench.records.store import RunFolder
from edgekernelbench.reports.page.bundle import bundle_run
from edgekernelbench.reports.page.document import CHUNK, write_page
from edgekernelbench.reports.page.static import headlines_html
from edgekernelbench.reports.runs import read_run


def page_of(*folders: Path, again_s: int | None = None) -> str:
    return write_page([bundle_run(folder) for folder in folders], again_s=again_s)


def packed(html: str, name: str) -> Any:
    found = re.search(rf'<script type="application/gzip" id="{name}">([^<]*)<', html)
    assert found
    return json.loads(gzip.decompress(base64.b64decode(found[1])))


def test_the_same_records_give_the_same_page(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run")
    assert page_of(run) == page_of(run)


def test_the_page_names_nothing_that_must_be_fetched(tmp_path: Path) -> None:
    html = page_of(make_run(tmp_path / "run"))
    outside = html[: html.index("<script>")] + html[html.rindex("</script>") :]
    assert not re.findall(r"(?:src|href)=\"(?!#|data:)[^\"]*", outside)
    assert "http" not in outside.replace("http-equiv", "")


def test_the_policy_allows_the_scripts_of_the_page_alone(tmp_path: Path) -> None:
    html = page_of(make_run(tmp_path / "run"))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)
    assert policy
    assert policy[1].startswith("default-src 'none'; script-src 'sha256-")
    assert policy[1].count("'sha256-") == html.count("<script>")


def test_the_scores_stand_in_the_page_before_any_script(tmp_path: Path, golden: Golden) -> None:
    golden(headlines_html([read_run(make_run(tmp_path / "run"))]))


def test_a_run_without_a_score_says_what_is_missing(tmp_path: Path) -> None:
    html = headlines_html([read_run(make_run(tmp_path / "run", without=2))])
    assert "no score: 2 of 3 attempts are unjudged; <code>ekb resume</code> goes on" in html


@pytest.mark.parametrize("kind", ["server", "stand-in"])
def test_what_is_no_edge_device_is_never_shown_as_one(tmp_path: Path, kind: str) -> None:
    run = make_large_run(tmp_path / "run", workloads=2, sets=1, device_class=kind)
    assert "This is no edge result." in headlines_html([read_run(run)])


def test_every_attempt_has_its_details_where_the_page_looks_for_them(tmp_path: Path) -> None:
    run = make_large_run(tmp_path / "run", workloads=40, sets=1)
    html = page_of(run)
    planned = RunFolder(run).manifest().planned
    for at, name in enumerate(planned):
        assert packed(html, f"details-0-{at // CHUNK}")[at % CHUNK]["id"] == name


def test_the_text_of_the_baseline_is_stored_once_a_workload(tmp_path: Path) -> None:
    run = make_large_run(tmp_path / "run", workloads=10, sets=1)
    texts = packed(page_of(run), "baselines-0")
    timed = {j.workload for j in RunFolder(run).judgements().values() if j.baselines}
    assert set(texts) == timed
    assert all(
        [part[0] for part in t["default"]["parts"]] == ["compute", "schedule", "memory"]
        for t in texts.values()
    )


def test_a_folder_that_lost_its_artifacts_still_has_a_page(tmp_path: Path) -> None:
    run = make_large_run(tmp_path / "run", workloads=2, sets=1)
    for path in (run / "artifacts").rglob("*"):
        if path.is_file():
            path.unlink()
    assert packed(page_of(run), "details-0-0")[0]["text"]["missing"]


def test_the_page_says_what_a_reader_must_know_of_agents_and_records(tmp_path: Path) -> None:
    """As the table does: who looked for answers, and that nothing would show a change."""
    folder = make_run(tmp_path / "run")
    run = RunFolder(folder)
    visit = Visit(program="x", confined=True, end="wall", status=None, canaries=("the answer",))
    with run.writing() as writer:
        writer.add_attempt(
            Attempt(
                id="late/conv/p0@s-f32/0", agent="late", workload="conv/p0@s-f32", number=0,
                ending=Ending.NO_TEXT, text=None, visit=visit,
            )
        )  # fmt: skip
    # A note that begins with a name leaves it as it is.
    assert "late: 1 attempt opened canaries (the answer)" in page_of(folder)

    for name in ("attempts.jsonl", "judgements.jsonl"):
        lines = (folder / name).read_text(encoding="utf-8")
        (folder / name).write_text(re.sub(r',"seal":"[0-9a-f]{64}"', "", lines), encoding="utf-8")
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    (folder / "manifest.json").write_text(
        json.dumps({**manifest, "schema": "manifest/1", "digest": None}), encoding="utf-8"
    )
    assert "The records have no seals" in page_of(folder)


def test_levels_of_another_catalogue_are_not_claimed(tmp_path: Path) -> None:
    summary = bundle_run(make_run(tmp_path / "run")).summary
    assert summary["release"] is None
    assert summary["workloads"] == {
        name: {"dtype": name.rpartition("-")[2]}
        for name in RunFolder(tmp_path / "run").manifest().planned
        for name in [name.split("/", 1)[1].rsplit("/", 1)[0]]
        if name in summary["workloads"]  # type: ignore[operator]
    }


def test_a_folder_that_is_no_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="not a run folder"):
        bundle_run(tmp_path)


def test_one_text_on_several_devices_has_a_score_of_its_own(tmp_path: Path) -> None:
    rows = {"a": dict.fromkeys(("conv/p@s-f32", "norm/q@s-f32"), correct(50, 100))}
    for device, other in (("llvm", "opencl"), ("opencl", "llvm")):
        settings: dict[str, JsonValue] = {"profile": device, "also": [other]}
        if device == "opencl":
            settings["answers_of"] = "llvm"
        make_rows(tmp_path / device, rows, settings=settings, device={"profile": device})
    html = page_of(tmp_path / "llvm", tmp_path / "opencl")
    assert "One text on several devices" in html
    assert 'Portable@1</th></tr></thead>\n<tbody>\n<tr><th scope="row">a</th><td>100.0 %' in html
