"""Reads hostile texts by the ten thousand: `python benchmarks/fuzz.py [--texts N] [--seed N] [--faults DIR]`.

Every text must end as a kernel or as diagnostics. The table says how many of each class ended how. The status
is 1 when one raised anything else, took too long, or was accepted and came back from being printed and read
as another. Whatever went wrong is written to `--faults DIR`, a file a text.
"""

import argparse
import random
import re
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))  # for the classes of hostile texts that the tests have

from tests.lang.hostile import HARMLESS, HOSTILE

from edgekernelbench.base.diagnostics import errors_in
from edgekernelbench.lang.grammar.sample import sample
from edgekernelbench.lang.parse import parse
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.nest.printing import print_nest
from edgekernelbench.nest.survey import survey_text
from edgekernelbench.profiles.profile import Profile, load_profile

TEXTS = [path.read_text(encoding="ascii") for path in sorted((ROOT / "tests" / "texts").glob("*.kir"))]
TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
TOKENS = sorted({token for text in TEXTS for token in TOKEN.findall(text)})
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")
NAME = re.compile(r"(?<![\w.])[a-z_]\w*")
NASTY = (
    "\0",
    "\ud800",
    "\udfff",
    "é",
    "ℵ",
    "\U0001d431",
    "\u2028",
    "\ufeff",
    "\x0c",
    "\r",
    "\r\n",
    "\t",
    "\x7f",
    "\\",
    "{",
    "`",
)
NUMBERS = (
    "0",
    "1",
    "2",
    "-1",
    "3",
    "7",
    "255",
    "256",
    "65537",
    "2147483647",
    "2147483648",
    "4294967296",
    "9223372036854775808",
    "1e999",
    "1e-320",
    "0.5",
    "inf",
    "-inf",
    "pi",
    "0x10",
    "1_000",
    "9" * 400,
    "2**63",
    "1/3",
    "(0 - 5)",
    "True",
    "1j",
)
TOO_LONG_S = 5.0
TARGETS = ("llvm", "cuda-sm87", "opencl")


def mutate_characters(rng: random.Random) -> str:
    """Insert, drop, double and exchange characters, now and then ones that no text may have."""
    text = list(rng.choice(TEXTS))
    for _ in range(rng.choice((1, 1, 2, 4, 20))):
        at = rng.randrange(len(text))
        new = rng.choice(NASTY) if rng.random() < 0.3 else chr(rng.randrange(32, 127))
        match rng.randrange(4):
            case 0:
                text.insert(at, new)
            case 1:
                del text[at]
            case 2:
                text[at] = new
            case _:
                text[at:at] = text[at : at + rng.randrange(1, 40)]
    return "".join(text)


def mutate_tokens(rng: random.Random) -> str:
    """Exchange words and signs for others of the language."""
    tokens = TOKEN.findall(rng.choice(TEXTS))
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        at = rng.randrange(len(tokens))
        match rng.randrange(3):
            case 0:
                tokens[at] = rng.choice(TOKENS)
            case 1:
                tokens.insert(at, rng.choice(TOKENS))
            case _:
                del tokens[at]
    return "".join(tokens)


def mutate_lines(rng: random.Random) -> str:
    """Drop, double, shuffle and indent lines, and borrow some of another text."""
    lines = rng.choice(TEXTS).split("\n")
    for _ in range(rng.choice((1, 1, 2, 3, 6))):
        at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        match rng.randrange(6):
            case 0 if len(lines) > 1:
                del lines[at]
            case 1:
                lines.insert(at, lines[other])
            case 2:
                lines[at], lines[other] = lines[other], lines[at]
            case 3:
                lines[at] = "    " + lines[at]
            case 4:
                lines[at] = lines[at].removeprefix("    ")
            case _:
                lines.insert(at, rng.choice(rng.choice(TEXTS).split("\n")))
    return "\n".join(lines)


def mutate_numbers(rng: random.Random) -> str:
    """Change sizes, bounds and factors."""
    return _replaced(rng, rng.choice(TEXTS), NUMBER, lambda: rng.choice(NUMBERS))


def mutate_names(rng: random.Random) -> str:
    """Let reads, directives and definitions mean something else."""
    text = rng.choice(TEXTS)
    names = NAME.findall(text)
    return _replaced(rng, text, NAME, lambda: rng.choice(names))


