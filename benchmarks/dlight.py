"""TVM's own default schedules for GPUs, dlight, on the compute layer of any workload without a `for`.

The stages become blocks of TIR as for MetaSchedule (decision 0035): one function a part, cut where the
default lowering cuts, or one for all. dlight's rules are applied in the order of its documentation. Functions
such as `exp` are those of CUDA's library, `expf` and so on; all else is computed as in our own code.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np
import tvm
import tvm_ffi
from tvm import tirx
from tvm.s_tir import dlight
from tvm.tirx.build import split_host_device_mods, tir_to_runtime

from edgekernelbench.base.errors import CompileError
from edgekernelbench.compiler.cuda.nvcc import compile_cubin
from edgekernelbench.compiler.traced import Part, Traced
from edgekernelbench.compiler.tvm.hidden import shown_name
from edgekernelbench.compiler.tvm.metaschedule.expressions import FUNCTION
from edgekernelbench.compiler.tvm.metaschedule.program import (
    Whole,
    open_program,
    part_function,
    shared_buffers,
)
from edgekernelbench.compiler.tvm.metaschedule.replay import REFUSALS, last_line
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.lowering.cuts import Cuts, cut
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.nest.work import make_program
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.schema import Workload

LIMITS = {"max_threads_per_block": 1024, "thread_warp_size": 32, "max_shared_memory_per_block": 49152}

_WORDS = {
    "exp": "expf", "exp2": "exp2f", "log": "logf", "log2": "log2f", "tanh": "tanhf", "erf": "erff",
    "sin": "sinf", "cos": "cosf", "pow": "powf",
}  # fmt: skip

_OPERATIONS: Mapping[str, Callable[..., Any]] = {
    "add": tirx.Add, "sub": tirx.Sub, "mul": tirx.Mul, "div": tirx.Div, "min": tirx.Min, "max": tirx.Max,
    "lt": tirx.LT, "le": tirx.LE, "gt": tirx.GT, "ge": tirx.GE, "eq": tirx.EQ, "choice": lambda a: a,
    "ne": lambda a, b: tirx.Not(tirx.EQ(a, b)),
    "held": lambda index, low, high: tirx.Min(tirx.Max(index, low), high),
}  # fmt: skip


RULES = ("Matmul", "GEMV", "Reduction", "GeneralReduction", "Fallback")
"""In the order of dlight's documentation; where a rule breaks, those from a later one on are taken."""


@cache
def know_reducers() -> None:
    """Tell TVM that `-inf` is the greatest element of nothing, and `inf` the least."""
    register = tvm.get_global_func("s_tir.schedule.RegisterReducer")
    for make, nothing in ((tirx.Max, -math.inf), (tirx.Min, math.inf)):
        register(1, partial(_joined, make), partial(_nothing, nothing))


def _joined(make: Callable[[Any, Any], Any], left: Any, right: Any) -> list[Any]:
    return [make(left[0], right[0])]


def _nothing(value: float, types: Any) -> list[Any]:
    return [tirx.const(value if "float" in str(one.ty) else 0, str(one.ty)) for one in types]


@dataclass(frozen=True, slots=True)
class Scheduled:
    """A workload that dlight scheduled and nvcc compiled.

    Attributes:
        whole: The kernel.
        cuts: Its parts.
        module: TVM's executable, a function a part.
    """

    whole: Whole
    cuts: Cuts
    module: Any


def list_cuts(workload: Workload, profile: Profile) -> list[Cuts]:
    """List the ways to hand a workload to dlight: part by part, and as a whole."""
    facts = verify_compute(workload.kernel())
    schedule = default_lowering(facts, profile.target, profile).schedule_for(profile.target)
    found = cut(facts, schedule)
    if found.ordered:
        raise CompileError(f"dlight takes no stages inside a for: {', '.join(found.ordered)}")
    names = [name for part in found.parts for name in part]
    order = [name for name in make_program(facts).stages if name in names]
    whole = replace(found, parts=(tuple(order),))
    return [found] if len(found.parts) == 1 else [found, whole]


