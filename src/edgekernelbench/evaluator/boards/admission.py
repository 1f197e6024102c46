"""A board is admitted when one small kernel, compiled here, comes out right on it.

That is asked again when a kernel crashed there: a board that runs nothing any more, or whose CPU has not what
its profile says, is no fault of a kernel.
"""

import secrets
from dataclasses import asdict

import numpy as np

from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.compiler.arrays import ALIGNMENT
from edgekernelbench.evaluator.hands import Hands
from edgekernelbench.evaluator.messages import Limits
from edgekernelbench.evaluator.probe import KERNEL, SIZE, expected
from edgekernelbench.evaluator.sheets import Sheet, plan_layout
from edgekernelbench.ir.dtype import DType
from edgekernelbench.profiles.profile import Profile

SHEET = "sheet0"
RUN_S = 10.0


def try_board(hands: Hands, profile: Profile, limits: Limits) -> str:
    """Run the kernel on a board.

    Args:
        hands: Starts workers there.
        profile: What the board is.
        limits: What a worker may use.

    Returns:
        What is wrong; empty when nothing is.

    Raises:
        ServerLost: When the board, or a fork server, is lost.
    """
    layout = plan_layout([(DType.F32, (SIZE,))], [(DType.F32, (SIZE,))])
    given = np.arange(SIZE, dtype=np.float32)
    folder = hands.folder()
    with Sheet.create(folder / SHEET, layout, [given], secrets.token_bytes(ALIGNMENT)) as sheet:
        request = {
            "text": KERNEL,
            "profile": asdict(profile),
            "compiler": "tvm",
            "run_s": RUN_S,
            "sheets": [{"file": SHEET, "layout": layout.to_json()}],
            "timing": None,
        }
        try:
            worker = hands.start("kernel", request, folder=folder, limits=limits)
        except PrerequisiteError as error:
            return str(error)
        with worker:
            ended = worker.wait()
            reply = worker.reply() or {}
            said = reply.get("refused") or reply.get("missing") or reply.get("faulted")
            if "cost" not in reply:
                how = f"signal {ended.signal}" if ended.signal else f"status {ended.exit_code}"
                last = worker.stderr_tail().strip().splitlines()[-1:]
                return str(said or (last[0] if last else f"it ended with {how}"))
            right = np.array_equal(sheet.array(layout.first[0]), expected(given))
            return "" if right else "the kernel ran and its result is wrong"
