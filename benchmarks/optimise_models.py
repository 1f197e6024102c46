"""Seven networks, optimised and run: `python benchmarks/optimise_models.py FOLDER [--budget 20min] [NET …]`

Each network is optimised by `ekb optimise --agent policy` into FOLDER/NET (one that was begun goes on, one
that is finished is not touched), exported as a library, and timed beside TVM's default pipeline, PyTorch
(eager, and traced, frozen and optimised for inference; the faster one counts) and ONNX Runtime. All have the
same threads, each is a process of its own, and they take turns; who has no turn is stopped. A row gives the
medians of their turns, in microseconds a run, checks of arguments included. `--only-time` optimises nothing.
"""

import argparse
import ctypes
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from clocks import THREADS, clock

from edgekernelbench.evaluator.resting import rest, wake

HERE = Path(__file__).parent
NAMES = ("mobilenet", "resnet8", "ds_cnn", "encoder", "decoder", "gru", "unet")
OURS, DEFAULT = "ours", "default"
OTHERS = ("tvm", "torch", "torch-frozen", "onnxruntime")
TURN_NS, REST_S, ROUNDS = 30_000_000, 0.01, 21
PROBLEM = """import sys

sys.path.insert(0, {here!r})
from imported_nets import NETS, build


class Model(NETS[{name!r}][0]):
    def __init__(self):
        super().__init__()
        self.load_state_dict(build({name!r})[0].state_dict())


def get_inputs():
    return list(build({name!r})[1])
"""
LOOP = """#include "{name}.h"
void turn(long count, void **p) {{
    for (long n = 0; n < count; ++n) ekb_{name}({pointers});
}}
"""

Run = Callable[[int], object]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("folder", type=Path)
    options.add_argument("nets", nargs="*", default=NAMES)
    options.add_argument("--budget", default="20min")
    options.add_argument("--only-time", action="store_true")
    options.add_argument("--take-turns", nargs=2, metavar=("HOW", "NET"), help=argparse.SUPPRESS)
    given = options.parse_intermixed_args()
    if given.take_turns:
        take_turns(given.folder, *given.take_turns)
        return
    given.folder.mkdir(parents=True, exist_ok=True)
    if not given.only_time:
        for name in given.nets:
            optimise(given.folder, name, given.budget)
    print(f"{THREADS} threads, medians of {ROUNDS} turns, µs a run")
    print("| net | ours | default lowering | TVM | PyTorch | ONNX Runtime | faster than |")
    print("|---|--:|--:|--:|--:|--:|---|")
    for name in given.nets:
        row(given.folder, name)


def optimise(folder: Path, name: str, budget: str) -> None:
    """Optimise a network into `FOLDER/NAME`; PyTorch says what it must compute."""
    problem = folder / f"{name}.py"
    problem.write_text(PROBLEM.format(here=str(HERE.resolve()), name=name), encoding="utf-8")
    words = ["optimise", str(problem), "--trust", "--out", str(folder / name), "--budget", budget]
    subprocess.run([sys.executable, "-m", "edgekernelbench", *words], check=True, stdout=sys.stderr)


def row(folder: Path, name: str) -> None:
    times = race(folder, name)
    torch = min(times["torch"], times["torch-frozen"])
    others = {"TVM": times["tvm"], "PyTorch": torch, "ONNX Runtime": times["onnxruntime"]}
    beaten = ", ".join(other for other, us in others.items() if times[OURS] < us) or "none"
    cells = [f"{us:,.1f}" for us in (times[OURS], times[DEFAULT], *others.values())]
    print(f"| {name} | {' | '.join(cells)} | {beaten} |", flush=True)


def race(folder: Path, name: str) -> dict[str, float]:
    """Let all take turns; give the median turn of each, in microseconds a run."""
    turns: dict[str, list[float]] = {how: [] for how in (OURS, DEFAULT, *OTHERS)}
    with ExitStack() as stack:
        children = {how: stack.enter_context(start(folder, how, name)) for how in turns}
        for child in children.values():
            stack.callback(child.kill)  # one that rests does not see that its input has ended
            answer(child)
            rest(child.pid)
        for _ in range(ROUNDS):
            for how, child in children.items():
                time.sleep(REST_S)
                wake(child.pid)
                assert child.stdin is not None
                child.stdin.write("go\n")
                child.stdin.flush()
                turns[how].append(float(answer(child)))
                rest(child.pid)
    return {how: statistics.median(values) for how, values in turns.items()}


def start(folder: Path, how: str, name: str) -> "subprocess.Popen[str]":
    command = [sys.executable, __file__, str(folder), "--take-turns", how, name]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, process_group=0)


def answer(child: "subprocess.Popen[str]") -> str:
    line = "" if child.stdout is None else child.stdout.readline()
    if not line:
        raise SystemExit(f"a child ended without an answer: {child.args}")
    return line


