"""The process that times what stays with TVM: `python -m edgekernelbench.imports.leftovers FOLDER`.

It prints the nanoseconds of one call of each such function as JSON.
"""

import json
import sys
from pathlib import Path
from statistics import median

import numpy as np

from edgekernelbench.compiler.tvm.relax.running import time_functions
from edgekernelbench.imports.record import CONSTANT, MODULE_FILE, load_model
from edgekernelbench.imports.running import load_weights
from edgekernelbench.workloads.inputs import NUMPY_TYPES

RUNS = 5


def main(folder: str) -> int:
    """Time and print."""
    place = Path(folder)
    model = load_model(place)
    left = {name: f.name for f in model.functions if f.workload is None for name in f.functions}
    values = load_weights(place)
    tensors = {t.name: t for t in (*model.inputs, *(r for call in model.calls for r in call.results))}
    calls = {call.function: call for call in model.calls if call.function in left}
    arrays = {
        name: [
            values[arg]
            if arg.startswith(CONSTANT)
            else np.zeros(tensors[arg].shape, NUMPY_TYPES[tensors[arg].dtype])
            for arg in call.args
        ]
        for name, call in calls.items()
    }
    results = {
        name: [np.zeros(r.shape, NUMPY_TYPES[r.dtype]) for r in call.results] for name, call in calls.items()
    }
    times = time_functions((place / MODULE_FILE).read_text(encoding="utf-8"), arrays, results, RUNS)
    sys.stdout.write(json.dumps({left[name]: median(samples) for name, samples in times.items()}))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
