"""What every compiler must do: what it makes goes before the judge, as in a run."""

import secrets

from edgekernelbench.bench.feedback import feedback_of
from edgekernelbench.bench.own import own_workload
from edgekernelbench.compiler.interface import Artifact
from edgekernelbench.conformance.expecting import expect, pool_examples, pool_kernel
from edgekernelbench.evaluator.compilers import load_compiler
from edgekernelbench.evaluator.exam import choose_inputs
from edgekernelbench.evaluator.judge import Judge
from edgekernelbench.evaluator.ring import TimingPlan
from edgekernelbench.evaluator.submission import Submission
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import Profile, load_profile
from edgekernelbench.records.outcome import Correct
from edgekernelbench.verify.compute import verify_compute

QUICK = TimingPlan(rings=1, batches=2, batch_ns=1_000_000)
"""Enough to see that times are believed."""


class CompilerConformance:
    """Subclass it, name the entry point, and run pytest.

    Attributes:
        entry: Name of the entry point of the group `edgekernelbench.compilers`.
        profile: Name of a device that it compiles for, and that is here.
    """

    entry: str = ""
    profile: str = "llvm"

    def test_it_has_the_name_of_its_entry(self) -> None:
        name = load_compiler(self.entry).name
        expect(name == self.entry, f"expected the name {self.entry!r}, records have it; found {name!r}")

    def test_an_artifact_says_what_was_compiled_and_what_it_costs(self) -> None:
        device = load_profile(self.profile)
        for kernel in _kernels(device):
            nest = build_nest(verify_compute(kernel), device.target, device)
            artifact = load_compiler(self.entry).compile(nest, device, listings=True)
            good = isinstance(artifact, Artifact) and artifact.nest == nest and artifact.profile == device
            expect(
                good, f"expected an Artifact of the nest of {kernel.name} and its profile, found {artifact!r}"
            )
            expect(
                artifact.compiler == self.entry,
                f"expected compiler {self.entry!r}, found {artifact.compiler!r}",
            )
            expect(
                artifact.executable is not None,
                "expected an executable for a device that is here, found none",
            )

    def test_the_judge_finds_its_kernels_correct_and_times_them(self) -> None:
        device = load_profile(self.profile)
        with Judge(device, compiler=self.entry) as judge:
            for kernel in _kernels(device):
                workload = own_workload(kernel)
                inputs = choose_inputs(secrets.token_bytes(16), workload)
                text = print_kernel(kernel)
                timing = QUICK if kernel.schedules else None
                judgement = judge.judge(Submission(workload, text, inputs, timing))
                said = feedback_of(judgement, text, public=True).text
                right = isinstance(judgement.outcome, Correct)
                expect(right, f"expected {kernel.name} to be correct, found {said}")


def _kernels(device: Profile) -> list[Kernel]:
    """Give kernels plain, and lowered by the default rules: vectors, threads, tiles, tails."""
    plain = [pool_kernel(example, device.target) for example in pool_examples()]
    lowered = [default_lowering(verify_compute(kernel), device.target, device) for kernel in plain]
    return plain + lowered
