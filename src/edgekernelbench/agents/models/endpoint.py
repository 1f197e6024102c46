"""How the clients behave towards an endpoint: address, key, patience, politeness."""

import os
from collections.abc import Mapping
from dataclasses import dataclass

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
    """

    base_url: str | None = None
    api_key: str = ""
    timeout_s: float = 600.0
    retries: int = 4
    concurrency: int = 4


def endpoint_from(environment: Mapping[str, str] = os.environ, base_url: str | None = None) -> Endpoint:
    """Read address and key from the environment.

    Args:
        environment: Holds `EKB_BASE_URL` and `EKB_API_KEY`, both optional.
        base_url: What the command line says; goes before the environment.

    Returns:
        The endpoint with the default patience.
    """
    return Endpoint(base_url or environment.get(BASE_URL) or None, environment.get(API_KEY, ""))
