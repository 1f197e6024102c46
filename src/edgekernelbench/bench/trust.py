"""Programs of others that a run would start: who runs them has read them first, and says so."""

from pathlib import Path

from edgekernelbench.base.errors import CatalogueError, RecordError
from edgekernelbench.bench.experiment import Experiment
from edgekernelbench.bench.visits.recipe import Recipe, find_recipe, shipped_recipes

ADVICE = "read them, then add --trust"


def require_trust(experiment: Experiment, *, trusted: bool) -> None:
    """Refuse to run the PyTorch functions of a catalogue from elsewhere unasked.

    A catalogue that `pip` brought is trusted as that package is. Kernel texts are data, whoever wrote them.

    Args:
        experiment: The settings of a run, typed just now or read from a manifest.
        trusted: Whether its programs were read.

    Raises:
        CatalogueError: When they were not, and would be run.
    """
    where = experiment.catalogue
    if experiment.vendor and not trusted and where is not None and Path(where).is_dir():
        raise CatalogueError(f"{where} has programs, and timing the vendor's libraries runs them; {ADVICE}")


def require_trust_to_go_on(experiment: Experiment, *, trusted: bool) -> None:
    """Refuse to start commands that see this machine because a manifest names them: it may be a stranger's.

    Args:
        experiment: The settings of a run that was begun before.
        trusted: Whether its commands were read.

    Raises:
        RecordError: When they were not.
    """
    free = [a.name for a in experiment.agents if not a.confined or _sees_more(a.recipe)]
    if free and not trusted:
        names = ", ".join(free)
        raise RecordError(
            f"the manifest names commands for {names}, which see files of this machine; {ADVICE}"
        )


def _sees_more(recipe: Recipe | None) -> bool:
    """Whether a recipe, other than those that come with the package, shows files of this machine."""
    if recipe is None or not recipe.sees:
        return False
    return recipe.name not in shipped_recipes() or recipe != find_recipe(recipe.name)
