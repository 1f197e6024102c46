"""What a grammar rule is made of."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lit:
    """A text as it stands."""

    text: str


@dataclass(frozen=True, slots=True)
class Chars:
    """One character of a class, written as between the brackets of a regular expression."""

    members: str


@dataclass(frozen=True, slots=True)
class Word:
    """A word that is none of some words.

    Attributes:
        first: Class of its first character.
        rest: Class of the others.
        most: Number of characters at most, where texts are generated.
        excluded: The words that it may not be.
    """

    first: str
    rest: str
    most: int
    excluded: frozenset[str]


@dataclass(frozen=True, slots=True)
class Ref:
    """Another rule.

    Attributes:
        name: Its name.
        deeper: Whether it stands inside brackets of what refers to it: only such references recurse, so a
            bounded grammar counts them.
    """

    name: str
    deeper: bool = False


@dataclass(frozen=True, slots=True)
class Seq:
    """One after the other."""

    parts: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Alt:
    """One of several."""

    options: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Rep:
    """A part repeated.

    Attributes:
        part: What is repeated.
        least: How often at least.
        most: How often at most; None where the language sets no bound.
        usual: The bound that is set where texts are generated.
    """

    part: "Node"
    least: int
    most: int | None
    usual: int


Node = Lit | Chars | Word | Ref | Seq | Alt | Rep
Rules = dict[str, Node]
"""Rules by name; names in capitals are words and numbers, which hold no other rules."""
