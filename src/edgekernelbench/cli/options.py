"""Options that several commands share, and what their words stand for."""

from pathlib import Path
from typing import Annotated

import typer

from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.base.names import nearest
from edgekernelbench.profiles.profile import Profile, load_profile, usable_profiles
from edgekernelbench.records.reference import KINDS, Kind

TARGETS = {"llvm": "llvm", "cuda": "cuda-sm87", "opencl": "opencl"}
"""Each target with the profile that stands for it when none is named."""

File = Annotated[str, typer.Argument(help="A kernel text; - reads standard input.", metavar="FILE")]
Target = Annotated[
    str | None,
    typer.Option("--target", "-t", help="llvm, cuda or opencl.", metavar="TARGET", show_default="llvm"),
]
ProfileName = Annotated[
    str | None,
    typer.Option(
        "--profile", "-p", help="The device's profile.", metavar="NAME", show_default="the target's own"
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Size = Annotated[
    list[str] | None,
    typer.Option(
        "--size", "-s", help="Value of a free capital of a pattern; may be repeated.", metavar="NAME=VALUE"
    ),
]


Compiler = Annotated[str, typer.Option("--compiler", help="tvm or c.", metavar="NAME")]
LanguageName = Annotated[
    str,
    typer.Option("--language", help="kernel, or c: the control, plain C in a sandbox.", metavar="NAME"),
]
Track = Annotated[
    str, typer.Option("--track", help="write (from PyTorch), or optimise (given the text).", metavar="TRACK")
]
BaseUrl = Annotated[
    str | None,
    typer.Option(
        "--base-url", help="Address of the model's endpoint.", metavar="URL", show_default="EKB_BASE_URL"
    ),
]
BaseUrls = Annotated[
    list[str] | None,
    typer.Option(
        "--base-url",
        help="Address of the models, or MODEL=URL of one; may be repeated.",
        metavar="URL",
        show_default="EKB_BASE_URL",
    ),
]
Answers = Annotated[
    str | None,
    typer.Option(
        "--answers", help="Folder where answers of models are kept and found again.", metavar="FOLDER"
    ),
]


Reference = Annotated[
    str | None,
    typer.Option(
        "--reference",
        help="Speed is against r0 (default lowering), r1 (or TVM's tuner), r1:FOLDER.",
        metavar="KIND",
        show_default="r0",
    ),
]


def read_reference(word: str) -> tuple[Kind, str | None]:
    """Take apart what speed is to be counted against.

    Args:
        word: `r0`, `r1`, or `r1:FOLDER` with a folder of tuned references.

    Returns:
        The kind, and the folder.

    Raises:
        CatalogueError: When there is no such kind.
    """
    kind, _, folder = word.partition(":")
    for known in KINDS:
        if known == kind.upper():
            return known, str(Path(folder).resolve()) if folder else None
    raise CatalogueError(f"no reference {word!r}; there are r0 and r1")


def command_app(about: str | None = None) -> typer.Typer:
    """Make the part of the command line that one module is: plain help, no completion to install.

    Args:
        about: What a group of commands is for; None for a module with one command.
    """
    return typer.Typer(
        help=about,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        add_completion=False,
        no_args_is_help=about is not None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )


def find_profile(target: str | None, profile: str | None) -> Profile:
    """Find the profile that two options name.

    Args:
        target: The word after `--target`; None takes the profile's, or llvm.
        profile: The word after `--profile`; None takes the target's own.

    Raises:
        CatalogueError: When there is no such target or profile, or they do not belong together.
    """
    if target is not None and target not in TARGETS:
        close = nearest(target, TARGETS)
        guess = f"did you mean {close!r}?" if close else f"there are {', '.join(TARGETS)}"
        raise CatalogueError(f"no target {target!r}; {guess}")
    if profile is None:
        return load_profile(TARGETS[target or "llvm"])
    found = load_profile(profile)
    if target not in (None, found.target):
        same = ", ".join(one.name for one in usable_profiles() if one.target == target)
        raise CatalogueError(
            f"profile {profile!r} is of {found.target}, not of {target}; of {target} are {same}"
        )
    return found
