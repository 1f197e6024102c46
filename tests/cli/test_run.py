"""`ekb run`, `resume` and `batch`: whole runs, without a compiler's time and with a fake endpoint."""

import json
from pathlib import Path

import pytest
from tests.agents.support import Canned, completion, serving
from tests.cli.conftest import Ekb

from edgekernelbench.cli.status import Status
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.records.attempt import Attempt, Ending
from edgekernelbench.records.store import RunFolder
from edgekernelbench.workloads.catalogue import load_catalogue

WORKLOAD = load_catalogue().select(["max_pool2d"], suite="quick")[0]
TEXT = print_kernel(WORKLOAD.kernel())
QUICKLY = ("--workload", WORKLOAD.id, "--compiler", "null", "--timing", "none")


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    path = tmp_path / "hand" / f"{WORKLOAD.id}.kir"
    path.parent.mkdir(parents=True)
    path.write_text(TEXT, encoding="utf-8")
    return tmp_path / "hand"


def attempts(run: Path) -> list[Attempt]:
    return list(RunFolder(run).attempts().values())


def test_a_folder_of_texts_is_judged_and_its_table_printed(tmp_path: Path, texts: Path, ekb: Ekb) -> None:
    run = tmp_path / "run"
    options = ("--workload", WORKLOAD.id, "--compiler", "c", "--timing", "none", "-o", str(run))
    done = ekb("run", "--texts", str(texts), *options)
    assert done.status == Status.YES
    assert "scripted-hand: correct 1" in done.out
    assert done.out.endswith(f"run folder: {run}\n")
    assert f"run folder: {run}" in done.err


def test_a_model_behind_an_endpoint_is_asked_judged_and_replayed(tmp_path: Path, ekb: Ekb) -> None:
    store = ("--answers", str(tmp_path / "store"))
    with serving([completion(f"Here:\n```python\n{TEXT}```")]) as fake:
        words = ("-m", "openai:m", *QUICKLY, *store, "--base-url", fake.url)
        done = ekb("run", *words, "-o", str(tmp_path / "a"), "--json")
    assert done.json[0]["rows"][0]["scores"]["Accepted@1"]["value"] == 1.0
    assert len(fake.asked) == 1
    again = ekb("run", "-m", "replay:openai:m", *QUICKLY, *store, "-o", str(tmp_path / "b"))
    assert again.status == Status.YES
    assert [a.ending for a in attempts(tmp_path / "b")] == [Ending.ANSWERED]
    assert RunFolder(tmp_path / "b").artifact(attempts(tmp_path / "b")[0].text or "") == TEXT


def test_what_a_failed_endpoint_left_is_unjudged_until_it_is_resumed(tmp_path: Path, ekb: Ekb) -> None:
    run = tmp_path / "run"
    with serving([Canned("{}", 401)]) as fake:
        done = ekb("run", "-m", "openai:m", *QUICKLY, "--base-url", fake.url, "-o", str(run))
    assert done.status == Status.NO
    assert "no score, since 1 of 1 attempts are unjudged" in done.out
    with serving([completion(f"```python\n{TEXT}```")]) as fake:
        done = ekb("resume", str(run), "--base-url", fake.url)
    assert done.status == Status.YES
    assert [a.ending for a in attempts(run)] == [Ending.ANSWERED]


def test_what_kept_the_judge_from_its_work_is_said(
    tmp_path: Path, texts: Path, ekb: Ekb, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "no/such/folder")  # so there is no C compiler
    done = ekb("run", "--texts", str(texts), *QUICKLY, "--compiler", "c", "-o", str(tmp_path / "run"))
    assert done.status == Status.NO
    assert "1 attempt not judged yet: " in done.err
    assert "compiler" in done.err


def test_an_answer_without_a_kernel_counts(tmp_path: Path, ekb: Ekb) -> None:
    run = tmp_path / "run"
    with serving([completion("I would rather not.")]) as fake:
        done = ekb("run", "-m", "openai:m", "-k", "2", *QUICKLY, "--base-url", fake.url, "-o", str(run))
    assert done.status == Status.YES
    assert "direct-openai:m: rejected P02 2" in done.out
    assert [a.ending for a in attempts(run)] == [Ending.NO_TEXT] * 2


def test_a_run_is_not_overwritten(tmp_path: Path, texts: Path, ekb: Ekb) -> None:
    words = ("run", "--texts", str(texts), *QUICKLY, "-o", str(tmp_path / "run"))
    assert ekb(*words).status == Status.YES
    done = ekb(*words)
    assert done.status == Status.USAGE
    assert "holds a run already" in done.err


def test_a_dry_run_asks_nobody(tmp_path: Path, ekb: Ekb) -> None:
    prices = tmp_path / "prices.toml"
    prices.write_text("[m]\ninput = 1\noutput = 10\n")
    words = ("run", "-m", "openai:m", "-k", "3", "--workload", WORKLOAD.id, "--prices", str(prices))
    done = ekb(*words, "--dry-run")
    assert done.status == Status.YES
    assert "the first prompt:" in done.out
    assert "# Your task" in done.out
    plan = ekb(*words, "--dry-run", "--json").json
    assert plan["attempts"] == plan["agents"]["direct-openai:m"]["calls"] == 3
    assert plan["agents"]["direct-openai:m"]["money"] > 0


