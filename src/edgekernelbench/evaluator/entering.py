"""From what is handed in to what is run: the text is looked at, in its own language."""

from edgekernelbench.base.errors import SourceError
from edgekernelbench.base.hashing import hash_text
from edgekernelbench.compiler.control.screen import screen_text
from edgekernelbench.compiler.traced import read_traced
from edgekernelbench.evaluator.acceptance import accept
from edgekernelbench.evaluator.baselines import Bench, Entry
from edgekernelbench.evaluator.control.verdict import require_control
from edgekernelbench.evaluator.submission import Submission
from edgekernelbench.lang.printing import print_kernel


def enter(submission: Submission, bench: Bench, *, is_board: bool) -> tuple[Entry, str]:
    """Look at a text.

    Args:
        submission: What is handed in.
        bench: How it is run.
        is_board: Whether it is run on a board.

    Returns:
        What is run, and the hash of its canonical text.

    Raises:
        SourceError: With everything that is wrong with it.
        PrerequisiteError: When texts of its language are not run on the device.
    """
    text = submission.text
    if submission.language == "c":
        require_control(bench.profile, is_board=is_board)
        problems = screen_text(text)
        if problems:
            raise SourceError(list(problems), text)
        return Entry(bench, submission.workload.kernel(), plain=text), hash_text(text)
    source = read_traced(text).text if submission.traced else text
    kernel = accept(submission.workload, source, bench.profile)
    return Entry(bench, kernel, text if submission.traced else ""), hash_text(print_kernel(kernel))
