"""Stored answers, judged again."""

from pathlib import Path

import pytest
from tests.tiny import make_catalogue, tiny_experiment, write_texts

from edgekernelbench.base.errors import RecordError
from edgekernelbench.bench.again import judge_again
from edgekernelbench.bench.run import continue_run, start_run
from edgekernelbench.metrics.failures import failure_kind
from edgekernelbench.workloads.catalogue import load_catalogue


def test_another_compiler_judges_the_same_answers(tmp_path: Path) -> None:
    known = load_catalogue(make_catalogue(tmp_path / "catalogue"))
    texts = write_texts(tmp_path / "texts", tmp_path / "catalogue")
    experiment = tiny_experiment(texts, tmp_path / "catalogue", k=1)
    few = experiment.model_copy(update={"workloads": experiment.workloads[:4]})
    first = start_run(tmp_path / "first", few, known)
    continue_run(first, catalogue=known)

    second = judge_again(first, tmp_path / "second", {"compiler": "c"}, known)
    continue_run(second, catalogue=known)

    assert second.attempts() == first.attempts()
    kinds = {name: failure_kind(j.outcome) for name, j in second.judgements().items()}
    assert sorted(kinds.values()) == ["correct", "rejected C08", "rejected P02", "wrong values"]
    assert {j.compiler for j in second.judgements().values()} == {"c"}
    with pytest.raises(RecordError, match="holds a run already"):
        judge_again(first, tmp_path / "second", {}, known)
