"""Facts of a machine, read from files like those of the kernel."""

from pathlib import Path

import pytest

from edgekernelbench.profiles.host import read_host, vector_registers


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        ({"sse2", "avx2", "avx512f"}, (64, 32)),
        ({"sse2", "avx2"}, (32, 16)),
        ({"fp", "asimd"}, (16, 32)),
        (set(), (16, 16)),
    ],
    ids=["avx512", "avx2", "arm64", "unknown"],
)
def test_vectors_follow_the_features(features: set[str], expected: tuple[int, int]) -> None:
    assert vector_registers(frozenset(features)) == expected


def test_the_shared_cache_is_left_out(tmp_path: Path) -> None:
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("processor\t: 0\nflags\t\t: fpu sse2 avx2\n")
    for number, (level, kind, size) in enumerate(
        [
            ("1", "Data", "32K"),
            ("1", "Instruction", "32K"),
            ("2", "Unified", "512K"),
            ("3", "Unified", "16384K"),
        ]
    ):
        index = tmp_path / "cache" / f"index{number}"
        index.mkdir(parents=True)
        for name, value in (("level", level), ("type", kind), ("size", size)):
            (index / name).write_text(value + "\n")
    host = read_host(cpuinfo, tmp_path / "cache")
    assert (host.vector_bytes, host.cache_bytes) == (32, (32 * 1024, 512 * 1024))


def test_a_machine_that_says_nothing_gets_the_least(tmp_path: Path) -> None:
    host = read_host(tmp_path / "no", tmp_path / "none")
    assert (host.vector_bytes, host.vector_registers, host.cache_bytes) == (16, 16, (32768, 524288))
    assert host.threads >= 1
