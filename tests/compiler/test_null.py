import numpy as np
from tests.compiler.hand import HOST
from tests.compiler.kernels import convolution

from edgekernelbench.compiler.arrays import allocate_buffer
from edgekernelbench.compiler.null import NullCompiler

NEST = convolution(1, 16, 4, 14)


def test_it_answers_zeros_in_a_fixed_time() -> None:
    artifact = NullCompiler(nanoseconds=7).compile(NEST, HOST)
    params = [allocate_buffer(b) for b in NEST.params]
    outputs = [allocate_buffer(b) for b in NEST.outputs]
    outputs[0][...] = np.float32(3)
    assert artifact.executable is not None
    artifact.executable.prepare(params)
    artifact.executable.run(params, outputs)
    assert not outputs[0].any()
    assert artifact.executable.time_batches([params] * 3, [outputs] * 3, repeats=2) == (21, 21)
    assert artifact.cost.code_bytes == 0


def test_it_answers_what_it_is_told() -> None:
    artifact = NullCompiler(lambda nest, params: [params[2].sum() * 0 + 5]).compile(NEST, HOST)
    outputs = [allocate_buffer(b) for b in NEST.outputs]
    assert artifact.executable is not None
    artifact.executable.run([allocate_buffer(b) for b in NEST.params], outputs)
    assert (outputs[0] == 5).all()
