"""The reader of console blocks: what agrees, and what does not."""

from pathlib import Path

from tests.docs.console import agrees, play

PAGE = """
Save this:

```text title="a/b.txt"
three
```

```console
$ cat a/b.txt
three
$ false
$ echo $?
1
$ echo took 12 ms; echo of 3
took 900 ms
of 4
```
"""


def test_an_ellipsis_stands_for_anything() -> None:
    assert agrees("one…three", "one\ntwo\nthree\n")
    assert not agrees("one…three", "one two")


def test_times_and_ratios_may_be_any() -> None:
    assert agrees("0.3989 ms a run, 1.2 times as fast", "12 s a run, 0.5 times as fast")
    assert not agrees("12 loops", "13 loops")


def test_a_page_is_played(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(PAGE, encoding="utf-8")

    (complaint,) = play(page, tmp_path)

    assert complaint.startswith("page.md:14: $ echo took")
    assert "of 3" in complaint