def _replaced(rng: random.Random, text: str, pattern: re.Pattern[str], new: Callable[[], str]) -> str:
    found = list(pattern.finditer(text))
    for place in sorted(
        rng.sample(found, min(len(found), rng.choice((1, 1, 2, 3)))), key=lambda m: -m.start()
    ):
        text = text[: place.start()] + new() + text[place.end() :]
    return text


def cross(rng: random.Random) -> str:
    """Put the schedule and memory of one text under the compute of another."""
    one, two = rng.choice(TEXTS), rng.choice(TEXTS)
    head, rest = one.partition("    with schedule"), two.partition("    with schedule")
    return head[0] + rest[1] + rest[2]


def from_grammar(rng: random.Random) -> str:
    """Draw a text that the grammar accepts."""
    return sample(rng, rng.choice((1, 2, 2, 3)))


def noise(rng: random.Random) -> str:
    """Draw anything: bytes of a binary file, half surrogates, the whole of Unicode."""
    top = rng.choice((0x80, 0x100, 0x800, 0x11_0000))
    body = "".join(chr(rng.randrange(top)) for _ in range(rng.choice((0, 1, 10, 100, 2_000))))
    if rng.random() < 0.5:
        text = rng.choice(TEXTS)
        at = rng.randrange(len(text))
        return text[:at] + body + text[at:]
    return body


OPENERS = (
    "(",
    "[",
    "{",
    "-",
    "not ",
    "~",
    "exp(",
    "b[",
    "sum(",
    "max(0, ",
    "1 if b else ",
    "lambda: ",
    "f32(",
    "1 + (",
    "choose(",
    "2**",
)
CLOSERS = {
    "(": ")",
    "[": "]",
    "{": "}",
    "b[": "]",
    "sum(": " for k in range(4))",
    "lambda: ": "",
    "-": "",
    "not ": "",
    "~": "",
    "1 if b else ": "",
    "2**": "",
}


def deep(rng: random.Random) -> str:
    """Nest one construct, or two in turn, up to as deep as 64 KiB allow."""
    kinds = rng.sample(OPENERS, rng.choice((1, 1, 2, 3)))
    depth = rng.choice((5, 40, 90, 99, 150, 199, 250, 1_000, 5_000))
    chain = [kinds[n % len(kinds)] for n in range(depth)]
    value = "".join(chain) + "1" + "".join(CLOSERS.get(one, ")") for one in reversed(chain))
    return _in_some_place(rng, value)


def huge(rng: random.Random) -> str:
    """Repeat one thing very often, in one of many places."""
    part = rng.choice(
        (
            "b[0]",
            "x",
            "1",
            "i",
            "N",
            "s.k",
            "sum(b[k] for k in range(4))",
            "q{n}",
            "f32(1)",
            "'a'",
            "a{n}=1",
            "9" * 30,
        )
    )
    sign = rng.choice((" + ", ", ", " and ", " < ", " * ", " if 1 else ", "; ", "\n        ", " - ", "."))
    count = rng.choice((50, 300, 2_000, 20_000))
    value = sign.join(part.replace("{n}", str(n)) for n in range(count))[
        : rng.choice((3_000, 20_000, 66_000, 200_000))
    ]
    return _in_some_place(rng, value)


def _in_some_place(rng: random.Random, value: str) -> str:
    head = "def f(x: f32[4], b: f32[4]):\n"
    stage, body = "        o[i]: f32[4] = x[i]\n", f"        o: f32 = {value}\n"
    whole = f"{head}    with compute:\n{stage}        return o\n"
    places = (
        f"{head}    with compute:\n{body}        return o\n",
        f"{head}    N = {value}\n    with compute:\n{stage}        return o\n",
        f"{head}    with compute:\n        o[i]: f32[{value}] = x[0]\n        return o\n",
        f"{head}    with compute:\n        o: f32 = b[{value}]\n        return o\n",
        f"{head}    with compute:\n        t: f32[4] = [{value}]\n        return t\n",
        f"{head}    with compute:\n        o: f32 = sum(1 for k in range({value}))\n        return o\n",
        f'{whole}    with schedule("llvm"):\n        unroll({value})\n',
        f'{whole}    with memory("llvm"):\n        layout(x, "{value[:9000]}")\n',
        f"def f(x: f32[{value}]):\n    with compute:\n        o: f32 = x[0]\n        return o\n",
        f"{head}    with compute:\n{stage}        return {value}\n",
        value,
    )
    return rng.choice(places)


