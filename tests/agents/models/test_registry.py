"""From the word after `--model` to a model."""

from pathlib import Path

import pytest
from tests.agents.support import Canned, ask, completion, serving

from edgekernelbench.agents.models.endpoint import Endpoint, Endpoints, endpoint_from, endpoints_from
from edgekernelbench.agents.models.registry import ModelSpec, open_model, parse_spec
from edgekernelbench.base.errors import ModelError, PrerequisiteError


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("smollm2", ModelSpec("local", "smollm2")),
        ("openai:gpt-x", ModelSpec("openai", "gpt-x")),
        ("openai:org/model:free", ModelSpec("openai", "org/model:free")),
        ("anthropic:claude-x", ModelSpec("anthropic", "claude-x")),
        ("replay:openai:gpt-x", ModelSpec("replay", "openai:gpt-x")),
    ],
)
def test_a_model_is_named_by_kind_and_name(text: str, spec: ModelSpec) -> None:
    assert parse_spec(text) == spec
    assert str(spec) == text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("smolm2", "did you mean 'smollm2'"),
        ("gpt-x", "models are smollm2"),
        ("openai:", "models are"),
        ("", "models are"),
    ],
)
def test_an_unknown_name_is_answered_with_the_known_ones(text: str, message: str) -> None:
    with pytest.raises(PrerequisiteError, match=message):
        parse_spec(text)


def test_a_model_with_little_context_is_small() -> None:
    assert parse_spec("smollm2").is_small
    assert parse_spec("replay:smollm2").is_small
    assert not parse_spec("openai:smollm2").is_small
    assert not parse_spec("openai:gpt-x").is_small


def test_the_environment_says_where_unless_the_command_line_does() -> None:
    environment = {"EKB_BASE_URL": "http://a/v1", "EKB_API_KEY": "k"}
    assert endpoint_from(environment) == Endpoint("http://a/v1", "k")
    assert endpoint_from(environment, "http://b/v1").base_url == "http://b/v1"
    assert endpoint_from({"EKB_BASE_URL": ""}).base_url is None


def test_answers_are_stored_and_replayed_under_the_same_name(tmp_path: Path) -> None:
    with serving([completion("one"), completion("two")]) as fake:
        for _ in range(2):
            with open_model(parse_spec("openai:m"), Endpoint(fake.url), tmp_path) as model:
                assert (model.name, model.complete(ask()).text) == ("openai:m", "one")
    with open_model(parse_spec("replay:openai:m"), Endpoint(), tmp_path) as model:
        assert model.complete(ask()).text == "one"
        with pytest.raises(ModelError, match="no stored answer"):
            model.complete(ask("something else"))


def test_a_replay_needs_a_store() -> None:
    with pytest.raises(PrerequisiteError, match="--answers"), open_model(parse_spec("replay:m"), Endpoint()):
        pass


def test_addresses_are_for_all_models_or_for_one() -> None:
    assert endpoints_from(None, {"EKB_BASE_URL": "http://a/v1"}) == Endpoints(Endpoint("http://a/v1"))
    words = ["http://b/v1", "openai:m=http://c/v1", "openai:m=http://d/v1?x=y", "http://e/v1?key=1"]
    found = endpoints_from(words, {"EKB_API_KEY": "k"})
    assert found.of("openai:n") == Endpoint("http://b/v1", "k", others=("http://e/v1?key=1",))
    assert found.of("openai:m") == Endpoint("http://c/v1", "k", others=("http://d/v1?x=y",))
    assert [one.base_url for one in found.of("openai:m").each()] == ["http://c/v1", "http://d/v1?x=y"]


def test_a_model_at_two_addresses_is_asked_at_both() -> None:
    answers = [completion("yes")]
    with serving(answers) as one, serving(answers) as two:
        endpoint = Endpoint(one.url, concurrency=1, others=(two.url,))
        with open_model(parse_spec("openai:m"), endpoint) as model:
            replies = [model.complete(ask(str(n))).text for n in range(4)]
    assert replies == ["yes"] * 4
    assert (len(one.asked), len(two.asked)) == (2, 2)


def test_who_does_not_answer_is_passed_over() -> None:
    with serving([Canned("{}", 401)]) as deaf, serving([completion("yes")]) as good:
        endpoint = Endpoint(deaf.url, retries=0, concurrency=1, others=(good.url,))
        with open_model(parse_spec("openai:m"), endpoint) as model:
            assert [model.complete(ask(str(n))).text for n in range(3)] == ["yes"] * 3
    with serving([Canned("{}", 401)]) as deaf, serving([Canned("{}", 401)]) as too:
        endpoint = Endpoint(deaf.url, retries=0, others=(too.url,))
        with open_model(parse_spec("openai:m"), endpoint) as model, pytest.raises(ModelError):
            model.complete(ask("x"))
