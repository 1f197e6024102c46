"""The endpoint behind the proxy: its address, its key, and the one model that answers."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from edgekernelbench.agents.models.bundled import bundled
from edgekernelbench.agents.models.endpoint import API_KEY, BASE_URL, Endpoint
from edgekernelbench.agents.models.local import LocalServer
from edgekernelbench.agents.models.registry import ModelSpec
from edgekernelbench.agents.proxy.routes import Route, Wire
from edgekernelbench.base.errors import PrerequisiteError

OPENAI = "https://api.openai.com/v1"
ANTHROPIC = "https://api.anthropic.com"
OWN_KEYS = {Wire.OPENAI: "OPENAI_API_KEY", Wire.ANTHROPIC: "ANTHROPIC_API_KEY"}
"""Where the providers' own clients look for a key."""

SECRETS = (API_KEY, BASE_URL, *OWN_KEYS.values(), "ANTHROPIC_AUTH_TOKEN")
"""Variables that an agent behind a proxy must not have."""

LOCAL_PATIENCE_S = 3600.0
"""Slow is not lost: a small machine that is busy may write for many minutes."""


@dataclass(frozen=True, slots=True)
class Upstream:
    """Where calls go.

    Attributes:
        model: Who answers, whatever an agent asks for.
        openai: Address for OpenAI's language, with its version; None where it is not spoken.
        anthropic: Address for Anthropic's language, without the version; None where it is not spoken.
        key: What the endpoint wants; empty where it wants none.
        timeout_s: Patience between two pieces of an answer.
    """

    model: str
    openai: str | None = None
    anthropic: str | None = None
    key: str = field(default="", repr=False)
    timeout_s: float = 600.0

    def url(self, route: Route) -> str | None:
        """Give the address for a route; None where its language is not spoken."""
        match route.wire:
            case Wire.OPENAI:
                return (
                    None if self.openai is None else self.openai.rstrip("/") + route.path.removeprefix("/v1")
                )
            case Wire.ANTHROPIC:
                return None if self.anthropic is None else self.anthropic.rstrip("/") + route.path

    def authorisation(self, wire: Wire) -> dict[str, str]:
        """Give the header with the key."""
        if not self.key:
            return {}
        return {"authorization": f"Bearer {self.key}"} if wire is Wire.OPENAI else {"x-api-key": self.key}

    @property
    def needs_max_completion_tokens(self) -> bool:
        """Whether the endpoint is OpenAI's own, whose newer models refuse the old field `max_tokens`."""
        return self.openai == OPENAI


@contextmanager
def open_upstream(
    spec: ModelSpec, endpoint: Endpoint, environment: Mapping[str, str] = os.environ
) -> Iterator[Upstream]:
    """Find the endpoint of a model; a bundled one is started, and ended afterwards.

    Args:
        spec: `openai:NAME`, `anthropic:NAME` or a bundled model.
        endpoint: Address and key, as for agents of our own.
        environment: Has the provider's own key when `endpoint` has none.

    Yields:
        The endpoint.

    Raises:
        PrerequisiteError: When there is no key, or the model answers from files.
        ModelError: When the local server does not start.
    """
    match spec.kind:
        case "openai":
            base, patience = endpoint.base_url or OPENAI, endpoint.timeout_s
            key = _key(spec, endpoint, Wire.OPENAI, environment)
            yield Upstream(spec.model, openai=base, key=key, timeout_s=patience)
        case "anthropic":
            base, patience = endpoint.base_url or ANTHROPIC, endpoint.timeout_s
            key = _key(spec, endpoint, Wire.ANTHROPIC, environment)
            yield Upstream(spec.model, anthropic=base, key=key, timeout_s=patience)
        case "local":
            with LocalServer(bundled(spec.model), parallel=1) as server:
                root = server.base_url.removesuffix("/v1")
                yield Upstream(spec.model, openai=server.base_url, anthropic=root, timeout_s=LOCAL_PATIENCE_S)
        case _:
            raise PrerequisiteError(
                f"an agent with a client of its own cannot ask {spec}, which answers from files",
                "name a bundled model, openai:NAME or anthropic:NAME",
            )


def _key(spec: ModelSpec, endpoint: Endpoint, wire: Wire, environment: Mapping[str, str]) -> str:
    if endpoint.api_key or endpoint.base_url:
        return endpoint.api_key
    key = environment.get(OWN_KEYS[wire], "")
    if not key:
        raise PrerequisiteError(f"no key for '{spec}'", f"set {API_KEY} or {OWN_KEYS[wire]}")
    return key