def listed(rng: random.Random) -> str:
    """Take one of the texts of the tests, whole or cut off."""
    text = rng.choice([*HOSTILE.values(), *HARMLESS.values()])
    return text if rng.random() < 0.7 else text[: rng.randrange(len(text) + 1)]


CLASSES: dict[str, tuple[Callable[[random.Random], str], float]] = {
    "characters changed": (mutate_characters, 0.15),
    "words exchanged": (mutate_tokens, 0.2),
    "lines moved": (mutate_lines, 0.15),
    "numbers changed": (mutate_numbers, 0.1),
    "names exchanged": (mutate_names, 0.1),
    "layers crossed": (cross, 0.03),
    "from the grammar": (from_grammar, 0.15),
    "noise": (noise, 0.06),
    "deep": (deep, 0.025),
    "huge": (huge, 0.025),
    "hostile of the tests": (listed, 0.01),
}
"""Each class with its share."""


class TooLongError(Exception):
    """A text kept the reader for longer than any may."""


def interrupt(number: int, frame: FrameType | None) -> None:
    raise TooLongError


def outcome_of(text: str, profile: Profile) -> str:
    """Look at all layers of one text, as `ekb check` does.

    Returns:
        `accepted`, `pattern`, or the letter of the first refusal.
    """
    found = survey_text(text, profile)
    for diagnostic in found.diagnostics:
        diagnostic.render(text)
    refusals = errors_in(found.diagnostics)
    if refusals:
        return f"refused {refusals[0].code[0]}"
    if found.nest is None:
        if not found.open:
            raise AssertionError("no nest, and nothing is wrong")
        return "pattern"
    print_nest(found.nest)
    printed = print_kernel(parse(text))
    if print_kernel(parse(printed)) != printed:
        raise AssertionError("printed and read back, it is another text")
    return "accepted"


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--texts", type=int, default=100_000)
    options.add_argument("--seed", type=int, default=2026)
    options.add_argument(
        "--nests", type=float, default=0.15, help="share of proven texts whose nest is built too"
    )
    options.add_argument("--faults", type=Path, default=None)
    given = options.parse_args()
    rng = random.Random(given.seed)  # noqa: S311 - draws texts, keeps no secret
    names, shares = list(CLASSES), [share for _, share in CLASSES.values()]
    counts: dict[str, Counter[str]] = {name: Counter() for name in names}
    slowest: dict[str, float] = dict.fromkeys(names, 0.0)
    faults = 0
    signal.signal(signal.SIGVTALRM, interrupt)
    for number in range(given.texts):
        name = rng.choices(names, shares)[0]
        text = CLASSES[name][0](rng)
        start = time.process_time()
        signal.setitimer(signal.ITIMER_VIRTUAL, TOO_LONG_S)
        try:
            outcome = outcome_of(text, load_profile(rng.choice(TARGETS)))
        except Exception:
            outcome, faults = "fault", faults + 1
            report(number, name, text, given.faults)
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        slowest[name] = max(slowest[name], time.process_time() - start)
        counts[name][outcome] += 1
    show(counts, slowest)
    return 1 if faults else 0


def report(number: int, name: str, text: str, folder: Path | None) -> None:
    """Say what a text did; keep it."""
    sys.stderr.write(f"text {number} ({name}):\n{traceback.format_exc(limit=-4)}\n")
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{number}.kir").write_bytes(text.encode("utf-8", "surrogatepass"))


def show(counts: dict[str, Counter[str]], slowest: dict[str, float]) -> None:
    """Print the table: a row a class, a column an outcome."""
    found = {outcome for row in counts.values() for outcome in row} - {"accepted", "pattern", "fault"}
    heads = ["accepted", "pattern", *sorted(found), "fault"]
    total = Counter[str]()
    print(f"{'class':<22}{'texts':>8}" + "".join(f"{head:>11}" for head in heads) + f"{'slowest':>11}")
    for name, row in counts.items():
        total += row
        print(
            f"{name:<22}{row.total():>8,}"
            + "".join(f"{row[h]:>11,}" for h in heads)
            + f"{1e3 * slowest[name]:>8.0f} ms"
        )
    print(f"{'all':<22}{total.total():>8,}" + "".join(f"{total[h]:>11,}" for h in heads))
    print(f"processor time: {time.process_time():.0f} s")


if __name__ == "__main__":
    sys.exit(main())
