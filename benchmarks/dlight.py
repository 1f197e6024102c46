"""TVM's own default schedules for GPUs, dlight, on a few patterns written as tensor expressions."""

import os
import statistics
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from edgekernelbench.evaluator.timing import set_count
from edgekernelbench.workloads.schema import Workload

SAMPLES = 20
SAMPLE_US = 2000.0
L2_BYTES = 62914560

Sizes = Mapping[str, Any]


def dlight_us(workload: Workload, device: str) -> float | None:
    """Time a workload with the best schedule of dlight's rules; None for a pattern that is not here."""
    make = PATTERNS.get(workload.pattern.id)
    if make is None or str(workload.sizes.get("T", "f32")) != "f32" or not device.startswith("cuda"):
        return None
    os.environ.setdefault("TVM_CUDA_COMPILE_MODE", "nvcc")
    import tvm
    from tvm import te
    from tvm.s_tir import dlight as dl

    from edgekernelbench.compiler.tvm.gpu.cuda import Events, need_arch

    limits = {"max_threads_per_block": 1024, "thread_warp_size": 32, "max_shared_memory_per_block": 49152}
    target = tvm.target.Target({"kind": "cuda", "arch": need_arch(), **limits})
    rules = {
        "matmul": dl.gpu.Matmul(),
        "gemv": dl.gpu.GEMV(),
        "reduction": dl.gpu.Reduction(),
        "general": dl.gpu.GeneralReduction(),
        "fallback": dl.gpu.Fallback(),
    }
    arrays = make(te, workload.sizes)
    best: float | None = None
    for name in ("matmul", "gemv", "reduction", "general", "fallback"):
        # It changes a module in place, so each rule gets a fresh one.
        module = tvm.IRModule({"main": te.create_prim_func(arrays)})
        chosen = [rules[name]] + ([] if name == "fallback" else [rules["fallback"]])
        try:
            with target:
                module = dl.ApplyDefaultSchedule(*chosen)(module)
                function = tvm.compile(module, target=target)["main"]
            found = _measured(function, arrays, tvm, Events())
        except (RuntimeError, ValueError, TypeError) as error:
            print(f"dlight {name}: {str(error).splitlines()[-1][:200]}")
            continue
        best = found if best is None else min(best, found)
    return best


def _measured(function: Callable[..., Any], arrays: list[Any], tvm: Any, events: Any) -> float:
    device = tvm.cuda(0)
    shapes = [tuple(int(n) for n in array.shape) for array in arrays]
    size = sum(4 * int(np.prod(shape)) for shape in shapes)
    count = min(32, set_count(size, L2_BYTES))
    sets = []
    for _ in range(count):
        held = [tvm.runtime.empty(shape, "float32", device) for shape in shapes]
        for tensor, shape in zip(held, shapes, strict=True):
            tensor.copyfrom(np.ones(shape, np.float32))
        sets.append(held)
    samples = []
    runs = count
    for turn in range(SAMPLES + 2):
        device.sync()
        events.first()
        for number in range(runs):
            function(*sets[number % count])
        events.last()
        device.sync()
        each = events.between_ns() / 1e3 / runs
        if turn == 1:
            runs = max(count, min(2000, int(SAMPLE_US / max(each, 1.0))))
        elif turn > 1:
            samples.append(each)
    return statistics.median(samples)


def _matmul(te: Any, sizes: Sizes) -> list[Any]:
    m, k, n = sizes["M"], sizes["K"], sizes["N"]
    a, b = te.placeholder((m, k), name="a"), te.placeholder((k, n), name="b")
    r = te.reduce_axis((0, k), name="r")
    return [a, b, te.compute((m, n), lambda i, j: te.sum(a[i, r] * b[r, j], axis=r), name="c")]


def _softmax(te: Any, sizes: Sizes) -> list[Any]:
    rows, n = sizes["R"], sizes["N"]
    x = te.placeholder((rows, n), name="x")
    j, u = te.reduce_axis((0, n), name="j"), te.reduce_axis((0, n), name="u")
    top = te.compute((rows,), lambda i: te.max(x[i, j], axis=j), name="top")
    ex = te.compute((rows, n), lambda i, k: te.exp(x[i, k] - top[i]), name="ex")
    den = te.compute((rows,), lambda i: te.sum(ex[i, u], axis=u), name="den")
    return [x, te.compute((rows, n), lambda i, k: ex[i, k] / den[i], name="out")]


def _conv2d(te: Any, sizes: Sizes) -> list[Any]:
    c, k, h, w, f = (sizes[name] for name in "CKHWF")
    stride, pad = sizes["S"], sizes["P"]
    x, y = te.placeholder((c, h, w), name="x"), te.placeholder((k, c, f, f), name="w")
    bias = te.placeholder((k,), name="b")

    def padded(p: Any, i: Any, j: Any) -> Any:
        inside = te.all(i >= pad, i < h + pad, j >= pad, j < w + pad)
        return te.if_then_else(inside, x[p, i - pad, j - pad], 0.0)

    wide = te.compute((c, h + 2 * pad, w + 2 * pad), padded, name="pad")
    p, r, s = (te.reduce_axis((0, n), name=name) for n, name in ((c, "p"), (f, "r"), (f, "s")))
    shape = (k, (h + 2 * pad - f) // stride + 1, (w + 2 * pad - f) // stride + 1)
    acc = te.compute(
        shape,
        lambda q, i, j: te.sum(wide[p, i * stride + r, j * stride + s] * y[q, p, r, s], axis=[p, r, s]),
        name="acc",
    )
    out = te.compute(shape, lambda q, i, j: _relu(acc[q, i, j] + bias[q]), name="out")
    return [x, y, bias, out]


def _relu(value: Any) -> Any:
    from tvm import tirx

    return tirx.max(value, tirx.const(0.0, "float32"))


PATTERNS: Mapping[str, Callable[[Any, Sizes], list[Any]]] = {
    "linear/matmul": _matmul,
    "norm/softmax": _softmax,
    "conv/conv2d": _conv2d,
}
