"""`ekb model proxy`: an agent's only way to a model, counted."""

import json
import sys
from pathlib import Path
from threading import Lock
from typing import Annotated

import typer

from edgekernelbench.agents.ledger import Budget, Ledger
from edgekernelbench.agents.models.endpoint import endpoint_from
from edgekernelbench.agents.models.protocol import Reply, Request
from edgekernelbench.agents.models.registry import parse_spec
from edgekernelbench.agents.proxy.calls import Call
from edgekernelbench.agents.proxy.upstream import open_upstream
from edgekernelbench.cli import run_options as o
from edgekernelbench.cli.options import BaseUrl, Json
from edgekernelbench.cli.output import print_json, print_lines, say
from edgekernelbench.cli.status import Status
from edgekernelbench.reports.text import counted


def proxy(
    name: Annotated[
        str, typer.Argument(help="The model that answers, see `ekb model list`.", metavar="NAME")
    ],
    *,
    tokens: o.Tokens = None,
    calls: Annotated[
        int | None, typer.Option("--calls", help="Calls that it may make.", min=0, metavar="N")
    ] = None,
    log: Annotated[
        str | None, typer.Option("--log", help="File that gets a line of JSON for each call.", metavar="FILE")
    ] = None,
    base_url: BaseUrl = None,
    as_json: Json = False,
) -> int:
    """Stand between an agent and a model's API until Ctrl-C or the end of standard input.

    Prints the variables that send the clients of OpenAI and Anthropic here, with a token that is worth
    nothing elsewhere; the key stays here. Every call is counted, the model is the one that is named, whatever
    the agent asks for, and when the budget is used up calls are refused. Listens on this machine alone.
    """
    # Loaded late: it needs packages that other commands do without.
    from edgekernelbench.agents.proxy.server import CountingProxy  # noqa: PLC0415

    account = Account(Budget(tokens=tokens, calls=calls), None if log is None else Path(log))
    with (
        open_upstream(parse_spec(name), endpoint_from(base_url=base_url)) as upstream,
        CountingProxy(upstream, account.ledger.left, account.hear) as served,
    ):
        if as_json:
            print_json({"url": served.url, "token": served.token, "environment": dict(served.environment)})
        else:
            print_lines(f"{variable}={value}" for variable, value in served.environment.items())
        sys.stdout.flush()
        say("give the agent these variables and no others of the providers; Ctrl-C ends it")
        try:
            sys.stdin.read()
        except KeyboardInterrupt:
            say("")
        refused = len(served.refused)
    say(account.total(refused))
    return Status.YES


class Account:
    """What has been used, and where calls are written down.

    Args:
        budget: The limits.
        log: File that gets a line for each call; None for none.
    """

    def __init__(self, budget: Budget, log: Path | None) -> None:
        self.ledger = Ledger(budget)
        self._log = log
        self._lock = Lock()

    def hear(self, call: Call) -> None:
        """Count a call, and write it down."""
        with self._lock:
            if call.counts:
                self.ledger.tell(Request(()), Reply("", call.usage))
            if self._log is not None:
                with self._log.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(call.as_json()) + "\n")

    def total(self, refused: int) -> str:
        """Say what was used.

        Args:
            refused: Calls that went nowhere.
        """
        usage = self.ledger.usage
        about = ", some of them estimated" if usage.estimated else ""
        read = f"{usage.input:,} tokens read ({usage.cached:,} from a cache)"
        calls = counted(self.ledger.calls, "call")
        return f"{calls}, {refused} refused; {read}, {usage.output:,} written{about}"
