"""What forked children do about kernels that TVM scheduled: look for schedules, try them, be judged.

Only these processes ever apply a trace: TVM can crash or hang over one.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import partial
from pathlib import Path

import numpy as np

from edgekernelbench.base.errors import CompileError
from edgekernelbench.compiler.arrays import allocate_buffer, stored_type
from edgekernelbench.compiler.interface import Artifact
from edgekernelbench.compiler.traced import Part, read_traced
from edgekernelbench.compiler.tvm.metaschedule.measure import measure_part, run_plainly
from edgekernelbench.compiler.tvm.metaschedule.program import open_program
from edgekernelbench.compiler.tvm.metaschedule.replay import REFUSALS, compile_traced, last_line
from edgekernelbench.compiler.tvm.metaschedule.search import load_scheduler, open_search
from edgekernelbench.evaluator.desk import Desk
from edgekernelbench.evaluator.server import Role
from edgekernelbench.evaluator.worker import artifact_role
from edgekernelbench.profiles.profile import profile_from_json
from edgekernelbench.records.outcome import Phase

INPUTS = "inputs.npz"


def trace_roles() -> Mapping[str, Role]:
    """Give the roles, all that they need imported; nothing is compiled yet."""
    load_scheduler()
    return {
        "traced": artifact_role(_compile),
        "lay": partial(_refusing, _lay),
        "explore": partial(_refusing, _explore),
        "candidate": partial(_refusing, _candidate),
    }


def _compile(desk: Desk) -> Artifact:

    return compile_traced(read_traced(desk.request["traced"]), profile_from_json(desk.request["profile"]))


def _refusing(work: Callable[[Desk], None], folder: Path) -> None:
    desk = Desk(folder)
    try:
        work(desk)
    except CompileError as error:
        desk.reply(refused=str(error))


def _lay(desk: Desk) -> None:
    """Run all parts plainly on given inputs, and leave what goes between them in a folder."""
    traced, profile = read_traced(desk.request["traced"]), profile_from_json(desk.request["profile"])
    whole = open_program(traced, profile)
    folder = Path(desk.request["data"])
    given = []
    with np.load(folder / INPUTS, allow_pickle=False) as stored:
        for number, buffer in enumerate(whole.nest.params):
            held = allocate_buffer(buffer)
            held[...] = stored[f"p{number}"].view(stored_type(buffer.dtype)).reshape(held.shape)
            given.append(held)
    parts = ([Part(traced.prepared)] if traced.prepared else []) + list(traced.parts)
    start = time.monotonic_ns()
    run_plainly(whole, parts, given, profile, folder)
    desk.reply(plain_ns=time.monotonic_ns() - start)


def _explore(desk: Desk) -> None:
    """Propose schedules of one part, token by token."""
    request = desk.request
    traced, profile = read_traced(request["traced"]), profile_from_json(request["profile"])
    stages = traced.parts[request["part"]].stages
    try:
        whole = open_program(traced, profile)
        search = open_search(whole, stages, profile, trials=request["trials"], seed=request["seed"])
    except REFUSALS as error:
        raise CompileError(f"TVM has no search space: {last_line(error)}") from error
    for order, answer in desk.orders():
        if order["do"] == "learn":
            search.learn(order["ns"])
        trace = search.propose()
        answer(trace=trace, refused=search.refused, repeated=search.repeated, spaces=search.spaces)
    desk.reply(proposed=search.proposed)


def _candidate(desk: Desk) -> None:
    """Compile one schedule of one part, and time it when the token comes."""
    request = desk.request
    profile = profile_from_json(request["profile"])
    with desk.phase(Phase.COMPILE):
        traced = read_traced(request["traced"])
        whole = open_program(traced, profile)
        part = Part(traced.parts[request["part"]].stages, request["trace"])
        measure = measure_part(whole, part, profile, Path(request["data"]), request["best_ns"])
    for order, answer in desk.tokens():
        if order == "measure":
            with desk.running():
                reading = measure()
            answer(**asdict(reading))
        else:
            answer(compiled=True)