def schedule(workload: Workload, cuts: Cuts, profile: Profile) -> Scheduled:
    """Schedule a workload by dlight's rules and compile it.

    Raises:
        CompileError: When dlight, TVM or nvcc refuses it.
    """
    traced = Traced(print_kernel(workload.kernel()), tuple(map(Part, cuts.parts)), cuts.prepared)
    whole = open_program(traced, profile)
    functions = {f"part_{number}": part_function(whole, part) for number, part in enumerate(cuts.parts)}
    if cuts.prepared:
        functions["prepare"] = part_function(whole, cuts.prepared)
    named = {name: one.with_attr("global_symbol", name) for name, one in functions.items()}
    target = tvm.target.Target({"kind": "cuda", "arch": profile.cpu, **LIMITS})
    know_reducers()
    refused = ""
    for first in range(len(RULES)):
        rules = [getattr(dlight.gpu, name)() for name in RULES[first:]]
        try:
            with target:
                module = dlight.ApplyDefaultSchedule(*rules)(
                    tvm.IRModule(named)
                )  # it changes what it is given
                return Scheduled(whole, cuts, _built(module, target, profile.cpu))
        except (*REFUSALS, AssertionError, AttributeError) as error:
            refused = refused or f"dlight: {_reason(error)}"
    raise CompileError(refused)


def _reason(error: Exception) -> str:
    """Take the line of a refusal that says what is wrong."""
    for line in str(error).splitlines():
        if "Error: " in line or line.startswith("ValueError"):
            return line.strip()[:200]
    return (
        f"{type(error).__name__}: {last_line(error)}"[:200]
        if "^^" not in last_line(error)
        else type(error).__name__
    )


def _built(module: Any, target: Any, arch: str) -> Any:
    host = tvm.target.Target("llvm")
    bound = tirx.transform.BindTarget(target.with_host(host))(module)
    pipeline, finish_host, finish_device = tvm.tirx.get_tir_pipeline("s_tir")
    host_module, device_modules = split_host_device_mods(pipeline(bound))
    shown = {kind: _shown(finish_device()(one)) for kind, one in device_modules.items()}

    def compiled(code: str, *_: Any) -> bytes:
        return compile_cubin(code, arch).data

    tvm.register_global_func("tvm_callback_cuda_postproc", lambda code, *_: code, override=True)
    tvm.register_global_func("tvm_callback_cuda_compile", compiled, override=True)
    return tvm.runtime.Executable(tir_to_runtime(finish_host()(host_module), shown, host))


def _shown(module: Any) -> Any:
    """Write out what TVM's passes did not see."""

    def call(node: Any) -> Any:
        word = shown_name(node)
        kind = str(node.ty)
        if word.startswith(FUNCTION):
            name = word.removeprefix(FUNCTION)
            if name == "sigmoid":
                one = tirx.const(1.0, kind)
                return one / (one + tirx.call_pure_extern(kind, "expf", tirx.const(0.0, kind) - node.args[0]))
            return tirx.call_pure_extern(kind, _WORDS[name], *node.args)
        if word == "cast":
            return tirx.Cast(kind, node.args[0])
        return _OPERATIONS[word](*node.args) if word else node

    def shown(function: Any) -> Any:
        return function.with_body(tvm_ffi.structural_map(function.body, (tvm.ir.Call, call)))

    return tvm.IRModule({name: shown(function) for name, function in module.functions.items()})


def bind(made: Scheduled, given: Sequence[Any]) -> tuple[list[Callable[[], object]], dict[str, Any]]:
    """Put one set of buffers on the GPU.

    Args:
        made: What was compiled.
        given: One array a parameter.

    Returns:
        What starts each part, in order, and the outputs by name.
    """
    nest = made.whole.nest
    arrays = {b.name: a for b, a in zip(nest.params, given, strict=True)}
    arrays |= {
        t.name: np.array(t.values).reshape(t.shape).astype(np.dtype(made.whole.stored[t.name].tir.dtype))
        for t in nest.tables
    }
    tensors = {name: _tensor(stored, arrays.get(name)) for name, stored in made.whole.stored.items()}

    def call(name: str, stages: Sequence[str]) -> Callable[[], object]:
        taken = shared_buffers(made.whole, stages)
        return partial(made.module[name], *(tensors[s.buffer.name] for s in taken))

    if made.cuts.prepared:
        call("prepare", made.cuts.prepared)()
    starts = [call(f"part_{number}", stages) for number, stages in enumerate(made.cuts.parts)]
    return starts, {b.name: tensors[b.name] for b in nest.outputs}


def _tensor(stored: Any, array: Any) -> Any:
    shape = tuple(int(extent) for extent in stored.tir.shape)
    tensor = tvm.runtime.empty(shape, str(stored.tir.dtype), tvm.cuda(0))
    if array is not None:
        kind = np.dtype(str(stored.tir.dtype))
        tensor.copyfrom(np.ascontiguousarray(array).reshape(-1).view(kind).reshape(shape))
    return tensor
