"""What an agent may call: three ways to ask a model, and one that counts tokens for nothing."""

from enum import StrEnum


class Wire(StrEnum):
    """Whose language a call is in."""

    OPENAI = "openai"
    ANTHROPIC = "anthropic"


class Route(StrEnum):
    """What is called."""

    CHAT = "chat completions"
    RESPONSES = "responses"
    MESSAGES = "messages"
    COUNT = "count tokens"
    """Says how long a request is; no model is at work, and providers take nothing for it."""

    @property
    def wire(self) -> Wire:
        """Whose language it is in."""
        return Wire.OPENAI if self in (Route.CHAT, Route.RESPONSES) else Wire.ANTHROPIC

    @property
    def path(self) -> str:
        """The path behind the proxy's address."""
        return PATHS[self]


PATHS = {
    Route.CHAT: "/v1/chat/completions",
    Route.RESPONSES: "/v1/responses",
    Route.MESSAGES: "/v1/messages",
    Route.COUNT: "/v1/messages/count_tokens",
}
"""Everything else is refused: files, batches, stored conversations, embeddings."""
