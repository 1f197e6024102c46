"""Attacks on who reads: commands to a terminal, text that runs backwards, markup, in texts and names."""

import json
import sys
from pathlib import Path
from unicodedata import category

import pytest
from tests.cheats.support import HONEST, SCALE, kernel
from tests.tiny import make_catalogue

from edgekernelbench.base.visible import KEPT, visible, visible_json
from edgekernelbench.bench.experiment import AgentSetting, BudgetSetting, Experiment
from edgekernelbench.bench.run import continue_run, start_run
from edgekernelbench.cli.main import run
from edgekernelbench.workloads.catalogue import load_catalogue

CLEAR = "\x1b[2J\x1b[1;1H"
BACKWARDS = "\u202e\u2066"
SCRIPT = "</script><script>alert(1)</script>"

HOSTILE = {
    "a terminal's escape": CLEAR,
    "a one-byte command": "\x9b2J",
    "a bell, a backspace and a return": "\x07\x08\r",
    "a title": "\x1b]0;correct\x07",
    "text that runs backwards": BACKWARDS,
    "nothing to be seen": "\u200b\u2060\ufeff\U000e0041",
    "half a character": "\ud800",
    "another kind of line break": "\u2028\u0085",
    "delete": "\x7f",
}


def is_harmless(text: str) -> bool:
    """Whether nothing in a text acts on a terminal or on the order of reading."""
    return all(c in KEPT or category(c) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp") for c in text)


@pytest.mark.parametrize("what", HOSTILE)
def test_what_acts_is_shown_as_an_escape(what: str) -> None:
    shown = visible(f"a{HOSTILE[what]}b")
    assert is_harmless(shown)
    assert "\\" in shown
    assert (shown[0], shown[-1]) == ("a", "b")


@pytest.mark.parametrize("what", HOSTILE)
def test_json_keeps_its_meaning(what: str) -> None:
    value = {"text": f"a{HOSTILE[what]}b"}
    shown = visible_json(json.dumps(value, ensure_ascii=False))
    assert is_harmless(shown)
    assert json.loads(shown) == value


def test_what_people_write_stays() -> None:
    for text in ("µ s, 中文, ½ – “quoted”\n\tindented", "plain"):
        assert visible(text) == text


@pytest.mark.parametrize(
    "what", [w for w in HOSTILE if w not in ("half a character", "a bell, a backspace and a return")]
)
def test_checking_a_hostile_text_shows_no_part_of_it_that_acts(
    what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "kernel.kir"
    path.write_text(kernel(SCALE, f"out[i]: f32[12] = x[i] {HOSTILE[what]} * w[i]"), encoding="utf-8")
    for words in (["check", str(path)], ["check", str(path), "--json"]):
        assert run(words) == 1
        assert is_harmless("".join(capsys.readouterr()))


def test_a_hostile_name_in_a_message_is_harmless(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["catalogue", "show", f"norm/softmax{CLEAR}{BACKWARDS}"]) != 0
    assert is_harmless("".join(capsys.readouterr()))


def test_a_report_of_hostile_answers_and_names_is_harmless(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    catalogue = load_catalogue(make_catalogue(tmp_path / "catalogue"))
    name = f"{SCRIPT.replace('/', '')}{BACKWARDS}{CLEAR}"
    text = tmp_path / "texts" / f"{SCALE}.kir"
    text.parent.mkdir(parents=True)
    text.write_text(kernel(SCALE, HONEST[SCALE], doc=SCRIPT + CLEAR + BACKWARDS), encoding="utf-8")
    asked = Experiment(
        agents=(AgentSetting(name=name, kind="scripted", texts=str(tmp_path / "texts")),),
        suite="full",
        workloads=(SCALE,),
        compiler="null",
        timing="none",
        budget=BudgetSetting(submissions=0),
    )
    folder = start_run(tmp_path / "run", asked, catalogue)
    continue_run(folder, catalogue=catalogue)
    for form in ([], ["--json"], ["--markdown"], ["--csv"]):
        run(["report", str(folder.root), *form])
        printed = capsys.readouterr()
        assert name not in printed.out
        assert is_harmless(printed.out + printed.err)
    run(["report", str(folder.root), "--html", str(tmp_path / "page.html")])
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<script>alert(1)" not in page
    assert not any(hostile in page for hostile in (name, CLEAR, BACKWARDS))


def test_every_command_prints_through_the_same_door() -> None:
    """Only `cli.output` writes what it is given to a terminal; others write their own fixed words."""
    folder = Path(sys.modules["edgekernelbench.cli.main"].__file__ or "").parent
    users = {p.name for p in folder.glob("*.py") if "sys.stdout.write" in p.read_text(encoding="utf-8")}
    assert users <= {"output.py", "main.py", "dispatch.py"}
