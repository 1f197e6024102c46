"""The vendor baseline: the fastest correct library, and why others fell out."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.tiny import make_catalogue

from edgekernelbench.evaluator.baselines import Bench, DefaultBaseline, UnfitError
from edgekernelbench.evaluator.exam import choose_inputs
from edgekernelbench.evaluator.judge import Judge
from edgekernelbench.evaluator.messages import Limits
from edgekernelbench.evaluator.models import default_store
from edgekernelbench.evaluator.ring import TimingPlan
from edgekernelbench.evaluator.submission import Submission
from edgekernelbench.evaluator.supervisor import Supervisor
from edgekernelbench.evaluator.vendor import VendorBaseline
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.records.judgement import Judgement
from edgekernelbench.records.outcome import Correct
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.schema import Workload

pytestmark = pytest.mark.needs_torch

QUICK = TimingPlan(batches=2, batch_ns=1_000_000)
ALL = {"onnxruntime", "torch-frozen", "torch"}

ONNX = """
def scale_onnx(*, N):
    return f'''
        <ir_version: 9, opset_import: ["" : 17]>
        scale (float[{N}] x, float[{N}] w) => (float[{N}] out) {{ out = OP(x, w) }}
    '''
"""

Judged = Callable[..., Judgement]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_catalogue(tmp_path)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module")
def judge(models: Path) -> Iterator[Judge]:
    """One judge for all tests, since servers take seconds to start; each test has a workload of its own."""
    profile = load_profile("llvm")
    baselines = (DefaultBaseline(Bench(profile, "c")), VendorBaseline(profile, models))
    with Judge(profile, compiler="c", baselines=baselines) as judge:
        yield judge


@pytest.fixture
def judged(root: Path, judge: Judge) -> Judged:
    """Judge the canonical text of the workload of a size, beside the vendor."""

    def judge_size(size: int, timing: TimingPlan = QUICK) -> Judgement:
        workload = workload_of(root, size)
        text = print_kernel(workload.kernel())
        return judge.judge(Submission(workload, text, choose_inputs(b"secret", workload), timing))

    return judge_size


def workload_of(root: Path, size: int) -> Workload:
    return load_catalogue(root).workload(f"tiny/scale@n{size}-f32")


def write(root: Path, name: str, text: str) -> None:
    (root / "tiny" / f"{name}.py").write_text(text, encoding="utf-8")


def test_the_fastest_correct_library_is_timed_and_named(judged: Judged) -> None:
    judgement = judged(3)

    assert isinstance(judgement.outcome, Correct)
    assert [s.name for s in judgement.outcome.rings[0].baselines] == ["default", "vendor"]
    assert judgement.vendor is not None
    assert {judgement.vendor.name, *judgement.vendor.fallen} == ALL
    assert all("slower" in why for why in judgement.vendor.fallen.values())
    assert Judgement.read(judgement.line(), "here") == judgement


def test_a_library_whose_values_are_wrong_falls_out(root: Path, judged: Judged) -> None:
    write(root, "scale_vendor", "def scale(x, w):\n    return x * w * 1.01\n" + ONNX.replace("OP(", "Mul("))

    vendor = judged(4).vendor

    assert vendor is not None
    assert vendor.name == "onnxruntime"
    assert "is wrong: out" in vendor.fallen["torch"]
    assert "is wrong: out" in vendor.fallen["torch-frozen"]


def test_where_no_library_is_right_the_kernel_is_judged_all_the_same(root: Path, judged: Judged) -> None:
    write(root, "scale_vendor", "def scale(x, w):\n    return x + w\n")

    judgement = judged(5)

    assert isinstance(judgement.outcome, Correct)
    assert "no-vendor" in judgement.flags
    assert judgement.vendor is not None
    assert judgement.vendor.name is None
    assert set(judgement.vendor.fallen) == ALL


def test_a_written_graph_that_is_wrong_falls_out_too(root: Path, judged: Judged) -> None:
    write(root, "scale_vendor", ONNX.replace("OP(", "Add("))

    vendor = judged(6).vendor

    assert vendor is not None
    assert "is wrong: out" in vendor.fallen["onnxruntime"]


def test_what_a_trace_remembers_of_values_is_found(root: Path, judged: Judged) -> None:
    text = "def scale(x, w):\n    return x * w + (x[0] - float(x[0]))\n"
    write(root, "scale_vendor", text)

    vendor = judged(7).vendor

    assert vendor is not None
    assert vendor.name == "torch"
    assert "is wrong" in vendor.fallen["torch-frozen"]
    assert "is wrong" in vendor.fallen["onnxruntime"]


def test_what_cannot_be_exported_says_so(root: Path, judged: Judged) -> None:
    text = "import torch\n\ndef scale(x, w):\n    return x * w + torch.fft.rfft(x).real.sum() * 0\n"
    write(root, "scale_vendor", text)

    vendor = judged(8).vendor

    assert vendor is not None
    assert vendor.name in ("torch", "torch-frozen")
    assert vendor.fallen["onnxruntime"].startswith("not exportable: ")
    assert "fft" in vendor.fallen["onnxruntime"]


def test_a_loop_is_recorded_as_one_and_not_unrolled(root: Path, judged: Judged) -> None:
    pairs = "zip(x.unbind(), w.unbind())"
    text = f"import torch\n\ndef scale(x, w):\n    return torch.stack([a * b for a, b in {pairs}])\n"
    write(root, "scale_vendor", text)

    vendor = judged(9).vendor

    assert vendor is not None
    assert vendor.loop
    assert vendor.name in ("torch", "torch-frozen")
    assert "unrolled" in vendor.fallen["onnxruntime"]


def test_every_set_of_processes_of_a_final_verdict_has_the_same_vendor(
    judged: Callable[..., Judgement],
) -> None:
    judgement = judged(10, TimingPlan(rings=2, batches=2, batch_ns=1_000_000))

    assert isinstance(judgement.outcome, Correct)
    assert [len(ring.baselines) for ring in judgement.outcome.rings] == [2, 2]
    assert judgement.vendor is not None
    assert {judgement.vendor.name, *judgement.vendor.fallen} == ALL


def test_a_model_is_exported_once(root: Path, judged: Judged, models: Path) -> None:
    before = set(models.iterdir())
    judged(11)
    (made,) = set(models.iterdir()) - before

    onnx = VendorBaseline(load_profile("llvm"), models).contenders[0]
    assignment = onnx.assignment(workload_of(root, 11), Limits(), no_server)

    assert made.suffix == ".onnx"
    assert assignment.fields["model"] == str(made)


def test_what_could_not_be_exported_is_not_tried_again(root: Path, judged: Judged, models: Path) -> None:
    text = "import torch\n\ndef scale(x, w):\n    return x * w + torch.fft.rfft(x).real.sum() * 0\n"
    write(root, "scale_vendor", text)
    judged(12)

    onnx = VendorBaseline(load_profile("llvm"), models).contenders[0]

    with pytest.raises(UnfitError, match="not exportable"):
        onnx.assignment(workload_of(root, 12), Limits(), no_server)


def no_server(name: str) -> Supervisor:
    raise AssertionError(f"no server was to be started, {name} was")


def test_models_are_kept_in_the_cache_of_the_user() -> None:
    assert default_store({"XDG_CACHE_HOME": "/there"}) == Path("/there/edgekernelbench/onnx")
    assert default_store({}).parts[-3:] == (".cache", "edgekernelbench", "onnx")
