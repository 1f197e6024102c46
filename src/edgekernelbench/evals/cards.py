"""What a model is shown: the card of a workload, with the rules before it."""

from dataclasses import dataclass

from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageSystem, ChatMessageUser
from inspect_ai.solver import Generate, Solver, TaskState, solver

from edgekernelbench.agents.card import make_task
from edgekernelbench.agents.direct import conversation
from edgekernelbench.agents.ledger import Budget
from edgekernelbench.agents.models.protocol import Message, Role
from edgekernelbench.agents.protocol import Task, Track
from edgekernelbench.bench.cards import card_facts
from edgekernelbench.evals.bench import Place, bench_of
from edgekernelbench.workloads.schema import Workload


@dataclass(frozen=True, slots=True)
class Deck:
    """The cards of an evaluation.

    Attributes:
        place: Where it judges.
        track: Which question is asked.
        submissions: Measurements of a sample, which a card names.
        short: Whether cards are the short ones, for models with little context.
    """

    place: Place
    track: Track = Track.WRITE
    submissions: int = 0
    short: bool = False

    def card(self, workload: Workload) -> Task:
        """Write the card of a workload, as `ekb run` does."""
        profile = self.place.profile()
        facts = card_facts(workload, self.track, profile)
        return make_task(facts, profile, Budget(submissions=self.submissions), short=self.short)


@solver
def with_rules(
    track: str = "write",
    submissions: int = 0,
    short: bool = False,
    device: str = "llvm",
    compiler: str = "tvm",
    timing: str = "one-child",
    catalogue: str | None = None,
) -> Solver:
    """Put the rules, the language and, for small models, worked examples before the card of a sample."""
    place = Place(device, compiler, timing, catalogue)
    deck, bench = Deck(place, Track(track), submissions, short), bench_of(place)

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        del generate
        card = deck.card(bench.workload(str(state.sample_id)))
        state.messages = [_message(turn) for turn in conversation(card)]
        return state

    return solve


def _message(turn: Message) -> ChatMessage:
    match turn.role:
        case Role.SYSTEM:
            return ChatMessageSystem(content=turn.content)
        case Role.USER:
            return ChatMessageUser(content=turn.content)
        case Role.ASSISTANT:
            return ChatMessageAssistant(content=turn.content)
