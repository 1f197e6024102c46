"""Kernels compiled on a machine without a GPU, carried to one, and judged there without a compiler.

    python benchmarks/carried.py make FOLDER [--profile cuda-h200] WORKLOAD …    here: needs nvcc, no GPU
    python benchmarks/carried.py judge FOLDER                                    there: needs a GPU, no nvcc

What is carried is what a board is sent: a cubin and its launch plan, the default lowering of each workload.
The judge takes its hidden inputs, runs what was carried where it would have compiled, and compares.
"""

import argparse
import json
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from edgekernelbench.base.hashing import hash_text
from edgekernelbench.compiler.parcel import CODE, PARCEL
from edgekernelbench.evaluator.environment import ALL_CORES, worker_cores, worker_environment
from edgekernelbench.evaluator.exam import choose_inputs
from edgekernelbench.evaluator.hands import Hand, Hands
from edgekernelbench.evaluator.judge import Judge
from edgekernelbench.evaluator.messages import Limits
from edgekernelbench.evaluator.places import Here
from edgekernelbench.evaluator.submission import Submission
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import Profile, load_profile
from edgekernelbench.records.outcome import Correct
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.catalogue import load_catalogue

LIST = "carried.json"


class CarriedHands:
    """Starts workers that open parcels, where the judge asks for workers that compile."""

    def __init__(self, here: Hands, parcels: Path) -> None:
        self._here = here
        self._parcels = parcels

    def folder(self) -> Path:
        """Make a folder of a worker."""
        return self._here.folder()

    def start(self, role: str, request: Mapping[str, object], *, folder: Path, limits: Limits) -> Hand:
        """Put the parcel of a text into the folder and start what opens it."""
        assert role == "kernel"
        for name in (PARCEL, CODE):
            shutil.copy(self._parcels / hash_text(str(request["text"])) / name, folder / name)
        return self._here.start("carried", request, folder=folder, limits=limits)


class WithParcels(Here):
    """This machine, with a folder of parcels."""

    def __init__(self, profile: Profile, parcels: Path) -> None:
        super().__init__(profile, "tvm", worker_environment(profile.threads), worker_cores(ALL_CORES))
        self._parcels = parcels

    def hands(self, name: str) -> Hands:
        """Give a fork server whose workers open parcels."""
        return CarriedHands(super().hands(name), self._parcels)


def make(folder: Path, device: str, names: list[str]) -> int:
    """Compile the default lowering of some workloads."""
    from edgekernelbench.compiler.tvm.parcels import make_parcel

    profile = load_profile(device)
    rows = []
    for name in names:
        kernel = default_lowering(
            verify_compute(load_catalogue().workload(name).kernel()), profile.target, profile
        )
        text = print_kernel(kernel)
        place = folder / hash_text(text)
        place.mkdir(parents=True, exist_ok=True)
        make_parcel(build_nest(verify_compute(kernel), profile.target, profile), profile).write(place)
        rows.append({"workload": name, "text": text})
    (folder / LIST).write_text(json.dumps({"profile": device, "rows": rows}), encoding="utf-8")
    print(f"{len(rows)} kernels for {profile.title} in {folder}")
    return 0


def judge(folder: Path) -> int:
    """Judge what was carried."""
    told = json.loads((folder / LIST).read_text(encoding="utf-8"))
    profile = load_profile(told["profile"])
    print(f"nvcc: {shutil.which('nvcc') or 'none'}")
    right = 0
    with Judge(profile, place=WithParcels(profile, folder.resolve())) as one:
        for row in told["rows"]:
            workload = load_catalogue().workload(row["workload"])
            given = Submission(workload, row["text"], choose_inputs(os.urandom(16), workload))
            outcome = one.judge(given).outcome
            right += isinstance(outcome, Correct)
            print(
                f"{row['workload']}: {type(outcome).__name__}"
                + ("" if isinstance(outcome, Correct) else f" {str(outcome)[:300]}")
            )
    print(f"{right} of {len(told['rows'])} correct")
    return 0 if right == len(told["rows"]) else 1


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("do", choices=["make", "judge"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("workloads", nargs="*")
    parser.add_argument("--profile", default="cuda-h200")
    options = parser.parse_intermixed_args()
    if options.do == "judge":
        return judge(options.folder)
    return make(options.folder, options.profile, options.workloads)


if __name__ == "__main__":
    sys.exit(main())
