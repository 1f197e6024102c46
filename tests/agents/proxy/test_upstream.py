"""Where calls go, and with which key; the local model behind the proxy."""

from collections.abc import Iterator

import pytest
from tests.agents.proxy.test_relay import chat_in_pieces, message_in_pieces, respond_in_pieces

from edgekernelbench.agents.models.endpoint import Endpoint
from edgekernelbench.agents.models.registry import parse_spec
from edgekernelbench.agents.protocol import Left
from edgekernelbench.agents.proxy.calls import Call, Fate
from edgekernelbench.agents.proxy.routes import Route, Wire
from edgekernelbench.agents.proxy.server import CountingProxy
from edgekernelbench.agents.proxy.upstream import Upstream, open_upstream
from edgekernelbench.base.errors import PrerequisiteError

PROVIDERS = {"OPENAI_API_KEY": "sk-o", "ANTHROPIC_API_KEY": "sk-a"}


def opened(name: str, endpoint: Endpoint, environment: dict[str, str]) -> Upstream:
    with open_upstream(parse_spec(name), endpoint, environment) as upstream:
        return upstream


def test_a_provider_is_asked_with_its_own_key_when_none_is_given() -> None:
    one = opened("openai:gpt-9", Endpoint(), PROVIDERS)
    assert one.url(Route.CHAT) == "https://api.openai.com/v1/chat/completions"
    assert one.url(Route.MESSAGES) is None
    assert one.authorisation(Wire.OPENAI) == {"authorization": "Bearer sk-o"}
    other = opened("anthropic:claude-9", Endpoint(api_key="mine"), PROVIDERS)
    assert other.url(Route.MESSAGES) == "https://api.anthropic.com/v1/messages"
    assert other.authorisation(Wire.ANTHROPIC) == {"x-api-key": "mine"}
    assert "mine" not in repr(other)


def test_a_server_of_ones_own_never_gets_the_providers_key() -> None:
    upstream = opened("openai:m", Endpoint("http://127.0.0.1:9/api/v1/"), PROVIDERS)
    assert upstream.url(Route.RESPONSES) == "http://127.0.0.1:9/api/v1/responses"
    assert upstream.authorisation(Wire.OPENAI) == {}


@pytest.mark.parametrize("name", ["openai:m", "anthropic:m"])
def test_no_key_is_said_before_anything_is_asked(name: str) -> None:
    with pytest.raises(PrerequisiteError, match=f"no key for '{name}'; set EKB_API_KEY or"):
        opened(name, Endpoint(), {})


def test_a_model_that_answers_from_files_is_refused() -> None:
    with pytest.raises(PrerequisiteError, match="replay:m, which answers from files"):
        opened("replay:m", Endpoint(), {})


@pytest.fixture(scope="module")
def local() -> Iterator[Upstream]:
    with open_upstream(parse_spec("smollm2"), Endpoint()) as upstream:
        yield upstream


@pytest.mark.needs_model
@pytest.mark.parametrize(
    ("ask", "route"),
    [
        (chat_in_pieces, Route.CHAT),
        (message_in_pieces, Route.MESSAGES),
        (respond_in_pieces, Route.RESPONSES),
    ],
)
def test_the_local_model_answers_and_is_counted(local: Upstream, ask: object, route: Route) -> None:
    heard: list[Call] = []
    with CountingProxy(local, lambda: Left(tokens=60), heard.append) as proxy:
        assert ask(proxy)  # type: ignore[operator]
    (call,) = heard
    assert (call.route, call.fate, call.model, call.usage.estimated) == (
        route,
        Fate.ANSWERED,
        "smollm2",
        False,
    )
    assert call.usage.input > 20
    assert 0 < call.usage.output <= 60
