"""The names of moves say all of them."""

from hypothesis import given
from hypothesis import strategies as st

from edgekernelbench.agents.policy.genome import Genome, Move, genome_of, parse_move, parse_tile, tile_name
from edgekernelbench.lowering.choices import Choices, TileKey

AXES = st.sampled_from(["i", "j", "k"])
TILES = st.builds(TileKey, AXES, st.integers(1, 64)) | st.builds(
    TileKey, AXES, st.integers(1, 64), AXES, st.integers(2, 16)
)


@given(TILES)
def test_a_tile_is_read_back_from_its_name(key: TileKey) -> None:
    assert parse_tile(tile_name(key)) == key


def test_a_move_is_read_back_from_its_name() -> None:
    for move in (Move("rewrite", "dots"), Move("tasks", "", "8"), Move("layout", "w", "k c -> k/4 c k%4")):
        assert parse_move(str(move)).kind == move.kind
    layout = Move("layout", "w", "k c -> k/4 c k%4")
    assert parse_move(str(layout)) == layout


def test_a_history_is_put_together_in_its_order() -> None:
    names = ["rewrite:widen", "tile:acc:k.32.j.8", "few:*:8", "keep:pad", "inline:pad", "tile:acc:k.64"]
    genome = genome_of(names)
    assert genome.rewrites == ("widen",)
    assert genome.choices.tiles == {"acc": TileKey("k", 64)}
    assert genome.choices.few == {"*": 8}
    assert (genome.choices.keep, genome.choices.inline) == (frozenset(), frozenset({"pad"}))


def test_every_kind_of_move_changes_a_decision() -> None:
    moves = [
        "lanes:s:2", "few:s:4", "steps:s:4", "rules:s:1", "first:s:j", "apart:s", "keep:s", "inline:s",
        "alone:s", "shared:s", "tasks::2", "layout:w:a b -> b a", "tile:s:j.16", "rewrite:dots", "double:*",
    ]  # fmt: skip
    for name in moves:
        assert genome_of([name]) != Genome(), name
    assert genome_of(["tasks::2"]).choices == Choices(tasks=2)
