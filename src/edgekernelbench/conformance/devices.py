"""What every device profile must have."""

from dataclasses import asdict

from edgekernelbench.base.errors import SourceError
from edgekernelbench.base.plugins import Group, find_plugin
from edgekernelbench.conformance.expecting import expect, pool_examples, pool_kernel
from edgekernelbench.ir.dtype import DType
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import Profile, Whereabouts, load_profile, own_profile_names
from edgekernelbench.verify.compute import verify_compute


class DeviceConformance:
    """Subclass it, name the entry point, and run pytest.

    Attributes:
        entry: Name of the entry point of the group `edgekernelbench.devices`, and of the profile.
    """

    entry: str = ""

    @property
    def profile(self) -> Profile:
        """The profile."""
        return load_profile(self.entry)

    def test_its_name_is_free(self) -> None:
        taken = self.entry in own_profile_names() and find_plugin(Group.DEVICES, self.entry) is not None
        expect(not taken, f"expected a name of its own, found {self.entry!r}, which comes with the product")

    def test_it_says_what_it_is_and_where_its_numbers_come_from(self) -> None:
        profile = self.profile
        expect(profile.title, "expected a title, found none")
        expect(profile.sources, "expected the sources of its numbers, found none")
        named = profile.where is not Whereabouts.TEXT or profile.cpu or profile.target != "llvm"
        expect(named, "expected the CPU by LLVM's name, found none; nothing can be lowered for it")

    def test_its_numbers_can_be(self) -> None:
        numbers = {name: value for name, value in asdict(self.profile).items() if isinstance(value, int)}
        wrong = {name: value for name, value in numbers.items() if value < 0}
        expect(not wrong, f"expected no number below 0, found {wrong}")
        for name in ("threads", "vector_bytes", "workspace_bytes", "local_bytes"):
            expect(numbers[name] > 0, f"expected {name} above 0, found {numbers[name]}")
        known = {str(dtype) for dtype in DType}
        unknown = set(self.profile.dtypes) - known
        expect(not unknown, f"expected element types of the language, found {', '.join(sorted(unknown))}")

    def test_a_gpu_says_how_many_threads_and_blocks_it_takes(self) -> None:
        profile = self.profile
        if profile.target == "llvm":
            return
        expect(profile.max_threads > 0, "expected max_threads above 0, found 0")
        expect(len(profile.max_thread_dims) == 3, "expected max_thread_dims along x, y and z")
        expect(len(profile.max_block_dims) == 3, "expected max_block_dims along x, y and z")

    def test_the_default_rules_write_kernels_that_fit(self) -> None:
        profile = self.profile
        for example in pool_examples():
            facts = verify_compute(pool_kernel(example, profile.target))
            try:
                lowered = default_lowering(facts, profile.target, profile)
                build_nest(verify_compute(lowered), profile.target, profile)
            except SourceError as error:
                raise AssertionError(f"expected {example.name} to fit, found:\n{error}") from error
