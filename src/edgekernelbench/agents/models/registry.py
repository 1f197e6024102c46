"""From the word after `--model` to a model."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from edgekernelbench.agents.models.bundled import MODELS, bundled
from edgekernelbench.agents.models.endpoint import Endpoint
from edgekernelbench.agents.models.local import LocalServer
from edgekernelbench.agents.models.protocol import ChatModel
from edgekernelbench.agents.models.replay import ReplayModel
from edgekernelbench.agents.models.spread import SpreadModel
from edgekernelbench.agents.models.waiting import WaitingModel
from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.base.names import nearest

KINDS = ("openai", "anthropic", "replay", "batch")
MODELS_EXTRA = "pip install 'edgekernelbench[models]'"
SMALL_CONTEXT = 16_384
"""Up to this context a model is shown the short language reference."""


@dataclass(frozen=True, slots=True)
class ModelSpec:
    """A model as a person names it.

    Attributes:
        kind: `local`, `openai`, `anthropic`, `replay` or `batch`.
        model: The model's name there.
    """

    kind: str
    model: str

    def __str__(self) -> str:
        return self.model if self.kind == "local" else f"{self.kind}:{self.model}"

    @property
    def context(self) -> int | None:
        """Tokens of context; None when it is not known."""
        names = [model.name for model in MODELS]
        # Stored answers of a bundled model are found by the very request that it was asked.
        return (
            bundled(self.model).context
            if self.kind in ("local", "replay", "batch") and self.model in names
            else None
        )

    @property
    def is_small(self) -> bool:
        """Whether the short language reference is for it."""
        return self.context is not None and self.context <= SMALL_CONTEXT


def parse_spec(text: str) -> ModelSpec:
    """Read the name of a model.

    Args:
        text: `smollm2`, `openai:NAME`, `anthropic:NAME`, `replay:NAME` or `batch:NAME`.

    Raises:
        PrerequisiteError: When the kind is not known, with the nearest.
    """
    names = [model.name for model in MODELS]
    if text in names:
        return ModelSpec("local", text)
    kind, colon, model = text.partition(":")
    if kind in KINDS and model:
        return ModelSpec(kind, model)
    close = nearest(kind, (*names, *KINDS))
    guess = f"did you mean {close!r}?" if close and not colon else ""
    known = f"models are {', '.join(names)} and {', '.join(f'{k}:NAME' for k in KINDS)}"
    raise PrerequisiteError(f"no model {text!r}", guess or known)


@contextmanager
def open_model(spec: ModelSpec, endpoint: Endpoint, store: Path | None = None) -> Iterator[ChatModel]:
    """Make a model that can be asked, and let go of it afterwards.

    Args:
        spec: Which model.
        endpoint: Address and key, for kinds that have them.
        store: Folder of stored answers, which are used and added to; None stores nothing.

    Yields:
        The model; a local one has its server started.

    Raises:
        PrerequisiteError: When a package, a key or a store is missing.
        ModelError: When the local server does not start.
    """
    if spec.kind in ("replay", "batch"):
        if store is None:
            raise PrerequisiteError(
                f"a {spec.kind} needs a folder of stored answers", "give --answers FOLDER"
            )
        yield (
            ReplayModel(store, name=spec.model) if spec.kind == "replay" else WaitingModel(store, spec.model)
        )
        return
    if spec.kind == "local":
        with LocalServer(bundled(spec.model), parallel=1) as server:
            # Slow is not lost: a small machine that is busy may write for many minutes.
            local = replace(
                endpoint, base_url=server.base_url, api_key="none", concurrency=1, timeout_s=3600.0, retries=1
            )
            yield _stored(_openai(spec, local), store)
        return
    make = _openai if spec.kind == "openai" else _anthropic
    clients = [make(spec, one) for one in endpoint.each()]
    model = clients[0] if len(clients) == 1 else SpreadModel(clients, endpoint.concurrency)
    yield _stored(model, store)


def _stored(model: ChatModel, store: Path | None) -> ChatModel:
    return model if store is None else ReplayModel(store, model)


# The clients are imported when they are asked for: they are optional, and take half a second and more.
def _openai(spec: ModelSpec, endpoint: Endpoint) -> ChatModel:
    try:
        from edgekernelbench.agents.models.openai_endpoint import OpenAIEndpoint  # noqa: PLC0415
    except ImportError as error:
        raise PrerequisiteError("the package openai is not installed", MODELS_EXTRA) from error
    return OpenAIEndpoint(spec.model, endpoint, name=str(spec))


def _anthropic(spec: ModelSpec, endpoint: Endpoint) -> ChatModel:
    try:
        from edgekernelbench.agents.models.anthropic_endpoint import AnthropicEndpoint  # noqa: PLC0415
    except ImportError as error:
        raise PrerequisiteError("the package anthropic is not installed", MODELS_EXTRA) from error
    return AnthropicEndpoint(spec.model, endpoint, name=str(spec))
