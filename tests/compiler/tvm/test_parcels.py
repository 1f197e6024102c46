"""Parcels: code for devices that need not be here, and what opens it where they are."""

import platform
import shutil
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from edgekernelbench.base.errors import InternalError, PrerequisiteError
from edgekernelbench.compiler.arrays import allocate_buffer, place_array
from edgekernelbench.compiler.linking import TOOLCHAINS, architecture, find_linker
from edgekernelbench.compiler.parcel import PARCEL, Form, Parcel
from edgekernelbench.compiler.tvm.build import build_module
from edgekernelbench.compiler.tvm.lower import lower_nest
from edgekernelbench.compiler.tvm.parcels import make_parcel, open_parcel
from edgekernelbench.lang.parse import parse
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.nest.build import build_nest
from edgekernelbench.nest.tree import Nest
from edgekernelbench.profiles.profile import Profile, load_profile, profile_names
from edgekernelbench.verify.compute import verify_compute

pytestmark = pytest.mark.needs_tvm

KERNEL = """
def mix(x: f32[6, 40], w: const[f32[40, 24]]):
    with compute:
        acc[i, j]: f32[6, 24] = sum(x[i, k] * w[k, j] for k in range(40))
        half: f32[2] = [0.5, 0.25]
        out[i, j]: f32[6, 24] = max(acc[i, j], 0.0) * half[j % 2]
        return out
"""
MACHINES = {"aarch64": 183, "armv7l": 40, "x86_64": 62}
"""Numbers of architectures in the head of an ELF file."""

CPUS = [name for name in profile_names() if load_profile(name).target == "llvm"]
GPUS = [name for name in profile_names() if load_profile(name).target != "llvm"]


def nest_for(profile: Profile) -> Nest:
    kernel = default_lowering(verify_compute(parse(KERNEL)), profile.target, profile)
    return build_nest(verify_compute(kernel), profile.target, profile)


def elf_machine(path: Path) -> int:
    data = path.read_bytes()
    assert data[:4] == b"\x7fELF"
    (machine,) = struct.unpack_from("<H", data, 18)
    return int(machine)


@pytest.mark.parametrize("name", CPUS)
def test_machine_code_is_made_for_every_cpu_on_any_machine(name: str, tmp_path: Path) -> None:
    profile = load_profile(name)
    module = build_module(lower_nest(nest_for(profile), profile), profile).module
    module.write_to_file(str(tmp_path / "kernel.o"))

    assert elf_machine(tmp_path / "kernel.o") == MACHINES[architecture(profile.triple)]


@pytest.mark.parametrize("name", GPUS)
def test_device_code_is_made_for_every_gpu_on_any_machine(name: str, tmp_path: Path) -> None:
    profile = load_profile(name)
    if profile.target == "cuda":
        if shutil.which("nvcc") is None:
            pytest.skip("there is no nvcc on this machine")
        profile = replace(profile, cpu="sm_87" if profile.cpu == "native" else profile.cpu)
    parcel = make_parcel(nest_for(profile), profile)
    parcel.write(tmp_path)
    again = Parcel.read(tmp_path)

    assert again.form is (Form.CUBIN if profile.target == "cuda" else Form.OPENCL)
    assert again.code == parcel.code
    assert again.cost == parcel.cost
    assert (again.nest.params, again.nest.outputs) == (parcel.nest.params, parcel.nest.outputs)
    assert again.run is not None
    assert parcel.run is not None
    assert again.run.slots == parcel.run.slots
    bare: list[Any] = [replace(cast("Any", step), body=()) for step in parcel.run.steps]
    assert bare == list(again.run.steps)


@pytest.mark.parametrize("name", CPUS)
def test_a_shared_object_is_linked_or_the_linker_is_named(name: str) -> None:
    profile = load_profile(name)
    tools = TOOLCHAINS[architecture(profile.triple)]
    if architecture(profile.triple) != platform.machine() and shutil.which(tools.compiler) is None:
        with pytest.raises(PrerequisiteError, match="no linker") as caught:
            make_parcel(nest_for(profile), profile)
        assert tools.package in caught.value.remedy
        return
    parcel = make_parcel(nest_for(profile), profile)
    assert parcel.form is Form.SHARED
    assert parcel.cost.code_bytes


def test_what_was_carried_runs_and_is_right(tmp_path: Path) -> None:
    profile = load_profile("llvm")
    make_parcel(nest_for(profile), profile).write(tmp_path)
    parcel = Parcel.read(tmp_path)
    executable = open_parcel(parcel, profile, tmp_path)
    rng = np.random.default_rng(7)
    x, w = rng.normal(size=(6, 40)).astype("f4"), rng.normal(size=(40, 24)).astype("f4")
    params = [place_array(b, a) for b, a in zip(parcel.nest.params, (x, w), strict=True)]
    outputs = [allocate_buffer(parcel.nest.outputs[0])]
    executable.prepare(params)
    executable.run(params, outputs)

    expected = np.maximum(x @ w, 0) * np.array([0.5, 0.25] * 12, "f4")
    np.testing.assert_allclose(outputs[0].astype(np.float32), expected, rtol=1e-5, atol=1e-5)


def test_a_parcel_of_another_release_is_not_opened(tmp_path: Path) -> None:
    profile = load_profile("llvm")
    make_parcel(nest_for(profile), profile).write(tmp_path)
    text = (tmp_path / PARCEL).read_text(encoding="utf-8")
    (tmp_path / PARCEL).write_text(text.replace("parcel/1", "parcel/0"), encoding="utf-8")

    with pytest.raises(InternalError, match="same release"):
        Parcel.read(tmp_path)


def test_code_for_another_machine_is_not_loaded_as_if_it_were_ours(tmp_path: Path) -> None:
    profile = load_profile("llvm")
    parcel = make_parcel(nest_for(profile), profile)
    broken = replace(parcel, code=parcel.code[:18] + struct.pack("<H", 999) + parcel.code[20:])

    with pytest.raises(PrerequisiteError, match="cannot be loaded here"):
        open_parcel(broken, profile, tmp_path)


def test_this_machine_has_a_linker() -> None:
    assert find_linker("") == find_linker(f"{platform.machine()}-linux-gnu")
