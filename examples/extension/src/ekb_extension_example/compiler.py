"""A compiler: the way through C, optimised less."""

from edgekernelbench.compiler.c import CCompiler

FLAGS = ("-std=gnu11", "-O1", "-march=native", "-fno-math-errno", "-ffp-contract=fast", "-fwrapv")


class PlainC(CCompiler):
    """Compiles sooner; what comes out is slower."""

    name = "c-o1"

    def __init__(self) -> None:
        super().__init__(FLAGS)
