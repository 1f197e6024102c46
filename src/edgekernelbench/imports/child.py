"""The process that reads a model: `python -m edgekernelbench.imports.child REQUEST FOLDER`.

It writes `found.json`, weights, a probe and the module into the folder. A refusal stands in
`refused.txt`. The parent takes texts and numbers from it, and runs nothing of it.
"""

import json
import sys
import warnings
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from edgekernelbench.base.errors import CatalogueError, PrerequisiteError
from edgekernelbench.compiler.tvm.start import import_tvm
from edgekernelbench.evaluator.offline import go_offline
from edgekernelbench.imports.record import MODULE_FILE, PROBE_FILE, WEIGHTS_FILE

REFUSED = "refused.txt"
MISSING = "missing.json"
FOUND = "found.json"

SEED = 20_261
MOST_APART = 1e-3
"""Root mean square of a difference, beside that of the value, from which a model is another model.

Whole networks in f32 that sum in another order are 1e-6 to 1e-5 apart.
"""


def main(request_file: str, folder: str) -> int:
    """Read a model and write what was found.

    Args:
        request_file: JSON: `kind`, `source`, `sizes`.
        folder: Where to write.

    Returns:
        0 when it was read, 1 when it was refused.
    """
    request = json.loads(Path(request_file).read_text(encoding="utf-8"))
    out = Path(folder)
    warnings.simplefilter("ignore")
    try:
        _read(request, out)
    except CatalogueError as error:
        (out / REFUSED).write_text(str(error), encoding="utf-8")
        return 1
    except PrerequisiteError as error:
        (out / MISSING).write_text(json.dumps([error.missing, error.remedy]), encoding="utf-8")
        return 1
    return 0


def _read(request: Mapping[str, Any], out: Path) -> None:
    if request["kind"] == "onnx":
        go_offline()  # a parser of strangers' files needs no network; a program that is trusted may
        import_tvm()  # before anything else imports it, and PyTorch with it
    # These import TVM: what cannot be read as a request should not wait for it.
    from edgekernelbench.compiler.tvm.relax.fusing import module_text  # noqa: PLC0415
    from edgekernelbench.imports.functions import raise_all  # noqa: PLC0415
    from edgekernelbench.imports.reading import open_model, plain  # noqa: PLC0415
    from edgekernelbench.imports.walking import ON_THE_BORDER, distance, draw_inputs, walk_through  # noqa: PLC0415
    from edgekernelbench.lang.printing import print_kernel  # noqa: PLC0415

    opened = open_model(request["kind"], request["source"], request["sizes"], out)
    model = opened.fused
    found = raise_all(model)
    inputs = draw_inputs(model, found, SEED) if opened.inputs is None else opened.inputs
    walked = walk_through(model, found, inputs)
    apart, outputs = None, walked.outputs
    if opened.run is not None:
        outputs = opened.run(inputs)
        apart = max(distance(ours, theirs) for ours, theirs in zip(walked.outputs, outputs, strict=True))
        quantised = any("quantize" in operator for one in found for operator in one.operators)
        if not apart <= (ON_THE_BORDER if quantised else MOST_APART):
            raise CatalogueError(
                f"as TVM reads it, the model gives other values than {opened.framework}: "
                f"{apart:.3g} of their size apart; nothing was imported"
            )
    functions = [
        {
            "name": one.name,
            "functions": one.functions,
            "operators": one.operators,
            "nodes": []
            if one.kernel
            else [n for op in one.operators for n in opened.nodes.get(plain(op), ())],
            "reason": one.reason,
            "text": "" if one.kernel is None else print_kernel(one.kernel),
            "lying": [asdict(lying) for lying in walked.lying.get(one.name, ())],
        }
        for one in walked.found
    ]
    rows = {
        "functions": functions,
        "inputs": [asdict(value) for value in model.inputs],
        "calls": [asdict(call) for call in model.calls],
        "outputs": model.outputs,
        "framework": opened.framework if opened.run is not None else "",
        "apart": apart,
    }
    weights: dict[str, Any] = {str(n): array for n, array in enumerate(model.constants)}
    np.savez(out / WEIGHTS_FILE, **weights)
    probe: dict[str, Any] = {f"in{n}": array for n, array in enumerate(inputs)}
    probe |= {f"out{n}": array for n, array in enumerate(outputs)}
    np.savez(out / PROBE_FILE, **probe)
    (out / MODULE_FILE).write_text(module_text(model.module), encoding="utf-8")
    (out / FOUND).write_text(json.dumps(rows), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