def test_prompts_go_out_and_answers_come_in(tmp_path: Path, ekb: Ekb) -> None:
    batch, store = str(tmp_path / "batch"), str(tmp_path / "store")
    words = ("--model", "web", "--workload", WORKLOAD.id, "-k", "2")
    out = ekb("batch", "export", *words, "--out", batch, "--files", "--json")
    assert len(out.json["requests"]) == 2
    first, second = sorted((tmp_path / "batch" / "prompts").iterdir())
    assert "# Your task" in first.read_text()
    (tmp_path / "batch" / "answers" / first.name).write_text(f"```python\n{TEXT}```")
    part = ekb("batch", "import", batch, "--model", "web", "--answers", store)
    assert part.status == Status.NO
    assert part.out.splitlines()[0] == f"missing: {out.json['requests'][1]}"
    with (tmp_path / "batch" / "answers.jsonl").open("a") as lines:
        lines.write(json.dumps({"id": out.json["requests"][1], "answer": "no kernel"}) + "\n")
    assert ekb("batch", "import", batch, "--model", "web", "--answers", store).status == Status.YES
    options = (*QUICKLY, "--answers", store, "-o", str(tmp_path / "run"))
    done = ekb("run", "-m", "replay:web", "-k", "2", *options)
    assert done.status == Status.YES
    assert [a.ending for a in attempts(tmp_path / "run")] == [Ending.ANSWERED, Ending.NO_TEXT]
    assert second.exists()


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ((), Status.USAGE, "give --model NAME, or --texts FOLDER"),
        (("-m", "smollm2", "--track", "writ"), Status.USAGE, "did you mean 'write'"),
        (("-m", "smollm2", "--suite", "quik"), Status.USAGE, "did you mean quick"),
        (("-m", "smollm2", "--compiler", "tvn"), Status.USAGE, "did you mean 'tvm'"),
        (("--texts", "no/such"), Status.USAGE, "no folder no/such"),
        (("-m", "smolm2"), Status.MISSING, "did you mean 'smollm2'"),
        (("-m", "smollm2", "-k", "0"), Status.USAGE, "greater than or equal to 1"),
        (("-m", "openai:m"), Status.MISSING, "ekb: no key for 'openai:m'; set EKB_API_KEY, or EKB_BASE_URL"),
        (("-m", "replay:m"), Status.MISSING, "give --answers FOLDER"),
        (("-m", "smollm2", "--prices", "no.toml"), Status.USAGE, "no price table: no such file or directory"),
    ],
)
def test_a_wrong_option_starts_nothing(
    tmp_path: Path,
    words: tuple[str, ...],
    status: Status,
    message: str,
    ekb: Ekb,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("EKB_API_KEY", "EKB_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    done = ekb("run", *words)
    assert done.status == status
    assert message in done.err
    assert not list(tmp_path.iterdir())


def test_what_is_no_run_cannot_be_resumed(tmp_path: Path, ekb: Ekb) -> None:
    done = ekb("resume", str(tmp_path))
    assert (done.status, done.out) == (Status.USAGE, "")
    assert "not a run folder" in done.err


def test_stored_answers_are_judged_again_elsewhere(tmp_path: Path, texts: Path, ekb: Ekb) -> None:
    first, second = str(tmp_path / "a"), str(tmp_path / "b")
    assert "wrong" in ekb("run", "--texts", str(texts), *QUICKLY, "-o", first).out
    done = ekb("run", "--again", first, "--compiler", "c", "-o", second)
    assert done.status == Status.YES
    assert "scripted-hand: correct 1" in done.out
    assert RunFolder(tmp_path / "b").manifest().settings["compiler"] == "c"


@pytest.mark.slow
@pytest.mark.needs_model
def test_the_bundled_model_is_really_asked_with_and_without_the_grammar(tmp_path: Path, ekb: Ekb) -> None:
    store = ("--answers", str(tmp_path / "store"))
    words = (*QUICKLY, *store, "--grammar", "both", "--max-tokens", "60")
    done = ekb("run", "-m", "smollm2", *words, "-o", str(tmp_path / "a"), "--json")
    assert [row["agent"] for row in done.json[0]["rows"]] == ["direct-smollm2", "direct-smollm2+grammar"]
    assert all(a.usage.calls == 1 for a in attempts(tmp_path / "a"))
    held = [a for a in attempts(tmp_path / "a") if a.agent.endswith("+grammar")]
    assert TEXT.partition("\n")[0] in RunFolder(tmp_path / "a").artifact(held[0].text or "")
    again = ekb("run", "-m", "replay:smollm2", *words, "-o", str(tmp_path / "b"))
    assert again.status == Status.YES


@pytest.mark.parametrize("data", [b"\xff\xfe\x00", b"", b"#" * 300_000, "d\u00e9f".encode()])
def test_whatever_a_file_of_a_folder_holds_it_is_an_attempt(
    tmp_path: Path, texts: Path, data: bytes, ekb: Ekb
) -> None:
    (texts / f"{WORKLOAD.id}.kir").write_bytes(data)
    done = ekb("run", "--texts", str(texts), *QUICKLY, "-o", str(tmp_path / "run"))
    assert done.status == Status.YES, done.err
    assert "scripted-hand: rejected P0" in done.out
