"""An imported model with the texts of its kernels, taken together to what compilers are given."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from edgekernelbench.base.errors import RecordError
from edgekernelbench.compiler.arrays import Array, place_array
from edgekernelbench.compiler.whole import Whole, WholeCall
from edgekernelbench.imports.record import CONSTANT, Function, ImportedModel, Tensor
from edgekernelbench.imports.running import load_weights
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.nest.build import build_nest
from edgekernelbench.nest.tree import Buffer, Nest, Role
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.verify.compute import verify_compute


@dataclass(frozen=True, slots=True)
class Assembled:
    """A model ready to be compiled.

    Attributes:
        model: What was imported.
        kernels: The texts, by the name of their function.
        nests: The same as nests for one device.
        stays: Functions without a text, which stay with TVM.
        weights: Weights as kernels are given them, by name.
        whole: What is called with what.
    """

    model: ImportedModel
    kernels: Mapping[str, Kernel]
    nests: Mapping[str, Nest]
    stays: tuple[Function, ...]
    weights: Mapping[str, Array] = field(repr=False)
    whole: Whole


def assemble(
    model: ImportedModel, folder: Path, kernels: Mapping[str, Kernel], profile: Profile
) -> Assembled:
    """Take a model and its kernels together.

    Args:
        model: What was imported.
        folder: Its folder.
        kernels: A text for each function that is not to stay with TVM, by name.
        profile: The device, a CPU.

    Raises:
        SourceError: When a text is refused for the device.
        RecordError: When a weight is missing or does not fit its parameter.
    """
    nests = {name: build_nest(verify_compute(k), "llvm", profile) for name, k in kernels.items()}
    names = {tvm: function.name for function in model.functions for tvm in function.functions}
    arrays = load_weights(folder)
    calls = tuple(
        WholeCall(names[call.function], tuple(call.args), tuple(value.name for value in call.results))
        for call in model.calls
    )
    constants: dict[str, Buffer] = {}
    weights: dict[str, Array] = {}
    for call in calls:
        buffers = nests[call.kernel].params if call.kernel in nests else ()
        for name, buffer in zip(call.args, buffers, strict=False):
            if name.startswith(CONSTANT) and name not in constants:
                constants[name] = Buffer(name, buffer.dtype, buffer.shape, Role.PARAM)
                weights[name] = _placed(constants[name], arrays)
    bounds = {
        (name, place): param.bounds
        for name, kernel in kernels.items()
        for place, param in enumerate(kernel.params)
        if param.bounds is not None
    }
    whole = Whole(
        name=model.name,
        inputs=tuple(_buffer(tensor) for tensor in model.inputs),
        constants=tuple(constants.values()),
        calls=calls,
        outputs=tuple(model.outputs),
        bounds=bounds,
    )
    stays = tuple(function for function in model.functions if function.name not in kernels)
    return Assembled(model, kernels, nests, stays, weights, whole)


def _buffer(tensor: Tensor) -> Buffer:
    return Buffer(tensor.name, tensor.dtype, tensor.shape or (1,), Role.PARAM)


def _placed(buffer: Buffer, arrays: Mapping[str, Array]) -> Array:
    array = arrays.get(buffer.name)
    if array is None:
        raise RecordError(f"expected weight {buffer.name} among those of the model, found none")
    return place_array(buffer, array.reshape(buffer.shape))
