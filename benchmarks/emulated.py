"""Runs kernels on an emulated board: `python benchmarks/emulated.py [--profile NAME] [PART OF AN ID …]`.

Kernels are cross-compiled for the profile's CPU as for a real board, twice: by LLVM through TVM (the object
file that a board would get, linked with a small driver), and as C by the system's cross compiler. Both run
under qemu-user on two input sets of the small twins of workloads, plain and with the default lowering, and
their outputs are compared as the judge compares. No time of an emulator means anything, so none is shown.

    apt-get install qemu-user gcc-aarch64-linux-gnu      # what it needs for a 64-bit Arm
"""

import argparse
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from edgekernelbench.compiler.arrays import Array, allocate_buffer, place_array, stored_type
from edgekernelbench.compiler.c.program import write_program
from edgekernelbench.compiler.linking import TOOLCHAINS, architecture
from edgekernelbench.compiler.tvm.build import build_module
from edgekernelbench.compiler.tvm.compiler import start_tvm
from edgekernelbench.compiler.tvm.lower import lower_nest, outside
from edgekernelbench.evaluator.compare import compare, expect
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.nest.build import build_nest
from edgekernelbench.nest.tree import Buffer, Nest
from edgekernelbench.profiles.profile import Profile, load_profile
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.inputs import make_inputs
from edgekernelbench.workloads.reference import compute_reference
from edgekernelbench.workloads.schema import Workload

DRIVER = Path(__file__).parent / "emulated_driver.c"
PATIENCE_S = 300
SETS = ((1, "typical"), (2, "heavy"))
C_DRIVER = """
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
void {name}_prepare_buffers(void **, void *);
void {name}_run_buffers(void **, void *);
static int64_t number(FILE *f) {{ int64_t n; if (fread(&n, 8, 1, f) != 1) exit(3); return n; }}
int main(int argc, char **argv) {{
  FILE *f = argc == 3 ? fopen(argv[1], "rb") : 0;
  if (!f) return 3;
  int64_t count = number(f), *sizes = calloc(count, 8);
  void **all = calloc(count, sizeof(void *)), **made = calloc(count, sizeof(void *)), *work = 0;
  for (int64_t n = 0; n < count; ++n) {{
    number(f); number(f); number(f); sizes[n] = number(f);
    if (posix_memalign(&all[n], 4096, sizes[n] + 4096)) return 3;
    if (fread(all[n], 1, sizes[n], f) != (size_t)sizes[n]) return 3;
  }}
  fclose(f);
  if (posix_memalign(&work, 4096, {workspace} + 4096)) return 3;
  int64_t k = 0; /* the packing of weights is given parameters and what it fills */
  for (int64_t n = 0; n < {params}; ++n) made[k++] = all[n];
  for (int64_t n = {params} + {outputs}; n < {params} + {outputs} + {prepared}; ++n) made[k++] = all[n];
  {name}_prepare_buffers(made, work);
  {name}_run_buffers(all, work);
  f = fopen(argv[2], "wb");
  if (!f) return 3;
  for (int64_t n = 0; n < count; ++n) if (fwrite(all[n], 1, sizes[n], f) != (size_t)sizes[n]) return 3;
  return fclose(f);
}}
"""
CODES = {"b": 1, "i": 0, "u": 1, "f": 2}
"""DLPack's codes of types, by NumPy's; truth values are bytes."""


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--profile", default="raspberry-pi-5")
    options.add_argument("--every", type=int, default=1, help="take every n-th pattern")
    options.add_argument("names", nargs="*")
    given = options.parse_args()
    profile = load_profile(given.profile)
    tools = find_tools(profile)
    if tools is None:
        return 3
    start_tvm(1)
    chosen = list(choose(given.names))[:: given.every]
    print(f"{profile.title}: {profile.cpu} of {profile.triple}, under {Path(tools[1]).name}")
    print(
        f"{'workload (small twin)':52} {'llvm plain':12} {'llvm default':12} {'c plain':12} {'c default':12}"
    )
    wrong = 0
    for workload in chosen:
        cells = list(judge(workload, profile, tools))
        wrong += sum(cell != "correct" for cell in cells)
        print(f"{workload.id:52} " + " ".join(f"{cell:12}" for cell in cells), flush=True)
    print(f"{len(chosen)} patterns, {4 * len(chosen)} kernels, {wrong} not correct")
    return 1 if wrong else 0


def find_tools(profile: Profile) -> tuple[str, str] | None:
    """Find cross compiler and emulator; say what brings them."""
    tools = TOOLCHAINS[architecture(profile.triple)]
    found = [shutil.which(name) for name in (tools.compiler, tools.emulator)]
    if found[0] is None or found[1] is None:
        print(f"an emulated board needs {tools.compiler} and {tools.emulator}", file=sys.stderr)
        print(f"apt-get install qemu-user {tools.package}", file=sys.stderr)
        return None
    return found[0], found[1]


