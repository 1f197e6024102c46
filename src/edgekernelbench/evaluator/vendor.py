"""The vendor baseline: the fastest correct one of ONNX Runtime and PyTorch, as a practitioner ships them.

```text
NAME.py, or NAME_vendor.py ─┬─ torch         called as it is
                            ├─ torch-frozen  traced, weights bound, folded and packed
                            └─ onnxruntime   exported once and kept, weights as initialisers
```
On an NVIDIA GPU it is PyTorch's CUDA build: `torch-cuda`, and `torch-cuda-graph`, captured once. Each lives
in a process of its own, with the threads of the profile; its outputs are judged like a kernel's.
"""

from collections.abc import Sequence
from pathlib import Path

from edgekernelbench.evaluator.baselines import Contender, FindServer, UnfitError
from edgekernelbench.evaluator.messages import Limits
from edgekernelbench.evaluator.models import ModelStore, default_store
from edgekernelbench.evaluator.signature import outputs_of
from edgekernelbench.evaluator.trial import Assignment
from edgekernelbench.ir.dtype import DType
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.workloads.schema import Size, Workload
from edgekernelbench.workloads.vendor_forms import Forms, forms_of

WHOLE = {DType.I4: DType.I8, DType.U4: DType.U8}
"""4-bit parameters are given to libraries with a byte each: they have no such tensors."""


class VendorBaseline:
    """The fastest correct library."""

    name = "vendor"
    required = False

    def __init__(self, profile: Profile, models: Path | None = None) -> None:
        """Choose what contends.

        Args:
            profile: The device.
            models: Where exported models are kept; None for the user's cache.
        """
        if profile.target == "cuda":
            self.contenders: Sequence[Contender] = (
                TorchContender(profile, "torch-cuda-graph", "torch-cuda-graph"),
                TorchContender(profile, "torch-cuda", "torch-cuda"),
            )
            return
        store = ModelStore(default_store() if models is None else models)
        self.contenders = (
            OnnxContender(profile, store),
            TorchContender(profile, "torch-frozen", "frozen"),
            TorchContender(profile, "torch", "torch"),
        )

    def text(self, workload: Workload) -> None:
        """Give nothing: a library is no kernel text."""
        del workload


class TorchContender:
    """The PyTorch function of a workload's pattern."""

    server = "torch"

    def __init__(self, profile: Profile, name: str, role: str) -> None:
        self.name = name
        self._profile = profile
        self._role = role

    def loops(self, workload: Workload) -> bool:
        """Whether the function is a Python loop."""
        return forms_of(workload).loops

    def assignment(self, workload: Workload, limits: Limits, find_server: FindServer) -> Assignment:
        """Say what its worker is to do."""
        return vendor_assignment(workload, forms_of(workload), self._profile, limits, self._role)


class OnnxContender:
    """The pattern as an ONNX graph: exported from PyTorch, or written out beside it."""

    name = "onnxruntime"
    server = "onnx"

    def __init__(self, profile: Profile, store: ModelStore) -> None:
        self._profile = profile
        self._store = store

    def loops(self, workload: Workload) -> bool:
        """Whether the graph is an unrolled loop."""
        forms = forms_of(workload)
        return forms.onnx_path is None and forms.loops

    def assignment(self, workload: Workload, limits: Limits, find_server: FindServer) -> Assignment:
        """Say what its worker is to do, once there is a model.

        Raises:
            UnfitError: When no model can be exported.
        """
        forms = forms_of(workload)
        plain = vendor_assignment(workload, forms, self._profile, limits, "onnx")
        if forms.loops and forms.onnx_path is None:
            raise UnfitError("the PyTorch function is a loop: exported, it would be that loop unrolled")
        model = self._store.model(workload, forms, plain, find_server)
        return vendor_assignment(workload, forms, self._profile, limits, "onnx", {"model": str(model)})


def vendor_assignment(
    workload: Workload,
    forms: Forms,
    profile: Profile,
    limits: Limits,
    role: str,
    more: dict[str, object] | None = None,
) -> Assignment:
    """Say what a worker with a library is to do.

    Args:
        workload: For which workload.
        forms: What the library is given.
        profile: The device.
        limits: What the worker may use.
        role: Which worker.
        more: Further fields of the request.
    """
    kernel = workload.pattern.kernel(workload.sizes)  # the names of the pattern's own files
    fields: dict[str, object] = {
        "path": str(forms.torch_path),
        "onnx_path": None if forms.onnx_path is None else str(forms.onnx_path),
        "name": workload.pattern.name,
        "sizes": {name: _plain(value) for name, value in workload.sizes.items()},
        "params": [p.name for p in kernel.params],
        "const": [p.const for p in kernel.params],
        "shapes": [p.shape for p in kernel.params],
        "outputs": [stage.shape for stage in outputs_of(kernel)],
        "threads": profile.threads,
        **(more or {}),
    }
    return Assignment(
        role=role,
        fields=fields,
        param_forms=tuple((WHOLE.get(p.dtype, p.dtype), p.shape) for p in kernel.params),
        const=tuple(p.const for p in kernel.params),
        limits=limits,
        cache_bytes=profile.cache_bytes[-1] if profile.cache_bytes else 0,
    )


def _plain(value: Size) -> int | float | str:
    return str(value) if isinstance(value, DType) else value
