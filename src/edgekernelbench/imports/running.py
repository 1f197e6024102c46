"""Running an imported model through the texts of its catalogue: slow, exact, and for comparison."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.imports.record import CONSTANT, WEIGHTS_FILE, ImportedModel
from edgekernelbench.interp.evaluate import evaluate
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.verify.facts import Facts
from edgekernelbench.workloads.catalogue import load_catalogue

Array = NDArray[np.generic]


def load_weights(folder: Path) -> dict[str, Array]:
    """Read the weights of an imported model, by the names that its calls use.

    Args:
        folder: The folder of the model.
    """
    with np.load(folder / WEIGHTS_FILE) as stored:
        return {f"{CONSTANT}{name}": stored[name] for name in stored.files}


def run_model(model: ImportedModel, folder: Path, inputs: Sequence[Array]) -> tuple[Array, ...]:
    """Run a model of which every function was raised, text by text, in the interpreter.

    Args:
        model: The model.
        folder: Its folder.
        inputs: One array an input.

    Returns:
        One array an output.

    Raises:
        CatalogueError: When a function stays with TVM.
    """
    texts = _facts_by_function(model, folder)
    values = load_weights(folder)
    values |= {tensor.name: array for tensor, array in zip(model.inputs, inputs, strict=True)}
    for call in model.calls:
        if call.function not in texts:
            raise CatalogueError(f"{model.name}: {call.function} stays with TVM and has no text")
        facts = texts[call.function]
        named = {p.name: values[arg] for p, arg in zip(facts.kernel.params, call.args, strict=True)}
        results = evaluate(facts, named, precision="declared")
        values |= {tensor.name: array for tensor, array in zip(call.results, results, strict=True)}
    return tuple(values[name] for name in model.outputs)


def _facts_by_function(model: ImportedModel, folder: Path) -> Mapping[str, Facts]:
    catalogue = load_catalogue(folder.resolve())
    found: dict[str, Facts] = {}
    for function in model.functions:
        if function.workload is not None:
            facts = verify_compute(catalogue.workload(function.workload).kernel())
            found |= dict.fromkeys(function.functions, facts)
    return found
