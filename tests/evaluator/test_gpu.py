"""The judge on GPUs: PoCL as a stand-in here, NVIDIA's CUDA and OpenCL where there is a GPU."""

import subprocess
import sys
from collections.abc import Iterator

import pytest
from tests.tiny import make_catalogue

from edgekernelbench.evaluator.baselines import Bench, DefaultBaseline
from edgekernelbench.evaluator.environment import host_room, server_name
from edgekernelbench.evaluator.exam import choose_inputs
from edgekernelbench.evaluator.judge import Judge
from edgekernelbench.evaluator.ring import TimingPlan
from edgekernelbench.evaluator.submission import Submission
from edgekernelbench.evaluator.vendor import VendorBaseline
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.records.outcome import Correct, Unjudged, Wrong
from edgekernelbench.workloads.catalogue import Catalogue, load_catalogue

QUICK = TimingPlan(batches=2, batch_ns=1_000_000)
ROW_SUM_ID = "tiny/row_sum@r4-n12-f32"
ROW_SUM = """
def row_sum(x: f32[4, 12]):
    with compute:
        out[i]: f32[4] = sum(x[i, j] for j in range(12))
        return out
"""
ACROSS_THREADS = (
    ROW_SUM
    + """
    with schedule("opencl", "cuda"):
        bind(out.i, "blockIdx.x")
        bind(out.j, "threadIdx.x")
"""
)
DEVICES = [
    pytest.param("opencl", marks=pytest.mark.needs_opencl),
    pytest.param("cuda", marks=pytest.mark.needs_cuda),
    pytest.param("opencl-nvidia", marks=pytest.mark.needs_cuda),
]


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    return load_catalogue(make_catalogue(tmp_path_factory.mktemp("catalogue")))


@pytest.fixture(scope="module", params=DEVICES)
def judge(request: pytest.FixtureRequest) -> Iterator[Judge]:
    with Judge(load_profile(request.param)) as judge:
        yield judge


@pytest.mark.parametrize("text", [ROW_SUM, ACROSS_THREADS], ids=["plain", "across threads"])
def test_a_right_kernel_is_correct_and_timed(judge: Judge, catalogue: Catalogue, text: str) -> None:
    workload = catalogue.workload(ROW_SUM_ID)
    judgement = judge.judge(Submission(workload, text, choose_inputs(b"secret", workload), QUICK))
    assert isinstance(judgement.outcome, Correct), judgement.outcome
    (ring,) = judgement.outcome.rings
    assert min(ring.kernel.samples) > 0


def test_a_wrong_kernel_is_wrong(judge: Judge, catalogue: Catalogue) -> None:
    workload = catalogue.workload(ROW_SUM_ID)
    text = ROW_SUM.replace("range(12)", "range(11)")
    judgement = judge.judge(Submission(workload, text, choose_inputs(b"secret", workload)))
    assert isinstance(judgement.outcome, Wrong), judgement.outcome


@pytest.mark.needs_opencl
def test_a_platform_that_is_not_there_is_no_fault_of_the_kernel(catalogue: Catalogue) -> None:
    workload = catalogue.workload(ROW_SUM_ID)
    profile = load_profile("opencl-nvidia")
    with Judge(profile) as judging:
        outcome = judging.judge(Submission(workload, ROW_SUM, choose_inputs(b"secret", workload))).outcome
    assert isinstance(outcome, Unjudged | Correct)
    if isinstance(outcome, Unjudged):
        assert "NVIDIA CUDA" in outcome.detail


def test_a_driver_of_a_gpu_may_map_what_it_wants() -> None:
    assert (
        host_room(load_profile("cuda")) > host_room(load_profile("opencl")) == host_room(load_profile("llvm"))
    )


def test_nothing_of_cuda_is_loaded_before_a_worker_is_forked() -> None:
    assert server_name("tvm", load_profile("cuda")) == "tvm-late"
    assert server_name("tvm", load_profile("opencl")) == "tvm"
    code = "from edgekernelbench.evaluator.compilers import import_compiler as i; i('tvm-late'); import sys; "
    command = [sys.executable, "-c", code + "sys.exit('tvm' in sys.modules)"]
    assert subprocess.run(command, check=False).returncode == 0


@pytest.mark.needs_cuda
def test_on_cuda_the_vendor_is_pytorch(catalogue: Catalogue) -> None:
    workload = catalogue.workload(ROW_SUM_ID)
    profile = load_profile("cuda")
    baselines = (DefaultBaseline(Bench(profile, "tvm")), VendorBaseline(profile))
    with Judge(profile, baselines=baselines) as judge:
        judgement = judge.judge(Submission(workload, ROW_SUM, choose_inputs(b"secret", workload), QUICK))
    assert isinstance(judgement.outcome, Correct), judgement.outcome
    assert [one.name for one in judgement.outcome.rings[0].baselines] == ["default", "vendor"]
    assert judgement.vendor is not None
    assert judgement.vendor.name == "torch-cuda-graph"
    assert "slower" in judgement.vendor.fallen["torch-cuda"]
