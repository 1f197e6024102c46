"""An agent that asks its model until a text is accepted, and measures that one."""

from edgekernelbench.agents.direct import conversation
from edgekernelbench.agents.extract import extract_kernel
from edgekernelbench.agents.models.protocol import Message, Request, Role
from edgekernelbench.agents.packaged import Options
from edgekernelbench.agents.protocol import Answer, Doors, Task

TRIES = 3


class Asker:
    """Asks, checks, asks again."""

    def __init__(self, options: Options) -> None:
        self.name = options.name
        self.options = options

    def solve(self, task: Task, doors: Doors) -> Answer:
        """Answer one task."""
        if doors.chat is None:
            # In the optimise track there is a text to hand in.
            return Answer(task.start or "", "no model, so the text that was given")
        turns = list(conversation(task))
        text = ""
        for number in range(TRIES):
            reply = doors.chat(
                Request(
                    tuple(turns),
                    max_tokens=self.options.max_tokens,
                    temperature=self.options.temperature,
                    seed=self.options.seed + number,
                    sample=task.sample,
                )
            )
            text = extract_kernel(reply.text) or ""
            checked = doors.check(text)
            if checked.accepted:
                doors.measure(text)
                break
            turns += [Message(Role.ASSISTANT, reply.text), Message(Role.USER, checked.text)]
        return Answer(text, f"after {number + 1} of {TRIES} tries")
