"""The grammar of canonical texts, from one source (`rules`), in the forms that tools read."""

from edgekernelbench.lang.grammar.gbnf_form import gbnf
from edgekernelbench.lang.grammar.lark_form import lark
from edgekernelbench.lang.grammar.sample import sample

__all__ = ["gbnf", "lark", "sample"]
