"""Writes out the functions that stood as calls while TVM scheduled, with the lanes that they have got."""

from typing import Any

import tvm
import tvm_ffi
from tvm import tirx

from edgekernelbench.compiler.mathematics import PROGRAMS
from edgekernelbench.compiler.tvm.expressions import Expressions
from edgekernelbench.compiler.tvm.functions import run_program
from edgekernelbench.compiler.tvm.hidden import shown_name
from edgekernelbench.compiler.tvm.metaschedule.expressions import FUNCTION
from edgekernelbench.compiler.tvm.scope import Scope
from edgekernelbench.compiler.tvm.statements import sequence
from edgekernelbench.compiler.tvm.values import Value, number

Node = Any
_LAZY = "tirx.if_then_else"


def write_functions(module: Any) -> Any:
    """Write out all functions; one inside an argument of another gets a statement of its own first.

    TVM's code generator would take time exponential in their depth otherwise (see `compiler.nested`).
    """
    return map_bodies(map_bodies(module, tirx.BufferStore, _apart), tvm.ir.Call, _written)


def map_bodies(module: Any, kind: Any, change: Any) -> Any:
    """Change all nodes of a kind in all functions, inner nodes first."""

    def mapped(function: Any) -> Any:
        return function.with_body(tvm_ffi.structural_map(function.body, (kind, change)))

    return tvm.IRModule({name: mapped(function) for name, function in module.functions.items()})


def _is_function(call: Any) -> bool:
    return shown_name(call).startswith(FUNCTION)


def _apart(store: Any) -> Node:
    """Take a store apart where functions stand in arguments of functions."""
    made: list[Node] = []
    lazy = _has(store.value, lambda call: getattr(call.op, "name", "") == _LAZY)

    def lifted(call: Any) -> Node:
        # What a choice may leave out must not be read before it is made.
        if not _is_function(call) or (lazy and _reads(call)):
            return call
        kind, lanes = _type(call)
        held = tirx.decl_buffer((lanes,), kind, "held", layout=None)
        place = number(0) if lanes == 1 else tirx.Ramp(number(0), number(1), number(lanes))
        made.extend([tirx.AllocBuffer(held), tirx.BufferStore(held, call, [place])])
        return tirx.BufferLoad(held, [place])

    def outer(call: Any) -> Node:
        if not _is_function(call) or not any(_has(arg, _is_function) for arg in call.args):
            return call
        args = [tvm_ffi.structural_map(arg, (tvm.ir.Call, lifted)) for arg in call.args]
        return tirx.call_intrin(call.ty, call.op, *args)

    value = tvm_ffi.structural_map(store.value, (tvm.ir.Call, outer))
    if not made:
        return store
    return sequence([*made, tirx.BufferStore(store.buffer, value, store.indices)])


def _has(node: Node, wanted: Any) -> bool:
    found: list[bool] = []
    tvm_ffi.structural_walk(node, (tvm.ir.Call, lambda call: found.append(wanted(call))))
    return any(found)


def _reads(node: Node) -> bool:
    found: list[Node] = []
    tvm_ffi.structural_walk(node, (tirx.BufferLoad, found.append))
    return bool(found)


def _type(node: Node) -> tuple[str, int]:
    kind, _, lanes = str(node.ty).partition("x")
    return kind, int(lanes or 1)


def _written(call: Any) -> Node:
    if not _is_function(call):
        return call
    program = PROGRAMS[shown_name(call).removeprefix(FUNCTION)]
    args = [Value(arg, *_type(arg)) for arg in call.args]
    return run_program(program, args, lambda node, known: Expressions(Scope({}, known, {})).value(node)).node
