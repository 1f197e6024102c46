"""The grammar of canonical texts: fixed indentation, one statement a line.

It says how a text is written; whether it means something is for the reader and the verifiers. `language.md`
has the same grammar for people.
"""

import keyword

from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import REDUCTIONS
from edgekernelbench.ir.memory import SCOPES
from edgekernelbench.ir.schedule import TARGETS, THREAD_TAGS
from edgekernelbench.lang.grammar.nodes import Alt, Lit, Node, Ref, Rules, Word
from edgekernelbench.lang.grammar.notation import read_rules
from edgekernelbench.lang.words import FUNCTIONS, RESERVED, SATURATING

_SOURCE = r"""
kernel      = signature doc? constant*4 compute blocks "\n"
signature   = "def " FUNCTION_NAME "(" (param (", " param)*5)? "):"
param       = NAME ": " (type | "const[" type "]") (" in range(" (number ", ")? number ")")?
type        = dtype ("[" number (", " number)*3 "]")?
doc         = "\n    \"\"\"" DOC? ("\n" ("    " DOC)?)*0 ("\n    ")*0 "\"\"\""
constant    = "\n    " CAPITAL (", " CAPITAL)*3 " = " number (", " number)*3
compute     = "\n" "\n"? "    with compute:" item+5 "\n        return " NAME (", " NAME)*2
item        = "\n        " (stage | "for " NAME " in range(" number "):" item2+3)
item2       = "\n            " (stage | "for " NAME " in range(" number "):" item3+2)
item3       = "\n                " (stage | "for " NAME " in range(" number "):" item4+2)
item4       = "\n                    " stage
stage       = NAME ("[" NAME (", " NAME)*3 "]")? ": " type " = " (reduction | expr | list)
list        = "[" entry (", " entry)*8 "]"
entry       = number | ^list
reduction   = reducer "(" expr over+3 ")"
over        = " for " NAME " in range(" (number ", ")? number ")" (" if " disjunction)*1
number      = product_n ((" + " | " - ") product_n)*1
product_n   = unary_n ((" * " | " // " | " / " | " % ") unary_n)*1
unary_n     = "-"? atom_n (" ** " atom_n)?
atom_n      = INTEGER | FLOAT | "inf" | "pi" | capital | "(" ^number ")" | knob
knob        = "choose(" ^number (", " ^number)*3 ")"
capital     = CAPITAL
expr        = disjunction (" if " disjunction " else " ^expr)?
disjunction = conjunction (" or " conjunction)*1
conjunction = negation (" and " negation)*2
negation    = "not "? comparison
comparison  = bit_or (comparer bit_or)*2
comparer    = " < " | " <= " | " > " | " >= " | " == " | " != "
bit_or      = bit_xor (" | " bit_xor)*1
bit_xor     = bit_and (" ^ " bit_and)*1
bit_and     = shift (" & " shift)*1
shift       = sum ((" << " | " >> ") sum)*1
sum         = product ((" + " | " - ") product)*2
product     = unary ((" * " | " / " | " // " | " % ") unary)*2
unary       = ("-" | "~")*1 power
power       = atom (" ** " EXPONENT)?
atom        = FLOAT | INTEGER | "True" | "False" | "inf" | "pi" | capital | "(" ^expr ")"
            | NAME ("[" ^expr (", " ^expr)*3 "]")? | called "(" ^expr (", " ^expr)*2 ")"
called      = function | dtype
blocks      = block*4
block       = schedule | memory
schedule    = "\n" "\n"? "    with schedule(" targets "):" (directive+6 | pass)
memory      = "\n" "\n"? "    with memory(" targets "):" (placement+4 | pass)
pass        = "\n        pass"
targets     = target (", " target)*2
directive   = "\n        " (split | fuse | order | inline | compute_at | rfactor | scatter | hoist | parallel
            | unroll | bind | tensorize)
split       = NAME (", " NAME)+2 " = split(" loop (", " number)+2 ")"
fuse        = NAME " = fuse(" loop (", " loop)+2 ")"
order       = "order(" loops ")"
inline      = ("inline(" | "precompute(") NAME (", " NAME)*4 ")"
compute_at  = "compute_at(" NAME ", " loop ")"
rfactor     = NAME " = rfactor(" loop ")"
scatter     = "scatter(" dotted ")"
hoist       = NAME " = hoist(" dotted (", " number)? ")"
parallel    = "parallel(" loops ")"
unroll      = ("vectorize(" | "unroll(") loops ")"
bind        = "bind(" loops ", \"" tag "\")"
tensorize   = "tensorize(\"" INSTRUCTION "\", " loops ")"
loops       = loop (", " loop)*4
loop        = NAME ("." NAME)?
dotted      = NAME "." NAME
placement   = "\n        " (layout | place | cache | accumulate | fold | reuse)
layout      = "layout(" NAME ", \"" packing "\")"
packing     = NAME (" " NAME)*5 " ->" (" " NAME ("/" factor)? ("%" factor)?)+7
factor      = INTEGER | capital
place       = "place(" NAME ", \"" scope "\"" (", " ("align" | "pad" | "buffers") "=" number)*2 ")"
cache       = "cache(" NAME ", \"" scope "\", at=" loop (", " ("vector" | "buffers" | "pad") "=" number)*2
              (", layout=\"" packing "\"")? ")"
accumulate  = "accumulate(" NAME ", \"" scope "\")"
fold        = "fold(" dotted ", " number ")"
reuse       = "reuse(" NAME ", " NAME ")"
DOC         = ([ !#-\[\]-~] | "\"" [ !#-\[\]-~] | "\\" [\\"])+60
INTEGER     = "0" | [1-9] [0-9]*6
FLOAT       = ("0" | [1-9] [0-9]*4) ("." [0-9]+6 ("e" ("-" | "+")? [0-9]+2)? | "e" ("-" | "+")? [0-9]+2)
EXPONENT    = [2-8]
INSTRUCTION = "wmma.16x16x16" | "dot4"
"""

_KEYWORDS = frozenset(word for word in keyword.kwlist if word.islower())


def _one_of(words: tuple[str, ...]) -> Node:
    return Alt(tuple(Lit(word) for word in words))


def all_rules() -> Rules:
    """Give the rules of the language, `kernel` first.

    Returns:
        The rules by name.
    """
    rules = read_rules(_SOURCE)
    rules |= {
        "dtype": Alt((*(Lit(str(dtype)) for dtype in DType), Ref("capital"))),
        "function": _one_of((*FUNCTIONS, *SATURATING)),
        "reducer": _one_of(REDUCTIONS),
        "target": _one_of(tuple(f'"{target}"' for target in TARGETS)),
        "tag": _one_of(THREAD_TAGS),
        "scope": _one_of(SCOPES),
        "NAME": Word("a-z_", "a-z0-9_", 16, _KEYWORDS | RESERVED),
        "FUNCTION_NAME": Word("a-z_", "a-z0-9_", 24, _KEYWORDS),
        "CAPITAL": Word("A-Z", "A-Z0-9_", 8, frozenset()),
    }
    return rules
