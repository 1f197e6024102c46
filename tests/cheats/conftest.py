"""A judge with a real compiler over two tiny workloads."""

from collections.abc import Iterator

import pytest
from tests.tiny import make_catalogue

from edgekernelbench.evaluator.judge import Judge
from edgekernelbench.evaluator.messages import Limits
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.workloads.catalogue import Catalogue, load_catalogue


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    return load_catalogue(make_catalogue(tmp_path_factory.mktemp("cheats")))


@pytest.fixture(scope="session")
def judge() -> Iterator[Judge]:
    limits = Limits(deadline_s=30.0, run_s=2.0, memory_bytes=2 << 30, files=64, file_bytes=64 << 20)
    with Judge(load_profile("llvm"), compiler="c", limits=limits) as judge:
        yield judge
