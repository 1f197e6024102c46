"""Where the budget of an optimisation goes."""

from edgekernelbench.bench.optimising.plan import next_part, shares
from edgekernelbench.bench.optimising.record import Part


def part(name: str, start: float, *, perfect: float = 0.0, runs: int = 1, searched: bool = False) -> Part:
    return Part(name=name, workload=name, runs=runs, start_ns=start, perfect_ns=perfect, searched=searched)


def test_time_goes_where_a_perfect_kernel_would_save_most() -> None:
    parts = [
        part("near", 900.0, perfect=890.0),
        part("often", 100.0, perfect=40.0, runs=5),
        part("once", 200.0, perfect=100.0),
    ]
    chosen = next_part(parts, 410.0)
    assert chosen is not None
    assert chosen[0].name == "often"
    assert chosen[1] == 410.0 * 300 / 400  # nothing goes to what is at its bound


def test_what_one_search_leaves_goes_to_the_others() -> None:
    parts = [part("a", 300.0, searched=True), part("b", 100.0), part("c", 100.0)]
    assert next_part(parts, 60.0) == (parts[1], 30.0)


def test_nothing_is_searched_for_nothing() -> None:
    assert next_part([part("a", 1000.0, searched=True), part("tiny", 5.0)], 100.0) is None
    assert next_part([part("a", 1000.0)], 4.0) is None
    assert next_part([], 100.0) is None


def test_without_a_bound_all_its_time_could_be_saved() -> None:
    assert Part(name="a", workload="a", runs=2, start_ns=10.0).gain_ns == 20.0


def test_shares_are_of_the_whole_run() -> None:
    assert shares([part("a", 30.0, runs=2), part("b", 40.0)]) == {"a": 0.6, "b": 0.4}
