"""The agent's `ekb`: asks the run, through its door.

It is copied into the agent's place, so it imports nothing of ours. The counter, the budget and
the device are with the run; this only carries texts there and answers back.
"""

import json
import os
import sys
import urllib.error
import urllib.request

USAGE = """usage: ekb task            the task: rules, language, signature, reference, device, budget
       ekb check FILE      is the kernel text legal, does it fit, is it right on public inputs? free
       ekb measure FILE    run it on the device: one submission of the budget
       ekb best            the best text so far, which is your answer
       ekb budget          what is left
FILE may be - for standard input; check and measure end with status 0 for a correct text, 1 otherwise."""
PATIENCE_S = 7200.0


def main(words: list[str]) -> int:
    """Ask one thing.

    Args:
        words: The words of the command line.

    Returns:
        0 yes, 1 no, 2 usage, 3 when the run does not answer.
    """
    match words:
        case ["task" | "best" | "budget" as door]:
            return ask(door, None)
        case ["check" | "measure" as door, name]:
            try:
                return ask(door, read(name))
            except OSError as error:
                sys.stderr.write(f"ekb: {error}\n")
                return 2
        case _:
            sys.stderr.write(USAGE + "\n")
            return 0 if words in (["--help"], ["-h"], ["help"]) else 2


def read(name: str) -> bytes:
    """Read a text, whatever it holds: the run refuses it, with a place.

    Raises:
        OSError: When there is no such file.
    """
    if name == "-":
        return sys.stdin.buffer.read()
    with open(name, "rb") as stream:  # noqa: PTH123 - no more imports than needed
        return stream.read()


def ask(door: str, text: bytes | None) -> int:
    """Ask at a door, and print what it says."""
    url = f"{os.environ['EKB_DOOR']}/{door}"
    headers = {"Authorization": f"Bearer {os.environ['EKB_TOKEN']}"}
    asked = urllib.request.Request(url, data=text, headers=headers)  # noqa: S310 - this machine's loopback
    # A proxy of the environment would be asked otherwise.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(asked, timeout=PATIENCE_S) as answer:
            said = json.load(answer)
    except urllib.error.HTTPError as error:
        sys.stderr.write(f"ekb: {error.read().decode('utf-8', 'replace')}\n")
        return 3
    except OSError as error:
        sys.stderr.write(f"ekb: the run does not answer: {error}\n")
        return 3
    sys.stdout.write(said["text"].rstrip("\n") + "\n")
    return 0 if said["good"] else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
