"""What other packages bring, and what is said when it is broken."""

from pathlib import Path

import pytest
from tests.packages import write_package

from edgekernelbench.base.errors import BudgetExceeded, CatalogueError, ForeignError, PrerequisiteError
from edgekernelbench.base.plugins import (
    Group,
    call_plugin,
    find_plugin,
    find_plugins,
    load_plugin,
    need_plugin,
    plugin_names,
)
from edgekernelbench.evaluator.compilers import compiler_names, load_compiler
from edgekernelbench.profiles.profile import load_profile, profile_names, usable_profiles
from edgekernelbench.workloads.catalogue import find_catalogue

FAULTS = {
    "no_module": ("absent_module:x", "ModuleNotFoundError: No module named 'absent_module'"),
    "no_object": ("sound:absent", "AttributeError"),
    "no_syntax": ("crooked:x", "SyntaxError"),
    "raises": ("raising:x", "ZeroDivisionError: division by zero"),
    "leaves": ("leaving:x", "SystemExit: 0"),
}


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_what_a_package_brings_is_found_without_importing_it(path: Path) -> None:
    write_package(path, "some-board", {}, {"devices": {"b": "absent:x", "a": "absent:y"}})
    assert [str(one) for one in find_plugins(Group.DEVICES)] == [
        "device 'a' of some-board 1.2",
        "device 'b' of some-board 1.2",
    ]
    assert plugin_names(Group.DEVICES, taken=("a",)) == ("b",)
    assert find_plugin(Group.AGENTS, "a") is None


@pytest.mark.parametrize("fault", FAULTS)
def test_what_is_broken_is_said_with_package_and_cause(path: Path, fault: str) -> None:
    value, cause = FAULTS[fault]
    modules = {
        "sound.py": "",
        "crooked.py": "def (",
        "raising.py": "1 / 0",
        "leaving.py": "import sys\nsys.exit(0)\n",
    }
    write_package(path, "of-others", modules, {"agents": {"mine": value}})
    with pytest.raises(ForeignError) as caught:
        load_plugin(need_plugin(Group.AGENTS, "mine"))
    assert str(caught.value).startswith(f"agent 'mine' of of-others 1.2 cannot be loaded: {cause}")
    assert str(caught.value).endswith("; mend, update or uninstall of-others")


def test_two_packages_with_one_name_are_both_named(path: Path) -> None:
    for name in ("first", "second"):
        write_package(path, name, {}, {"compilers": {"cc": "absent:x"}})
    with pytest.raises(PrerequisiteError, match="first and second both bring compiler 'cc'; uninstall one"):
        load_compiler("cc")


def test_a_name_that_nobody_brings_has_the_nearest(path: Path) -> None:
    write_package(path, "some-agent", {}, {"agents": {"asker": "absent:x"}})
    with pytest.raises(PrerequisiteError, match="no package brings agent 'askr'; did you mean 'asker'"):
        need_plugin(Group.AGENTS, "askr")


def test_our_own_errors_pass_through_code_of_others(path: Path) -> None:
    write_package(path, "some-agent", {}, {"agents": {"asker": "absent:x"}})

    def spend() -> None:
        raise BudgetExceeded("tokens", 2, 1)

    with pytest.raises(BudgetExceeded):
        call_plugin(need_plugin(Group.AGENTS, "asker"), "failed", spend)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("x = 3", "expected the path of a TOML file, or a function that gives it, found int"),
        (
            "def x(): return None",
            "expected the path of a TOML file, or a function that gives it, found NoneType",
        ),
        ("from pathlib import Path\nx = Path('absent.toml')", "cannot be read: FileNotFoundError"),
        (
            "from pathlib import Path\nx = Path(__file__).parent / 'bad.toml'",
            "cannot be read: TOMLDecodeError",
        ),
        ("from pathlib import Path\nx = Path(__file__).parent / 'odd.toml'", "cannot be read: TypeError"),
        (
            "from pathlib import Path\nx = Path(__file__).parent / 'npu.toml'",
            "expected target llvm, cuda, opencl",
        ),
    ],
)
def test_a_profile_that_cannot_be_read_hides_no_other(path: Path, source: str, message: str) -> None:
    modules = {
        "board.py": source,
        "bad.toml": "=",
        "odd.toml": 'device_class = "edge"\nlegs = 4\n',
        "npu.toml": 'title = "t"\ntarget = "npu"\ndevice_class = "edge"\n',
    }
    write_package(path, "some-board", modules, {"devices": {"mine": "board:x"}})
    sys_modules_without("board")
    with pytest.raises(ForeignError, match=message):
        load_profile("mine")
    assert "mine" in profile_names()
    assert "llvm" in [profile.name for profile in usable_profiles()]


def test_ours_go_before_others(path: Path) -> None:
    entries = {"devices": {"llvm": "absent:x"}, "compilers": {"c": "absent:x"}}
    write_package(path, "some-board", {}, entries)
    assert load_profile("llvm").title
    assert load_compiler("c").name == "c"
    assert profile_names().count("llvm") == 1
    assert compiler_names() == ("tvm", "c", "null")


def test_a_compiler_that_is_none_is_refused(path: Path) -> None:
    write_package(path, "some-cc", {"some_cc.py": "class Cc: pass\n"}, {"compilers": {"cc": "some_cc:Cc"}})
    with pytest.raises(ForeignError, match="expected something with a method compile, found Cc"):
        load_compiler("cc")


def test_a_catalogue_is_named_or_a_folder(path: Path) -> None:
    write_package(path, "some-rows", {"some_rows.py": "x = 'rows'"}, {"catalogues": {"rows": "some_rows:x"}})
    with pytest.raises(
        ForeignError, match="expected the path of a folder, or a function that gives it, found str"
    ):
        find_catalogue("rows")
    with pytest.raises(CatalogueError, match="no folder other; packages bring rows"):
        find_catalogue("other")


def sys_modules_without(name: str) -> None:
    """Forget a module, so that another of its name is imported."""
    import sys  # noqa: PLC0415

    sys.modules.pop(name, None)
