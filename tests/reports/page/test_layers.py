"""Where the layers of a text stand."""

from edgekernelbench.reports.page.layers import Part, parts_of

TEXT = """def f(x: f32[N]):
    N = 4

    with compute:
        return x

    with schedule("llvm"):
        parallel(x.i)

    with schedule("cuda", "opencl"):
        pass
    with memory('llvm'):
        place(x, "local")
"""


def test_each_layer_has_its_lines_and_compute_has_the_head() -> None:
    assert parts_of(TEXT, "llvm") == (
        Part("compute", (), 0, 5),
        Part("schedule", ("llvm",), 6, 8),
        Part("memory", ("llvm",), 11, 13),
    )


def test_blocks_of_other_targets_are_left_out() -> None:
    assert [part.layer for part in parts_of(TEXT, "opencl")] == ["compute", "schedule"]


def test_a_text_that_is_no_kernel_is_all_compute() -> None:
    assert parts_of("import torch\n\nx = 1\n", "llvm") == (Part("compute", (), 0, 3),)
    assert parts_of("", "llvm") == (Part("compute", (), 0, 0),)


def test_a_block_without_a_compute_block_before_it_is_its_own_layer() -> None:
    assert parts_of("def f():\n  with memory(llvm):\n    pass", "llvm") == (
        Part("compute", (), 0, 1),
        Part("memory", (), 1, 3),
    )
