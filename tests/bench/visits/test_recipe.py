from pathlib import Path

import pytest
from tests.docs.pages import DOCS, blocks

from edgekernelbench.base.errors import CatalogueError, PrerequisiteError
from edgekernelbench.bench.visits.orders import Place
from edgekernelbench.bench.visits.programs import program_of, program_version
from edgekernelbench.bench.visits.recipe import WORDS, filled, find_recipe, read_recipe, shipped_recipes

WORDS_OF_TEST = dict.fromkeys(WORDS, "") | {"model": "m-1", "wire": "openai", "home": "/h", "task": "/t"}


@pytest.mark.parametrize("name", shipped_recipes())
def test_a_shipped_recipe_can_be_filled_in(name: str) -> None:
    recipe = find_recipe(name)
    assert recipe.name == name
    assert recipe.about
    assert recipe.install
    words = [filled(word, WORDS_OF_TEST) for word in recipe.command]
    assert not any("$" in word for word in words)


def test_there_are_recipes_of_two_agents() -> None:
    assert shipped_recipes() == ("claude-code", "mini-swe-agent")


def test_every_role_of_claude_code_is_the_pinned_model() -> None:
    """A small model for side work would be one that nobody counts."""
    recipe = find_recipe("claude-code")
    roles = [name for name, value in recipe.environment.items() if value == "$model"]
    assert {r.removeprefix("ANTHROPIC_DEFAULT_") for r in roles} >= {
        "OPUS_MODEL",
        "SONNET_MODEL",
        "HAIKU_MODEL",
    }
    assert {"ANTHROPIC_MODEL", "ANTHROPIC_SMALL_FAST_MODEL", "CLAUDE_CODE_SUBAGENT_MODEL"} <= set(roles)


def test_a_measurement_outlasts_no_patience_of_an_agent() -> None:
    for name in shipped_recipes():
        recipe = find_recipe(name)
        given = " ".join([*recipe.command, *recipe.environment.values()])
        assert "1800000" in given or "environment.timeout=1800" in given
        assert recipe.idle_s >= 600


def test_an_unknown_recipe_comes_with_the_nearest() -> None:
    with pytest.raises(CatalogueError, match="no recipe 'claude-cod'; did you mean 'claude-code'"):
        find_recipe("claude-cod")
    with pytest.raises(CatalogueError, match=r"no recipe nothing\.toml: there is no such file"):
        find_recipe("nothing.toml")


def test_a_recipe_of_ones_own_is_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('name = "mine"\ncommand = ["sh", "-c", "echo $model $$HOME"]\n', encoding="utf-8")
    recipe = find_recipe(str(path))
    assert [filled(word, WORDS_OF_TEST) for word in recipe.command] == ["sh", "-c", "echo m-1 $HOME"]


def test_the_recipe_of_the_guide_is_one() -> None:
    (text,) = (b.text for b in blocks(DOCS / "guides" / "bring-an-agent.md") if b.language == "toml")
    assert read_recipe(text, "the guide").wires == ("openai",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('name = "a"\ncommand = ["x", "$modle"]', r"mine\.toml: no word \$modle; there are \$model"),
        ('name = "a b"\ncommand = ["x"]', r"mine\.toml is no recipe: .*name"),
        ('name = "a"\ncommand = []', r"mine\.toml is no recipe: .*command"),
        ('name = "a"\ncommand = ["x"]\nwires = ["grpc"]', r"mine\.toml is no recipe: .*wires"),
        ('name = "a"\ncommand = ["x"]\nfast = true', r"mine\.toml is no recipe: .*fast"),
        ("name =", r"mine\.toml is no recipe"),
    ],
)
def test_what_is_no_recipe_is_refused(text: str, message: str) -> None:
    with pytest.raises(CatalogueError, match=message):
        read_recipe(text, "mine.toml")


def test_an_agent_that_is_not_here_comes_with_its_remedy(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        PrerequisiteError,
        match=r"the program claude is neither in .*agents/claude-code/bin nor on the path; npm install",
    ):
        program_of(find_recipe("claude-code"))


def test_an_environment_of_its_own_goes_before_the_path(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    own = tmp_path / ".local/share/ekb/agents/mine/bin/agent"
    own.parent.mkdir(parents=True)
    own.write_text("#!/bin/sh\necho; echo agent 1.2.3; ls -d $HOME\n", encoding="utf-8")
    own.chmod(0o755)
    recipe = read_recipe('name = "mine"\ncommand = ["agent"]\nversion = ["agent", "--version"]', "mine.toml")
    assert program_of(recipe) == own
    assert program_version(recipe, Place(confined=False)) == "agent 1.2.3"
