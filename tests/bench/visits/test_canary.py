from pathlib import Path

from edgekernelbench.bench.visits.canary import Canaries


def test_a_file_that_is_opened_is_noted_once_and_others_are_not(tmp_path: Path) -> None:
    with Canaries() as canaries:
        for name in ("one", "other"):
            canaries.make(tmp_path / name, name)
        (tmp_path / "one").stat()
        assert canaries.touched() == ()
        for _ in range(3):
            (tmp_path / "one").read_bytes()
        assert canaries.touched(["nothing of it"]) == ("one",)
        (tmp_path / "other").unlink()
        assert canaries.touched() == ("one",)


def test_the_mark_of_one_visit_is_not_that_of_another(tmp_path: Path) -> None:
    with Canaries() as canaries, Canaries() as others:
        canaries.make(tmp_path / "one", "one")
        text = f"I found {canaries.mark}"
        assert canaries.touched([text]) == ("said",)
        assert others.touched([text]) == ()


def test_a_file_that_is_not_there_is_not_watched(tmp_path: Path) -> None:
    with Canaries() as canaries:
        canaries.watch(tmp_path / "none", "none")
        assert canaries.touched() == ()
