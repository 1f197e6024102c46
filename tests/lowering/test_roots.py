"""What a nest of its own gets: scattered sums."""

from tests.lowering.test_rules import lower

GRAPH = """def f(x: f32[300, 24], row: i32[4001] in range(200), col: i32[4001] in range(300)):
    with compute:
        y[r, k]: f32[200, 24] = sum(x[col[e], k] for e in range(4001) if row[e] == r)
        return y
"""


def test_a_scatter_beside_another_axis_is_parallel_over_its_chunks() -> None:
    layers = lower(GRAPH)
    assert "scatter(y_part.r)" in layers
    assert "order(y_part.y_e_o, y_part.k)" in layers
    assert "parallel(y_part.y_e_o)" in layers
