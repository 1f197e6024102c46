"""GRU and LSTM nodes of ONNX step by step: TVM's reader has neither.

What PyTorch exports is covered: forward, one direction, standard activations, whole sequences. Other nodes
stay as they are, and are named as what TVM does not read.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

GATES = {"GRU": 3, "LSTM": 4}
FIRST_OPSET = 13
"""From here on `Split`, `Squeeze` and `Unsqueeze` take sizes and axes as inputs."""
REFUSED = ("activations", "clip", "activation_alpha", "activation_beta")


def unrolled(model: Any) -> Any:
    """Write the recurrent nodes of a model as operators that TVM reads.

    Args:
        model: An ONNX model whose sizes are numbers.

    Returns:
        A model with other nodes; the same object where there is nothing to do.
    """
    import onnx  # noqa: PLC0415 - half a second

    versions = [entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")]
    if versions[0] < FIRST_OPSET or not any(node.op_type in GATES for node in model.graph.node):
        return model
    known = onnx.shape_inference.infer_shapes(model).graph
    shapes = {
        value.name: [dim.dim_value for dim in value.type.tensor_type.shape.dim]
        for value in (*known.input, *known.value_info, *known.output)
    }
    fresh = onnx.ModelProto()
    fresh.CopyFrom(model)
    del fresh.graph.node[:]
    for number, node in enumerate(model.graph.node):
        steps = shapes.get(node.input[0], [0])[0] if node.op_type in GATES else 0
        if node.op_type in GATES and steps and _is_plain(node):
            writer = _Writer(f"{node.name or node.op_type}_{number}", node, steps)
            fresh.graph.node.extend(writer.nodes())
            fresh.graph.initializer.extend(writer.numbers)
        else:
            fresh.graph.node.append(node)
    return fresh


def _is_plain(node: Any) -> bool:
    attributes = {a.name: a for a in node.attribute}
    forward = "direction" not in attributes or attributes["direction"].s == b"forward"
    flags = {name: attributes[name].i for name in ("layout", "input_forget") if name in attributes}
    after = "linear_before_reset" in attributes and attributes["linear_before_reset"].i == 1
    inputs = [*node.input, *[""] * (8 - len(node.input))]
    return (
        forward
        and not any(flags.values())
        and not any(name in attributes for name in REFUSED)
        and (node.op_type == "LSTM" or after)
        and not inputs[4]
        and bool(inputs[3])
        and not inputs[7]
    )


class _Writer:
    """Writes one recurrent node as its steps."""

    def __init__(self, name: str, node: Any, steps: int) -> None:
        self._name = name
        self._node = node
        self._steps = steps
        self._kind: str = node.op_type
        self._hidden = next(a.i for a in node.attribute if a.name == "hidden_size")
        self._count = 0
        self._made: list[Any] = []
        self._constants: dict[tuple[int, ...], str] = {}
        self.numbers: list[Any] = []

    def nodes(self) -> Iterator[Any]:
        """Give the nodes, in order; the last ones give the outputs of the node that they replace."""
        x, w, r, bias = self._node.input[:4]
        given = [*self._node.input, *[""] * (7 - len(self._node.input))]
        both = self._parts(
            self._op("Squeeze", bias, self._ints(0)), [GATES[self._kind] * self._hidden] * 2, 0
        )
        ahead = self._op("Add", self._op("MatMul", x, self._turned(w)), both[0])
        weights, states, c = self._turned(r), [], ""
        h = self._state(given[5], x)
        if self._kind == "LSTM":
            c = self._state(given[6], x)
        for step in range(self._steps):
            part = self._op("Slice", ahead, self._ints(step), self._ints(step + 1), self._ints(0))
            gates = self._op("Squeeze", part, self._ints(0))
            back = self._op("Add", self._op("MatMul", h, weights), both[1])
            if self._kind == "GRU":
                h = self._gru(gates, back, h)
            else:
                h, c = self._lstm(self._op("Add", gates, back), c)
            states.append(self._op("Unsqueeze", h, self._ints(0)))
        self._give(states, h, c)
        yield from self._made

    def _gru(self, gates: str, back: str, h: str) -> str:
        z, r, n = self._parts(gates, [self._hidden] * 3, 1)
        back_z, back_r, back_n = self._parts(back, [self._hidden] * 3, 1)
        z = self._op("Sigmoid", self._op("Add", z, back_z))
        r = self._op("Sigmoid", self._op("Add", r, back_r))
        n = self._op("Tanh", self._op("Add", n, self._op("Mul", r, back_n)))
        return self._op("Add", n, self._op("Mul", z, self._op("Sub", h, n)))

    def _lstm(self, gates: str, c: str) -> tuple[str, str]:
        i, o, f, new = self._parts(gates, [self._hidden] * 4, 1)
        kept = self._op("Mul", self._op("Sigmoid", f), c)
        c = self._op("Add", kept, self._op("Mul", self._op("Sigmoid", i), self._op("Tanh", new)))
        return self._op("Mul", self._op("Sigmoid", o), self._op("Tanh", c)), c

    def _give(self, states: list[str], h: str, c: str) -> None:
        whole = self._op("Concat", *states, axis=0)
        finals = ((whole, 1), (h, 0), (c, 0))
        for output, (value, axis) in zip(self._node.output, finals, strict=False):
            if output:
                self._op("Unsqueeze", value, self._ints(axis), output=output)

    def _state(self, given: str, x: str) -> str:
        """Take the state to begin with; zeros where none is given."""
        if given:
            return self._op("Squeeze", given, self._ints(0))
        batch = self._op("Slice", self._op("Shape", x), self._ints(1), self._ints(2), self._ints(0))
        return self._op("ConstantOfShape", self._op("Concat", batch, self._ints(self._hidden), axis=0))

    def _turned(self, weights: str) -> str:
        return self._op("Transpose", self._op("Squeeze", weights, self._ints(0)), perm=[1, 0])

    def _parts(self, value: str, sizes: list[int], axis: int) -> list[str]:
        from onnx import helper  # noqa: PLC0415 - half a second

        outputs = [self._fresh() for _ in sizes]
        self._made.append(
            helper.make_node("Split", [value, self._ints(*sizes)], outputs, self._name, axis=axis)
        )
        return outputs

    def _op(self, kind: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        from onnx import helper  # noqa: PLC0415 - half a second

        name = output or self._fresh()
        self._made.append(helper.make_node(kind, list(inputs), [name], self._name, **attributes))
        return name

    def _fresh(self) -> str:
        self._count += 1
        return f"{self._name}/{self._count}"

    def _ints(self, *values: int) -> str:

        from onnx import numpy_helper  # noqa: PLC0415 - half a second

        if values not in self._constants:
            self._constants[values] = self._fresh()
            tensor = numpy_helper.from_array(np.array(values, np.int64), self._constants[values])
            self.numbers.append(tensor)
        return self._constants[values]
