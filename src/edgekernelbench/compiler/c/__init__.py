"""Nest to C to a shared object."""

from edgekernelbench.compiler.c.compiler import CCompiler

__all__ = ["CCompiler"]
