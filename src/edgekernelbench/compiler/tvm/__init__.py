"""Nest to TIR to machine code, through Apache TVM; nothing else in the product imports TVM."""

from edgekernelbench.compiler.tvm.compiler import TvmCompiler

__all__ = ["TvmCompiler"]
