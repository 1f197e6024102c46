"""How the clients behave towards an endpoint: address, key, patience, politeness."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

BASE_URL = "EKB_BASE_URL"
API_KEY = "EKB_API_KEY"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is served and how it is asked.

    Attributes:
        base_url: Address with the version, such as `http://127.0.0.1:8080/v1`; None for the
            provider's own.
        api_key: The key; empty when the server wants none, or the provider's own variable holds it.
        timeout_s: Patience for one try.
        retries: Further tries after a time-out, a lost connection, 408, 409, 429 and 5xx.
        concurrency: The most calls at one time.
        others: Further addresses where the same model is served: a call goes to one that is free.
    """

    base_url: str | None = None
    api_key: str = ""
    timeout_s: float = 600.0
    retries: int = 4
    concurrency: int = 4
    others: tuple[str, ...] = ()

    def each(self) -> tuple["Endpoint", ...]:
        """Give an endpoint for each address."""
        alone = replace(self, others=())
        return (alone, *(replace(alone, base_url=url) for url in self.others))


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Where the models of a run are served.

    Attributes:
        default: Of models that have no address of their own.
        named: Addresses of others, by the model's name as `--model` has it.
    """

    default: Endpoint = Endpoint()
    named: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def of(self, model: str | None) -> Endpoint:
        """Give the endpoint of a model."""
        urls = self.named.get(model or "", ())
        return replace(self.default, base_url=urls[0], others=urls[1:]) if urls else self.default


def endpoint_from(environment: Mapping[str, str] = os.environ, base_url: str | None = None) -> Endpoint:
    """Read address and key from the environment.

    Args:
        environment: Holds `EKB_BASE_URL` and `EKB_API_KEY`, both optional.
        base_url: What the command line says; goes before the environment.

    Returns:
        The endpoint with the default patience.
    """
    return Endpoint(base_url or environment.get(BASE_URL) or None, environment.get(API_KEY, ""))


def endpoints_from(words: Sequence[str] | None, environment: Mapping[str, str] = os.environ) -> Endpoints:
    """Read addresses as a person gives them.

    Args:
        words: `URL` for all models, or `MODEL=URL` for one; a model that is named again is served at all of
            its addresses, and so are all where several addresses have no model.
        environment: Holds `EKB_BASE_URL` and `EKB_API_KEY`, both optional.
    """
    plain: list[str] = []
    named: dict[str, tuple[str, ...]] = {}
    for word in words or ():
        model, mark, url = word.partition("=")
        if mark and "://" not in model:
            named[model] = (*named.get(model, ()), url)
        else:
            plain.append(word)
    default = endpoint_from(environment, plain[0] if plain else None)
    return Endpoints(replace(default, others=tuple(plain[1:])), named)
