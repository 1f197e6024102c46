"""Requests and usages."""

from tests.agents.support import ask

from edgekernelbench.agents.models.protocol import Usage


def test_usages_add_up_and_one_estimate_makes_the_sum_one() -> None:
    total = Usage(10, 4, 5, 2) + Usage(1, 0, 3, 0, estimated=True)
    assert total == Usage(11, 4, 8, 2, estimated=True)
    assert total.total == 19


def test_a_request_as_json_has_all_that_shapes_the_answer() -> None:
    row = ask("hello", max_tokens=7, temperature=0.5, seed=3, grammar="g", sample=2).as_json()
    assert row == {
        "messages": [{"role": "system", "content": "rules"}, {"role": "user", "content": "hello"}],
        "max_tokens": 7,
        "temperature": 0.5,
        "seed": 3,
        "grammar": "g",
        "sample": 2,
    }
