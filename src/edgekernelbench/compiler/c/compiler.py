"""The compiler that goes through C and the system's compiler."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from edgekernelbench.compiler.c.build import FLAGS, build_shared, find_compiler, has_openmp
from edgekernelbench.compiler.c.executable import CExecutable
from edgekernelbench.compiler.c.program import CProgram, write_program
from edgekernelbench.compiler.cost import stored_cost
from edgekernelbench.compiler.elf import count_code_bytes
from edgekernelbench.compiler.interface import Artifact, Cost
from edgekernelbench.nest.tree import Nest
from edgekernelbench.profiles.profile import Profile


class CCompiler:
    """Writes C and builds it: the second opinion on every nest, and the way to C export."""

    name = "c"

    def __init__(self, flags: Sequence[str] = FLAGS) -> None:
        self._flags = tuple(flags)

    def compile(self, nest: Nest, profile: Profile, *, listings: bool = False) -> Artifact:
        """Compile a nest for this machine.

        Args:
            nest: What to compile; nests of GPUs are run serially.
            profile: The device; its threads are used where the compiler has OpenMP.
            listings: Whether to keep C and assembly.

        Returns:
            The artifact, with its executable.

        Raises:
            CompileError: When the C compiler refuses.
            PrerequisiteError: When there is no C compiler.
        """
        openmp = profile.threads > 1 and nest.target == "llvm" and has_openmp(find_compiler())
        program = write_program(
            nest, threads=profile.threads if openmp else 1, stack_limit=profile.stack_bytes
        )
        with TemporaryDirectory(prefix="ekb-") as place:
            folder = Path(place)
            shared = build_shared(program.text, folder, flags=self._flags, openmp=openmp, assembly=listings)
            # The file may go once it is loaded: the mapping stays.
            executable = CExecutable(shared, program, nest)
            texts = {"c": program.text}
            if listings:
                texts["asm"] = (folder / "kernel.s").read_text(encoding="utf-8")
            cost = _cost(nest, program, count_code_bytes(shared))
        return Artifact(self.name, nest, profile, cost, texts if listings else {}, executable)


def _cost(nest: Nest, program: CProgram, code_bytes: int | None) -> Cost:
    notes = () if program.threads > 1 else ("loops run on one thread",)
    return stored_cost(nest, program.arena, program.threads, code_bytes=code_bytes, notes=notes)
