import sys
from pathlib import Path

import pytest

from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.bench.visits.view import PACKAGE, confined_place, outermost, program_roots


def test_what_lies_in_another_folder_is_not_named_again() -> None:
    paths = map(Path, ("/usr/lib", "/opt/a", "/usr", "/usrx", "/opt/a/b"))
    assert outermost(paths) == [Path("/opt/a"), Path("/usr"), Path("/usrx")]


def test_neither_the_package_nor_a_home_nor_settings_of_people_are_seen() -> None:
    place = confined_place([Path("/bin/sh")], [], [], 1)
    seen = {bind.source for bind in place.binds}
    assert not {"/", "/etc", "/home", "/root", "/tmp", "/var"} & seen  # noqa: S108
    assert not any(PACKAGE.is_relative_to(source) for source in seen) or str(PACKAGE) in place.empty
    assert {"/task", "/home/agent", "/tmp"} <= set(place.rooms)  # noqa: S108


def test_the_package_is_empty_where_it_lies_in_what_is_seen() -> None:
    place = confined_place([Path("/bin/sh")], [PACKAGE.parent], [], 1)
    assert str(PACKAGE.resolve()) in place.empty


def test_an_environment_brings_its_python_along() -> None:
    roots = program_roots(Path(sys.prefix) / "bin" / "python3")
    assert Path(sys.prefix) in roots
    assert Path(sys.base_prefix) in roots


def test_a_script_brings_its_interpreter_and_its_modules_along(tmp_path: Path) -> None:
    program = tmp_path / "lib/node_modules/agent/cli.js"
    program.parent.mkdir(parents=True)
    program.write_text("#!/usr/bin/env sh\n", encoding="utf-8")
    program.chmod(0o755)
    link = tmp_path / "bin/agent"
    link.parent.mkdir()
    link.symlink_to(program)
    roots = program_roots(link)
    assert {link, program, tmp_path / "lib/node_modules"} <= set(roots)
    assert any(root.name in ("sh", "dash", "bash") for root in roots)
    program.write_text("#!/no/such/interpreter\n", encoding="utf-8")
    with pytest.raises(PrerequisiteError, match="the program /no/such/interpreter is not here"):
        program_roots(link)
