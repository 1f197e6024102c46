"""Kernels as functions on NumPy arrays.

```python
from edgekernelbench.deploy.calling import load_kernel

gemv = load_kernel("out")              # a folder that `ekb export` wrote, or the text of a kernel
y = gemv(x, w, bias)
fixed = gemv.bind(w=w, bias=bias)      # prepares the weights once
y = fixed(x)
```
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from edgekernelbench.base.errors import PrerequisiteError, RecordError
from edgekernelbench.compiler.arrays import Array, allocate_buffer, is_packed, place_array
from edgekernelbench.compiler.interface import Executable
from edgekernelbench.compiler.linking import architecture
from edgekernelbench.compiler.plain_library import PlainExecutable
from edgekernelbench.compiler.tvm.compiler import TvmCompiler
from edgekernelbench.deploy.building import link_library
from edgekernelbench.deploy.record import Form, ModelRecord, read_export
from edgekernelbench.deploy.values import whole_type
from edgekernelbench.ir.compute import Param
from edgekernelbench.lang.parse import parse
from edgekernelbench.nest.build import build_nest
from edgekernelbench.nest.tree import Buffer, Nest
from edgekernelbench.profiles.profile import Profile, load_profile
from edgekernelbench.verify.compute import verify_compute


class KernelFunction:
    """A kernel that is called with one NumPy array for each parameter.

    Arrays are copied to where machine code wants them; types and shapes must be those of the text (`bf16` is
    `ml_dtypes.bfloat16`, `i4` and `u4` are held in bytes, one element each). One thread at a time.

    Attributes:
        name: The kernel's name.
        params: Its parameters.
        outputs: The buffers of its outputs.
    """

    def __init__(self, nest: Nest, params: Sequence[Param], executable: Executable | PlainExecutable) -> None:
        self.name = nest.name
        self.params = tuple(params)
        self.outputs = nest.outputs
        self._nest, self._executable = nest, executable
        self._prepared_for: BoundFunction | None = None

    def __call__(self, *arrays: Array, **named: Array) -> Array | tuple[Array, ...]:
        """Prepare the weights and run once.

        Args:
            arrays: Parameters, in order.
            named: Parameters, by name.

        Returns:
            The output, or a tuple of them.

        Raises:
            ValueError: When a parameter is missing, or has another type, shape or range than the text says.
        """
        names = [param.name for param in self.params]
        return self.bind()(**_by_name(names, arrays, named))

    def bind(self, **weights: Array) -> "BoundFunction":
        """Fix parameters; weights are prepared with the first run when all `const` ones are among them.

        Args:
            weights: Parameters, by name.

        Returns:
            A function of the other parameters. Functions that are called in turn prepare again at each turn:
            a kernel keeps one set of prepared weights.

        Raises:
            ValueError: When there is no such parameter, or it has another type or shape.
        """
        return BoundFunction(self, weights)

    def place(self, name: str, array: Array) -> Array:
        """Copy a parameter to where machine code wants it.

        Raises:
            ValueError: When it is no parameter, or has another type or shape than the text says.
        """
        for buffer, param in zip(self._nest.params, self.params, strict=True):
            if param.name == name:
                return place_array(buffer, _checked(param, np.asarray(array)))
        known = ", ".join(param.name for param in self.params)
        raise ValueError(f"{self.name} has no parameter {name!r}; it has {known}")

    def run(self, placed: Sequence[Array], owner: "BoundFunction") -> Array | tuple[Array, ...]:
        """Run once on parameters that were placed, after preparing what belongs to `owner`."""
        if self._prepared_for is not owner or not owner.is_fixed:
            self._prepared_for = owner
            self._executable.prepare(placed)
        outputs = [allocate_buffer(buffer) for buffer in self.outputs]
        self._executable.run(placed, outputs)
        given = tuple(_unpacked(b, array) for b, array in zip(self.outputs, outputs, strict=True))
        return given[0] if len(given) == 1 else given


class BoundFunction:
    """A kernel with some of its parameters fixed.

    Attributes:
        is_fixed: Whether all its weights are: they are then prepared once.
    """

    def __init__(self, kernel: KernelFunction, fixed: Mapping[str, Array]) -> None:
        self._kernel = kernel
        self._placed = {name: kernel.place(name, array) for name, array in fixed.items()}
        self._open = [param.name for param in kernel.params if param.name not in self._placed]
        const = {param.name for param in kernel.params if param.const}
        self.is_fixed = const <= self._placed.keys()

    def __call__(self, *arrays: Array, **named: Array) -> Array | tuple[Array, ...]:
        """Run once on the parameters that are not fixed; see `KernelFunction`."""
        given = _by_name(self._open, arrays, named)
        placed = self._placed | {name: self._kernel.place(name, array) for name, array in given.items()}
        return self._kernel.run([placed[param.name] for param in self._kernel.params], self)


def load_kernel(source: str | Path, device: str | Profile = "llvm") -> KernelFunction:
    """Make a function of a kernel.

    Args:
        source: The text of a kernel, or a folder that `ekb export` wrote (linked where it has no library).
        device: For a text: the profile to compile for, on this machine; its schedule and memory are used.

    Returns:
        The function.

    Raises:
        SourceError: When the text is wrong.
        RecordError: When the folder was not exported, or was changed since.
        PrerequisiteError: When TVM or a linker is missing, or the folder is for another machine.
    """
    if isinstance(source, Path) or "\n" not in source:
        return _from_folder(Path(source))
    profile = load_profile(device) if isinstance(device, str) else device
    facts = verify_compute(parse(source))
    artifact = TvmCompiler().compile(build_nest(facts, profile.target, profile), profile)
    if artifact.executable is None:
        raise PrerequisiteError(
            f"code for {profile.name} does not run here", "take a profile of this machine"
        )
    return KernelFunction(artifact.nest, facts.kernel.params, artifact.executable)


def _from_folder(folder: Path) -> KernelFunction:
    record = read_export(folder)
    if isinstance(record, ModelRecord):
        raise RecordError(f"{folder} is a whole model; functions of Python are made of kernels")
    changed = record.changed_files(folder)
    if changed:
        raise RecordError(f"{folder / changed[0]} is not what was exported")
    if architecture(record.triple) != architecture(""):
        raise PrerequisiteError(
            f"{folder} was exported for {record.profile}", "load it there, or export it for this machine"
        )
    if record.form == Form.RELAX:
        raise PrerequisiteError(f"{folder} is for TVM's Relax", "export it as object, shared or c")
    facts = verify_compute(parse((folder / f"{record.name}.kir").read_text(encoding="utf-8")))
    nest = build_nest(facts, "llvm", load_profile(record.profile))
    const = [param.const for param in facts.kernel.params]
    sizes = record.workspace_bytes, record.prepared_bytes
    if record.form == Form.SHARED:
        library = folder / f"lib{record.name}.so"
        return KernelFunction(nest, facts.kernel.params, PlainExecutable(library, nest, const, sizes=sizes))
    with TemporaryDirectory(prefix="ekb-") as place:
        # The file may go once it is loaded: the mapping stays.
        library = link_library(folder, record, Path(place))
        return KernelFunction(nest, facts.kernel.params, PlainExecutable(library, nest, const, sizes=sizes))


def _by_name(names: Sequence[str], arrays: Sequence[Array], named: Mapping[str, Array]) -> dict[str, Array]:
    if len(arrays) > len(names):
        raise ValueError(f"expected at most {len(names)} arrays ({', '.join(names)}), found {len(arrays)}")
    given = dict(zip(names, arrays, strict=False))
    twice = sorted(given.keys() & named.keys())
    if twice:
        raise ValueError(f"{twice[0]} was given twice")
    every = given | dict(named)
    missing = [name for name in names if name not in every]
    if missing:
        raise ValueError(f"expected arrays for {', '.join(names)}; {', '.join(missing)} is missing")
    return every


def _checked(param: Param, array: Array) -> Array:
    dtype = whole_type(param.dtype)
    if array.dtype != dtype or array.shape != (param.shape or array.shape) or array.size != _count(param):
        raise ValueError(
            f"expected {param.name} as {dtype}{list(param.shape)}, found {array.dtype}{list(array.shape)}"
        )
    if param.bounds is not None and array.size:
        low, high = param.bounds
        if int(array.min()) < low or int(array.max()) >= high:
            found = f"{int(array.min())} to {int(array.max())}"
            raise ValueError(f"expected {param.name} in {low}..{high - 1}, found {found}")
    return array


def _count(param: Param) -> int:
    return int(np.prod(param.shape, dtype=np.int64))


def _unpacked(buffer: Buffer, array: Array) -> Array:
    """Give an output as a person has it; packed outputs stay bytes of two."""
    return array if is_packed(buffer.dtype) else array.reshape(buffer.shape)
