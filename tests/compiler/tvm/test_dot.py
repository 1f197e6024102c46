"""`dot4` becomes the instruction that a CPU has for it; whether it is right is seen under an emulator."""

import pytest
from tests.docs.pages import ROOT

from edgekernelbench.compiler.tvm import TvmCompiler
from edgekernelbench.lang.parse import parse
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute

pytestmark = pytest.mark.needs_tvm

TEXT = (ROOT / "examples" / "directives" / "tensorize.kir").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("profile", "types", "instruction"),
    [
        pytest.param("raspberry-pi-5", ("i8", "i8"), "sdot", id="Arm, both signed"),
        pytest.param("raspberry-pi-5", ("u8", "u8"), "udot", id="Arm, both unsigned"),
        pytest.param("raspberry-pi-5", ("u8", "i8"), "sdot", id="Arm, mixed"),
        pytest.param("x86-small", ("i8", "i8"), "vpdpbusd", id="x86 without AVX-512"),
    ],
)
def test_sums_of_four_products_are_one_instruction(
    profile: str, types: tuple[str, str], instruction: str
) -> None:
    device = load_profile(profile)
    text = TEXT.replace("a: i8", f"a: {types[0]}").replace("const[i8", f"const[{types[1]}")
    nest = build_nest(verify_compute(parse(text)), "llvm", device)

    listed = TvmCompiler().compile(nest, device, listings=True).listings["asm"]

    assert instruction in listed
