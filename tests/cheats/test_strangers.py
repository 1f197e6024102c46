"""Folders of strangers: what a reviewer is handed may name programs, and files of whoever reads it."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Done
from tests.tiny import make_catalogue, write_texts

from edgekernelbench.agents.batch import BatchItem, export_batch, read_answers
from edgekernelbench.agents.models.protocol import Message, Request, Role
from edgekernelbench.cli.main import run
from edgekernelbench.cli.status import Status
from edgekernelbench.records.manifest import Manifest
from edgekernelbench.records.store import RunFolder

SCALE = "tiny/scale@n12-f32"


def ekb(capsys: pytest.CaptureFixture[str], *words: str) -> Done:
    capsys.readouterr()
    status = run(list(words))
    out, err = capsys.readouterr()
    return Done(int(status), out, err)


@pytest.fixture(scope="module")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A catalogue whose PyTorch functions leave a mark when they are run, and a run on it without them."""
    tmp_path = tmp_path_factory.mktemp("stranger")
    root = make_catalogue(tmp_path / "catalogue")
    for path in root.glob("*/*.py"):
        mark = f"\n\nopen({str(tmp_path / 'mark')!r}, 'w').close()\n"
        path.write_text(path.read_text(encoding="utf-8") + mark, encoding="utf-8")
    texts = write_texts(tmp_path / "texts", root)
    words = ["run", "--in", str(root), "--workload", SCALE, "--texts", str(texts), "--compiler", "c"]
    run([*words, "--timing", "none", "-o", str(tmp_path / "run")])
    assert not (tmp_path / "mark").exists()
    return tmp_path


def forged(stranger: Path, place: Path, **changes: object) -> Path:
    """Write the run once more, all seals in order, with other settings."""
    old = RunFolder(stranger / "run")
    manifest = json.loads(old.manifest().model_dump_json(by_alias=True))
    manifest["settings"] |= changes
    new = RunFolder.create(place / "forged", Manifest.read(json.dumps(manifest), "manifest"))
    with new.writing() as writer:
        for attempt in old.attempts().values():
            for digest in (attempt.text, *attempt.steps):
                writer.add_artifact(old.artifact(digest or ""))
            writer.add_attempt(attempt)
        for judgement in old.judgements().values():
            writer.add_judgement(judgement)
    return new.root


@pytest.mark.parametrize("command", ["reproduce", "run --again"])
def test_a_run_that_names_programs_runs_none_unasked(
    stranger: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    """Who repeats a run from elsewhere would run PyTorch functions beside it, as the vendor's libraries."""
    more = ["-o", str(tmp_path / "again")] if "again" in command else []
    folder = forged(stranger, tmp_path, vendor=True, timing="one-child")
    done = ekb(capsys, *command.split(), str(folder), *more)

    assert not (stranger / "mark").exists()
    assert done.status == Status.USAGE
    assert "has programs, and timing the vendor's libraries runs them" in done.err
    assert "read them, then add --trust" in done.err


def test_timing_the_vendor_on_a_catalogue_from_elsewhere_needs_trust(
    stranger: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["run", "--in", str(stranger / "catalogue"), "--workload", SCALE, "--vendor", "--compiler", "c"]
    done = ekb(capsys, *words, "--texts", str(stranger / "texts"), "-o", str(stranger / "other"))

    assert done.status == Status.USAGE
    assert "add --trust" in done.err
    assert not (stranger / "other").exists()


@pytest.mark.parametrize("command", ["resume", "run --again"])
@pytest.mark.parametrize(("confined", "more"), [(False, {}), (True, {"sees": ["~/.ssh"]})])
def test_a_run_that_names_commands_starts_none_unasked(
    stranger: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    command: str,
    confined: bool,
    more: dict[str, object],
) -> None:
    recipe = {"name": "x", "command": ["touch", str(stranger / "mark")], **more}
    agent = {"name": "scripted-texts", "kind": "cli", "recipe": recipe, "confined": confined}
    done = ekb(capsys, *command.split(), str(forged(stranger, tmp_path, agents=[agent])))

    assert done.status == Status.USAGE
    assert "which see files of this machine; read them, then add --trust" in done.err
    assert not (stranger / "mark").exists()


def test_an_answer_that_is_a_link_is_nobodys(tmp_path: Path) -> None:
    """A batch that comes back could hold links to files of whoever reads it in: they would be published."""
    (tmp_path / "secret").write_text("a key", encoding="utf-8")
    items = [
        BatchItem(f"direct/{SCALE}/{n}", Request(messages=(Message(Role.USER, "write"),), sample=n))
        for n in (0, 1)
    ]
    export_batch(items, tmp_path / "batch", as_folder=True)
    answers = tmp_path / "batch" / "answers"
    (answers / items[0].file_name).symlink_to(tmp_path / "secret")
    (answers / items[1].file_name).mkdir()

    found = read_answers(tmp_path / "batch", items)

    assert found.answers == {}
    assert set(found.unknown) == {item.file_name for item in items}
    assert set(found.missing) == {item.id for item in items}
