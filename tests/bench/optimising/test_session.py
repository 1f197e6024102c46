"""An optimisation from the file to the folder, interrupted and taken up again."""

import json
import shutil
from pathlib import Path

import pytest
from tests.imports.onnx_models import small_net

from edgekernelbench.base.errors import RecordError
from edgekernelbench.bench.optimising.record import Optimisation, load_optimisation, store_optimisation
from edgekernelbench.bench.optimising.results import open_source
from edgekernelbench.bench.optimising.session import go_on
from edgekernelbench.bench.optimising.wholes import prove_whole
from edgekernelbench.deploy.assembling import Assembled
from edgekernelbench.imports.importing import Request, import_model
from edgekernelbench.imports.record import load_model
from edgekernelbench.profiles.profile import load_profile

pytestmark = pytest.mark.needs_tvm


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    folder = tmp_path_factory.mktemp("optimised")
    import_model(Request(str(small_net(folder)), {}), folder / "model")
    said: list[str] = []
    begun = Optimisation(source="small net.onnx", device="llvm", agent="policy", budget_s=6.0)
    go_on(folder, begun, said.append)
    return folder, said


def test_the_budget_goes_to_the_convolution(finished: tuple[Path, list[str]]) -> None:
    found = load_optimisation(finished[0])
    searched = [part for part in found.parts if part.searched]
    assert [part.runs for part in searched] == [2]
    assert searched[0].measured >= 1
    assert found.spent_s >= 5.0
    assert (finished[0] / "trajectories" / f"{searched[0].name}.jsonl").is_file()


def test_the_whole_is_held_against_its_own_framework(finished: tuple[Path, list[str]]) -> None:
    whole = load_optimisation(finished[0]).whole
    assert whole is not None
    assert whole.against == "ONNX Runtime"
    assert whole.apart < 1e-5
    assert whole.dropped == ()
    assert whole.now_ns is not None
    assert whole.now_ns > 0


def test_who_watches_hears_how_far_it_is(finished: tuple[Path, list[str]]) -> None:
    said = "\n".join(finished[1])
    assert "timing 1 of " in said
    assert " of the time, searched for " in said
    assert " s left, " in said


def test_a_finished_one_is_not_done_again(finished: tuple[Path, list[str]]) -> None:
    said: list[str] = []
    before = load_optimisation(finished[0])
    assert go_on(finished[0], before, said.append) == before
    assert said == []


def test_what_was_interrupted_goes_on(finished: tuple[Path, list[str]]) -> None:
    """As if it had been killed after the search, before the whole model was run."""
    before = load_optimisation(finished[0])
    said: list[str] = []
    after = go_on(finished[0], before.model_copy(update={"whole": None}), said.append)
    assert said == ["the whole model, against the original"]
    assert after.parts == before.parts
    assert after.whole is not None


def test_kernels_that_break_the_model_are_taken_out(finished: tuple[Path, list[str]]) -> None:
    folder = finished[0]
    before = load_optimisation(folder)
    part = next(part for part in before.parts if part.runs == 2)
    path = folder / "kernels" / f"{part.name}.kir"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("max(", "min(", 1), encoding="utf-8")
    broken = before.with_part(part.model_copy(update={"speedup": 2.0})).model_copy(update={"whole": None})
    after = go_on(folder, broken, lambda line: None)
    assert after.whole is not None
    assert after.whole.dropped == (part.name,)
    assert after.part(part.name).speedup == 1.0
    assert "max(" in path.read_text(encoding="utf-8")
    store_optimisation(before, folder)


def test_its_folder_can_be_exported(finished: tuple[Path, list[str]]) -> None:
    source = open_source(finished[0], load_profile("llvm"))
    assert source.assembled.stays == ()
    assert {measured["device"] for measured in source.measured.values()} == {"llvm"}


def test_a_folder_without_a_record_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"no optimise\.json in .*; `ekb optimise MODEL --out"):
        load_optimisation(tmp_path)
    (tmp_path / "optimise.json").write_text(json.dumps({"schema": "ekb/optimise/1"}), encoding="utf-8")
    with pytest.raises(RecordError, match="field required"):
        load_optimisation(tmp_path)


@pytest.mark.skipif(
    not (shutil.which("aarch64-linux-gnu-gcc") and shutil.which("qemu-aarch64")),
    reason="needs a cross compiler and an emulator: apt-get install gcc-aarch64-linux-gnu qemu-user",
)
def test_a_model_for_another_processor_is_proven_under_its_emulator(
    finished: tuple[Path, list[str]], tmp_path: Path
) -> None:
    folder = tmp_path / "arm"
    shutil.copytree(finished[0], folder)
    board = load_profile("aarch64")
    model = load_model(folder / "model")
    after = prove_whole(folder, model, load_optimisation(folder), board)
    assert after.whole is not None
    assert after.whole.apart < 1e-5
    assert after.whole.now_ns is None


class Slower:
    """A proof in which whatever comes second is right, and takes twice as long."""

    def __init__(self) -> None:
        self._names: list[str] = []

    def apart(self, name: str, assembled: Assembled) -> float:
        del assembled
        self._names.append(name)
        return 0.0

    def times(self) -> dict[str, float]:
        return {name: float(2**number) for number, name in enumerate(self._names)}


def test_kernels_that_slow_the_whole_down_are_taken_out(
    finished: tuple[Path, list[str]], tmp_path: Path
) -> None:
    folder = tmp_path / "slow"
    shutil.copytree(finished[0], folder)
    before = load_optimisation(folder)
    part = next(part for part in before.parts if part.runs == 2)
    found = before.with_part(part.model_copy(update={"speedup": 1.5}))
    after = prove_whole(folder, load_model(folder / "model"), found, load_profile("llvm"), Slower())
    assert after.whole is not None
    assert after.whole.dropped == (part.name,)
    assert after.whole.now_ns == after.whole.start_ns
    assert after.part(part.name).note == "the whole model was slower with it"