def take_turns(folder: Path, how: str, name: str) -> None:
    """Be one of the processes: prepare, then run for a while whenever a line comes."""
    makers: dict[str, Callable[[Path, str], Run]] = {
        OURS: lambda folder, name: program_run(folder / name),
        DEFAULT: lambda folder, name: program_run(folder / name / "model"),
        "tvm": tvm_run,
        "torch": lambda _, name: torch_run(name, frozen=False),
        "torch-frozen": lambda _, name: torch_run(name, frozen=True),
        "onnxruntime": onnx_run,
    }
    run = makers[how](folder, name)
    run(20)
    before = clock()
    run(3)
    repeats = max(1, 3 * TURN_NS // max(clock() - before, 1))
    print("ready", flush=True)
    for _ in sys.stdin:
        before = clock()
        run(repeats)
        print((clock() - before) / repeats / 1e3, flush=True)


def program_run(source: Path) -> Run:
    """Export a result folder, or an imported model by the default lowering, and call it from a loop of C."""
    from edgekernelbench.bench.optimising.results import open_source
    from edgekernelbench.compiler.arrays import aligned_zeros
    from edgekernelbench.deploy.building import LINKED, compile_c
    from edgekernelbench.deploy.kernels import Wish
    from edgekernelbench.deploy.models import export_model
    from edgekernelbench.deploy.probes import MOST_APART, read_probe, worst_distance
    from edgekernelbench.deploy.record import Form
    from edgekernelbench.profiles.profile import load_profile

    profile = load_profile("llvm")
    with TemporaryDirectory(prefix="ekb-") as place:
        folder = Path(place) / "out"
        record = export_model(open_source(source, profile), profile, folder, Wish(Form.SHARED))
        probe = read_probe(folder, record.against)
        weights = np.frombuffer((folder / f"{record.name}.weights").read_bytes(), np.uint8)
        kernel = folder / f"lib{record.name}.so"
        count = len(probe.inputs) + len(probe.outputs) + 3
        pointers = ", ".join(f"p[{number}]" for number in range(count))
        (folder / "loop.c").write_text(LOOP.format(name=record.name, pointers=pointers), encoding="utf-8")
        linked = [f"-I{folder}", str(folder / "loop.c"), str(kernel), f"-Wl,-rpath,{folder}"]
        compile_c(["cc", *LINKED, "-shared", "-fPIC", *linked, "-o", str(folder / "loop.so")])
        driver, library = ctypes.CDLL(str(folder / "loop.so")), ctypes.CDLL(str(kernel))

    def held(array: np.ndarray) -> np.ndarray:
        fresh = aligned_zeros(array.shape or (1,), array.dtype)
        fresh[...] = array
        return fresh

    sizes = record.prepared_bytes, record.workspace_bytes
    rooms = [held(weights), *(aligned_zeros((max(1, size),), np.dtype(np.uint8)) for size in sizes)]
    outputs = [held(np.zeros_like(array)) for array in probe.outputs]
    every = [*map(held, probe.inputs), *outputs, *rooms]
    table = (ctypes.c_void_p * count)(*(array.ctypes.data for array in every))
    prepare, call = getattr(library, f"ekb_{record.name}_prepare"), getattr(library, f"ekb_{record.name}")
    assert prepare(*(ctypes.c_void_p(array.ctypes.data) for array in rooms)) == 0
    assert call(*map(ctypes.c_void_p, table)) == 0
    assert worst_distance(outputs, probe.outputs) <= MOST_APART

    def run(turns: int) -> object:
        return driver.turn(ctypes.c_long(turns), table) and every

    return run


def tvm_run(folder: Path, name: str) -> Run:
    """Build the fused model by TVM's default pipeline, for this CPU, and run it in its virtual machine."""
    from edgekernelbench.compiler.tvm.compiler import start_tvm

    start_tvm(THREADS)
    import tvm
    from tvm import relax

    from edgekernelbench.compiler.tvm.build import make_target
    from edgekernelbench.profiles.profile import load_profile

    module = tvm.ir.load_json((folder / name / "model" / "module.json").read_text(encoding="utf-8"))
    target, _ = make_target(load_profile("llvm"))
    machine = relax.VirtualMachine(relax.build(module, target.with_host(target)), tvm.cpu())
    with np.load(folder / name / "model" / "probe.npz") as stored:
        inputs = [
            tvm.runtime.tensor(stored[n]) for n in sorted(f for f in stored.files if f.startswith("in"))
        ]
    return repeated(lambda: machine["main"](*inputs))


def torch_run(name: str, *, frozen: bool) -> Run:
    import torch
    from imported_nets import build

    torch.set_num_threads(THREADS)
    net, inputs = build(name)
    with torch.inference_mode():
        if frozen:
            traced = torch.jit.trace(net, inputs, check_trace=False)
            net = torch.jit.optimize_for_inference(torch.jit.freeze(traced))

        def once() -> object:
            return net(*inputs)

        once()

    def run(turns: int) -> None:
        with torch.inference_mode():
            for _ in range(turns):
                once()

    return run


def onnx_run(folder: Path, name: str) -> Run:
    import onnxruntime
    import torch
    from imported_nets import build

    net, inputs = build(name)
    path = folder / f"{name}.onnx"
    if not path.is_file():
        torch.onnx.export(net, inputs, str(path), dynamo=False, opset_version=17)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = THREADS, 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    pairs = zip(session.get_inputs(), inputs, strict=True)
    given = {one.name: value.numpy() for one, value in pairs}
    return repeated(lambda: session.run(None, given))


def repeated(once: Callable[[], object]) -> Run:
    def run(turns: int) -> None:
        for _ in range(turns):
            once()

    return run


if __name__ == "__main__":
    main()
