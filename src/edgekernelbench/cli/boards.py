"""Serving: what `ekb device serve` and `ekb device tracker` do, and what they say of the network."""

from collections.abc import Callable

from edgekernelbench.base.errors import CatalogueError, PrerequisiteError
from edgekernelbench.cli.output import say
from edgekernelbench.cli.status import Status
from edgekernelbench.evaluator.boards.address import LOOPBACK, PREFIX, is_board, parse_address
from edgekernelbench.evaluator.boards.describe import describe
from edgekernelbench.evaluator.boards.hosting import LOOPBACK_HOSTS, BoardPlan, Hosted, host_until_told
from edgekernelbench.evaluator.probe import probe
from edgekernelbench.profiles.profile import Whereabouts, load_profile

LISTEN = LOOPBACK

SSH = (
    "the protocol knows no passwords and no secrets: whoever reaches the port runs programs as you",
    "over a network that others share, keep to the loopback and let SSH carry both ports, from this host:",
    "  ssh -R 9190:127.0.0.1:9190 -L 9091:127.0.0.1:9091 BOARD ekb device serve --port 9091",
)


def check_network(host: str, *, network: bool) -> None:
    """Let nobody listen beyond this machine by accident.

    Raises:
        CatalogueError: When the address is no loopback and that was not asked for.
    """
    if host in LOOPBACK_HOSTS:
        return
    if not network:
        advice = "add --open-to-network if you mean it"
        raise CatalogueError("\n".join([f"{host} is reached from other machines; {advice}", *SSH]))
    for line in SSH:
        say(line)


def plan_board(
    profile: str, key: str | None, tracker: tuple[str, int], host: str, port: int, *, network: bool
) -> BoardPlan:
    """Say what will be served, once a kernel has run on it.

    Raises:
        CatalogueError: When there is no such profile, the key is no word, or the address needs a flag.
        PrerequisiteError: When kernels do not run on the device.
    """
    check_network(host, network=network)
    found = load_profile(profile)
    if found.where is Whereabouts.TEXT:
        raise CatalogueError(f"{profile} is for check and lower only: such a device cannot run this package")
    name = key or profile
    parse_address(name if is_board(name) else PREFIX + name)
    worked = probe(profile)
    if not worked.works:
        remedy = worked.remedy or "run `ekb doctor`"
        raise PrerequisiteError(f"a kernel does not run here as {profile}: {worked.detail}", remedy)
    say(f"a kernel ran and was right: {worked.detail}")
    return BoardPlan(describe(profile), name.removeprefix(PREFIX), host, port, tracker)


def serve_board(plan: BoardPlan) -> int:
    """Serve until told to end."""
    threads = plan.profile.threads
    return _host(lambda port: Hosted(plan.at(port).settings(), threads), plan.port, f"board {plan.key}")


def serve_tracker(host: str, port: int, *, network: bool) -> int:
    """Keep the queue until told to end."""
    check_network(host, network=network)
    return _host(lambda at: Hosted({"host": host, "port": at}), port, "tracker")


def _host(start: Callable[[int], Hosted], port: int, name: str) -> int:
    host_until_told(start, port, lambda text: say(f"{name}: {text}"))
    return Status.YES