def choose(names: Sequence[str]) -> Iterator[Workload]:
    """Take the small twin of one workload of every pattern."""
    seen = set()
    for workload in load_catalogue().select((), suite="full"):
        if workload.pattern.id in seen or (names and not any(name in workload.id for name in names)):
            continue
        seen.add(workload.pattern.id)
        yield workload.twin()


def judge(workload: Workload, profile: Profile, tools: tuple[str, str]) -> Iterator[str]:
    """Say of each kernel whether it is correct."""
    plain = workload.kernel()
    kernels = [plain, default_lowering(verify_compute(plain), "llvm", profile)]
    ways: tuple[Callable[[Nest, Profile, Path, str], Sequence[Buffer]], ...] = (by_llvm, by_c)
    for way in ways:
        for kernel in kernels:
            try:
                yield outcome(workload, kernel, profile, tools, way)
            except (subprocess.SubprocessError, RuntimeError) as error:
                yield type(error).__name__


def outcome(
    workload: Workload,
    kernel: Kernel,
    profile: Profile,
    tools: tuple[str, str],
    way: Callable[[Nest, Profile, Path, str], Sequence[Buffer]],
) -> str:
    """Compile, run and compare."""
    nest = build_nest(verify_compute(kernel), "llvm", profile)
    with tempfile.TemporaryDirectory(prefix="ekb-") as place:
        folder = Path(place)
        buffers = way(nest, profile, folder, tools[0])
        for seed, kind in SETS:
            inputs = make_inputs(workload, seed, kind)
            left = run(nest, buffers, inputs, folder, tools[1])
            if isinstance(left, str):
                return left
            reference = compute_reference(workload, inputs)
            facts = zip(reference.facts, reference.outputs, reference.declared, left, strict=True)
            for fact, wanted, declared, actual in facts:
                if compare(actual, expect(fact, wanted, declared)).mismatch is not None:
                    return f"wrong ({kind})"
    return "correct"


def by_llvm(nest: Nest, profile: Profile, folder: Path, compiler: str) -> Sequence[Buffer]:
    """Link what a board would get with the driver."""
    build_module(lower_nest(nest, profile), profile).module.write_to_file(str(folder / "kernel.o"))
    files = [str(DRIVER), str(folder / "kernel.o"), "-o", str(folder / "board"), "-lm"]
    command = [compiler, "-O2", "-static", *files]
    subprocess.run(command, check=True, capture_output=True, timeout=PATIENCE_S)
    return outside(nest)


def by_c(nest: Nest, profile: Profile, folder: Path, compiler: str) -> Sequence[Buffer]:
    """Write C, and link it with a driver."""
    program = write_program(nest, threads=1, stack_limit=profile.stack_bytes)
    (folder / "kernel.c").write_text(program.text)
    counts = {"params": len(nest.params), "outputs": len(nest.outputs), "prepared": len(nest.prepared)}
    driver = C_DRIVER.format(name=program.name, workspace=max(1, program.workspace_bytes), **counts)
    (folder / "driver.c").write_text(driver)
    flags = ["-std=gnu11", "-O2", f"-mcpu={profile.cpu}", "-fno-math-errno", "-fwrapv", "-w", "-static"]
    files = [str(folder / "kernel.c"), str(folder / "driver.c"), "-o", str(folder / "board"), "-lm"]
    subprocess.run([compiler, *flags, *files], check=True, capture_output=True, timeout=PATIENCE_S)
    return (*nest.params, *nest.outputs, *nest.prepared)


def run(
    nest: Nest, buffers: Sequence[Buffer], inputs: Sequence[Array], folder: Path, emulator: str
) -> list[Array] | str:
    """Run a kernel; give its outputs, or what went wrong."""
    arrays = [allocate_buffer(b) for b in buffers]
    for number, (buffer, array) in enumerate(zip(nest.params, inputs, strict=True)):
        arrays[number] = place_array(buffer, array)
    for number, buffer in enumerate(buffers):
        if buffer.values:
            values = np.array(buffer.values).reshape(buffer.shape)
            arrays[number][...] = values.astype(stored_type(buffer.dtype))
    with (folder / "bundle").open("wb") as bundle:
        bundle.write(struct.pack("<q", len(arrays)))
        for array in arrays:
            code, bits = CODES.get(array.dtype.kind, 1), array.dtype.itemsize * 8
            bundle.write(struct.pack("<4q", code, bits, array.size, array.nbytes) + array.tobytes())
    command = [emulator, str(folder / "board"), str(folder / "bundle"), str(folder / "result")]
    done = subprocess.run(command, capture_output=True, timeout=PATIENCE_S, check=False)
    if done.returncode:
        return f"status {done.returncode}"
    data, start, left = (folder / "result").read_bytes(), 0, []
    for array in arrays:
        left.append(np.frombuffer(data, array.dtype, array.size, start).reshape(array.shape))
        start += array.nbytes
    return left[len(nest.params) : len(nest.params) + len(nest.outputs)]


if __name__ == "__main__":
    sys.exit(main())
