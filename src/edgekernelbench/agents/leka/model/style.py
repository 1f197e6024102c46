"""How a model is asked."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Style:
    """Settings of the mind that asks a model.

    Attributes:
        max_tokens: The most tokens of one answer.
        temperature: Sampling temperature of whatever writes kernel text; None for the endpoint's default.
        planning: The same for analysis, plans and conclusions.
        seed: Base of the sampling seeds; None when the endpoint is told none.
        grammar: Whether kernel text must follow the grammar of the language.
        one_call: Whether a plan and its layer are asked for in one call instead of two.
        menu: Share of the moves that each plan is shown.
        free: Whether a revision may change all layers: the ablation "no freezing".
    """

    max_tokens: int = 4096
    temperature: float | None = None
    planning: float | None = None
    seed: int | None = 0
    grammar: bool = False
    one_call: bool = False
    menu: float = 0.5
    free: bool = False
