"""Hashes of layers, and putting one in the place of another."""

import pytest

from edgekernelbench.base.diagnostics import Layer
from edgekernelbench.base.errors import SourceError
from edgekernelbench.lang.layers import layer_hash, replace_layer
from edgekernelbench.lang.parse import parse
from edgekernelbench.lang.printing import print_kernel

SOURCE = '''def gemv(w: const[f32[N, K]], x: f32[K]):
    """y = W x."""
    N, K, NT = 32, 64, choose(8, 16)

    with compute:
        y[n]: f32[N] = sum(w[n, k] * x[k] for k in range(K))
        return y

    with schedule("llvm", "opencl"):
        no, ni = split(y.n, NT)
        parallel(no)

    with schedule("cuda"):
        pass

    with memory("llvm"):
        layout(w, "n k -> n/NT k n%NT")
'''
KERNEL = parse(SOURCE)


def test_a_layer_is_hashed_without_the_others_and_without_names_of_constants() -> None:
    other = parse(SOURCE.replace("NT", "TILE").replace("gemv", "gemv2").replace("y = W x.", "Other words."))
    for layer in (Layer.COMPUTE, Layer.SCHEDULE, Layer.MEMORY):
        assert layer_hash(KERNEL, layer) == layer_hash(other, layer)
    assert layer_hash(KERNEL, Layer.TEXT) != layer_hash(other, Layer.TEXT)


def test_a_changed_constant_changes_just_the_layers_that_use_it() -> None:
    other = parse(SOURCE.replace("choose(8, 16)", "16"))
    assert layer_hash(KERNEL, Layer.COMPUTE) == layer_hash(other, Layer.COMPUTE)
    assert layer_hash(KERNEL, Layer.SCHEDULE, "llvm") != layer_hash(other, Layer.SCHEDULE, "llvm")
    assert layer_hash(KERNEL, Layer.SCHEDULE, "cuda") == layer_hash(other, Layer.SCHEDULE, "cuda")
    assert layer_hash(KERNEL, Layer.MEMORY) != layer_hash(other, Layer.MEMORY)


def test_the_hash_of_compute_includes_the_signature() -> None:
    other = parse(SOURCE.replace("const[f32[N, K]]", "f32[N, K]"))
    assert layer_hash(KERNEL, Layer.COMPUTE) != layer_hash(other, Layer.COMPUTE)


def test_a_schedule_hashes_alike_however_its_targets_share_blocks() -> None:
    assert layer_hash(KERNEL, Layer.SCHEDULE, "llvm") == layer_hash(KERNEL, Layer.SCHEDULE, "opencl")


def test_an_empty_block_hashes_like_none() -> None:
    other = parse(SOURCE.replace('    with schedule("cuda"):\n        pass\n', ""))
    assert layer_hash(KERNEL, Layer.SCHEDULE) == layer_hash(other, Layer.SCHEDULE)


def test_a_block_replaces_what_its_target_had_and_leaves_the_rest() -> None:
    changed = replace_layer(KERNEL, Layer.SCHEDULE, 'with schedule("llvm"):\n    unroll(y.k)\n')
    assert [block.targets for block in changed.schedules] == [("llvm",), ("opencl",), ("cuda",)]
    assert changed.memories == KERNEL.memories
    assert changed.compute == KERNEL.compute
    assert parse(print_kernel(changed)) == changed


def test_a_fragment_can_be_indented_and_bring_constants() -> None:
    text = '    KT = 4 * 2\n    with memory("llvm"):\n        layout(w, "n k -> n/KT k n%KT")\n'
    assert replace_layer(KERNEL, Layer.MEMORY, text) == KERNEL


def test_compute_can_be_replaced_by_a_block_that_reads_the_parameters() -> None:
    text = "with compute:\n    y[n]: f32[32] = sum(x[k] * w[n, k] for k in range(64))\n    return y\n"
    changed = replace_layer(KERNEL, Layer.COMPUTE, text)
    assert changed.compute != KERNEL.compute
    assert (changed.params, changed.schedules, changed.memories) == (
        KERNEL.params,
        KERNEL.schedules,
        KERNEL.memories,
    )


def test_of_a_whole_text_the_layer_is_taken() -> None:
    other = SOURCE.replace("parallel(no)", "unroll(ni)").replace("n/NT k", "k n/NT")
    changed = replace_layer(KERNEL, Layer.SCHEDULE, other)
    assert changed.schedules == parse(other).schedules
    assert changed.memories == KERNEL.memories


@pytest.mark.parametrize(
    ("layer", "text", "message"),
    [
        (Layer.SCHEDULE, 'with memory("llvm"):\n    pass\n', "expected a schedule block, there is none"),
        (Layer.MEMORY, "KT = 4\n", "expected a memory block, there is none"),
        (Layer.SCHEDULE, 'with schedule("llvm"):\n    tile(y.n, 4)\n', "tile is not a directive"),
        (Layer.COMPUTE, "with compute:\n    y: f32 = v[0]\n    return y\n", "nothing is named v"),
        (Layer.COMPUTE, "with compute:\n    y[n]: f32[32] = x\n    return y\n", "x has 1 axis, 0 indices"),
    ],
)
def test_what_does_not_fit_the_layer_is_refused(layer: Layer, text: str, message: str) -> None:
    with pytest.raises(SourceError) as refusal:
        replace_layer(KERNEL, layer, text)
    assert message in str(refusal.value)
    assert refusal.value.diagnostics[0].span.line <= 3
