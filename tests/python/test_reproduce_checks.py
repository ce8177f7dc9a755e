"""Checks of claims, on numbers that were made up: each kind holds, fails, and is open."""

import pytest

from tailrace.errors import UsageError
from tailrace.reproduce import checks
from tailrace.reproduce.checks.outcome import Number
from tailrace.reproduce.paper import Outcome, Table
from tailrace.reproduce.toml_keys import Keys, Source
from tailrace.stats.statistics import interval


class Made:
    """Numbers by name, three runs each."""

    def __init__(self, table=None, unit="ms", **values):
        self.values = values
        self.unit = unit
        self._table = table

    def one(self, text, _keys):
        name = text.rpartition("=")[2] if "=" in text else text
        runs = dict(enumerate(self.values[name], start=1))
        return Number(name, self.unit, runs, interval(list(runs.values())))

    def along(self, _text, _parameter, keys):
        return [(name, self.one(name, keys)) for name in self.values]

    def table(self, _name):
        return self._table


def judged(numbers, kind, **keys):
    # A claim's place does not matter here.
    told = Keys(Source("claims.toml", ""), keys, "[[claim]]")
    return checks.KINDS[kind](told, numbers)


def outcome(numbers, kind, **keys):
    return judged(numbers, kind, **keys).outcome


# Mean 100, half width 4.303 (Student's t of two degrees of freedom) times 1 / sqrt 3: 2.484.
NEAR = [99.0, 100.0, 101.0]


@pytest.mark.parametrize(
    ("limits", "wanted"),
    [
        ({"paper": 100, "within": "3 %"}, Outcome.HOLDS),
        ({"paper": 100, "within": "2 %"}, Outcome.OPEN),
        ({"paper": 110, "within": "5 %"}, Outcome.FAILS),
        ({"paper": "0.1 s", "within": "3 ms"}, Outcome.HOLDS),
        ({"at_most": 97}, Outcome.FAILS),
        ({"at_most": "102 ms"}, Outcome.OPEN),
        ({"at_least": 97, "at_most": 103}, Outcome.HOLDS),
    ],
)
def test_a_value_is_judged_by_its_interval(limits, wanted):
    assert outcome(Made(x=NEAR), "value", of="x", **limits) is wanted


def test_a_single_run_is_judged_by_its_value():
    assert outcome(Made(x=[100.0]), "value", of="x", at_most=100) is Outcome.HOLDS


def test_what_no_run_has_fails():
    assert outcome(Made(x=[]), "value", of="x", at_most=1) is Outcome.FAILS


def test_a_ratio_is_taken_run_by_run():
    # By runs 2, 2, 2 although both vary much: the interval has no width.
    numbers = Made(a=[2.0, 20.0, 200.0], b=[1.0, 10.0, 100.0])
    found = judged(numbers, "ratio", of="a", to="b", paper=2, within="1 %")
    assert found.outcome is Outcome.HOLDS
    assert found.ours == "a / b: 2 ± 0"
    assert outcome(numbers, "ratio", of="b", to="a", at_least=1) is Outcome.FAILS


def test_a_ratio_to_nothing_is_beyond_any_limit_but_a_least_one():
    numbers = Made(a=[1.0], b=[0.0])
    assert outcome(numbers, "ratio", of="a", to="b", paper=2, within="50 %") is Outcome.FAILS
    assert outcome(numbers, "ratio", of="a", to="b", at_least=10) is Outcome.HOLDS


def test_a_ratio_is_judged_at_every_value():
    # Along a parameter numbers are made in the order of their names, over themselves: 1.
    numbers = Made(a=[2.0, 3.0], b=[5.0, 4.0])
    found = judged(numbers, "ratio", of="x where queue=red", to="y", along="period", paper=1, within="1 %")
    assert found.outcome is Outcome.HOLDS
    assert found.ours == "x, red / y: 1 ± 0 at a, 1 ± 0 at b"
    found = judged(numbers, "ratio", of="x", to="y", along="period", at_least=2)
    assert found.outcome is Outcome.FAILS
    assert found.ours == "x / y: 1 ± 0 at a (fails), 1 ± 0 at b (fails)"


def test_an_order_is_judged_by_paired_differences():
    # Apart by one in each run, though the values of each spread over hundreds.
    numbers = Made(a=[2.0, 102.0, 302.0], b=[1.0, 101.0, 301.0], c=[0.0, 0.0, 0.0])
    assert outcome(numbers, "order", order=["a", "b", "c"]) is Outcome.OPEN  # 301 down to 1 above 0
    assert outcome(numbers, "order", order=["a", "b"]) is Outcome.HOLDS
    assert outcome(numbers, "order", order=["b", "a"]) is Outcome.FAILS
    assert judged(numbers, "order", order=["a", "b"]).wanted == "a > b"


def test_between_equals_no_order_is_claimed():
    numbers = Made(a=[9.0, 9.0], b=[1.0, 1.0], c=[2.0, 2.0])
    assert outcome(numbers, "order", order=["a", ["b", "c"]]) is Outcome.HOLDS
    assert outcome(numbers, "order", order=["a", "b", "c"]) is Outcome.FAILS
    assert outcome(numbers, "order", of="x", along="queue", order=["a", "c", "b"]) is Outcome.HOLDS


def test_what_is_near_may_stand_either_way():
    numbers = Made(a=[100.0, 100.0], b=[101.0, 101.0])
    found = judged(numbers, "order", order=["a", "b"], ties="2 %")
    assert (found.outcome, found.wanted) == (Outcome.HOLDS, "a > b (or within 2 %)")
    assert outcome(numbers, "order", order=["a", "b"], ties="0.5 %") is Outcome.FAILS
    equal = Made(a=[5.0, 5.0], b=[5.0, 5.0])
    assert outcome(equal, "order", order=["a", "b"]) is Outcome.FAILS


def test_flat_is_little_spread():
    numbers = Made(a=[100.0, 100.0], b=[104.0, 104.0], c=[102.0, 102.0])
    assert outcome(numbers, "flat", of="x", along="period", within="5 %") is Outcome.HOLDS
    assert outcome(numbers, "flat", of="x", along="period", within="3 %") is Outcome.FAILS


def test_monotone_goes_one_way():
    numbers = Made(a=[1.0, 2.0], b=[2.0, 3.0], c=[4.0, 5.0])
    assert outcome(numbers, "monotone", of="x", along="period", direction="rises") is Outcome.HOLDS
    assert outcome(numbers, "monotone", of="x", along="period", direction="falls") is Outcome.FAILS
    dip = Made(a=[100.0, 100.0], b=[99.0, 99.0], c=[120.0, 120.0])
    assert outcome(dip, "monotone", of="x", along="period", direction="rises") is Outcome.FAILS
    assert outcome(dip, "monotone", of="x", along="period", direction="rises", ties="2 %") is Outcome.HOLDS


def test_a_table_counts_what_comes_out():
    keys = Keys(Source("claims.toml", ""), {}, "[[table]]")
    told = Table(
        "t",
        "Table 1",
        "",
        "s",
        (),
        "queue",
        {"x": "x"},
        {"a": [100.0], "b": [50.0], "c": [float("nan")]},
        keys,
    )
    numbers = Made(told, a=[101.0], b=[80.0], c=[1.0])
    found = judged(numbers, "table", table="t", within="10 %")
    assert found.outcome is Outcome.FAILS
    assert found.ours == "1 of 2 within 10 %; not b x 80 ms (50)"
    assert outcome(numbers, "table", table="t", within="10 %", share=0.5) is Outcome.HOLDS
    assert outcome(numbers, "table", table="t", within="10 %", rows=["a"]) is Outcome.HOLDS


@pytest.mark.parametrize(
    ("kind", "keys", "said"),
    [
        ("value", {"of": "x"}, "`paper` with `within`"),
        ("value", {"of": "x", "paper": 1}, "how near is near enough"),
        ("value", {"of": "x", "at_most": "1 Mbit/s"}, "takes a number in ms"),
        ("value", {"of": "x", "at_most": 1, "atmost": 2}, "there is no key `atmost`; did you mean at_most?"),
        ("order", {"order": ["a"]}, "a list of names, largest first"),
        ("monotone", {"of": "x", "along": "y", "direction": "up"}, "rises, falls"),
        ("flat", {"of": "x", "along": "y"}, "how flat is flat"),
        ("ratio", {"of": "x", "to": "x", "paper": 1, "within": "ten %"}, "takes a share"),
    ],
)
def test_a_check_that_is_none_is_said(kind, keys, said):
    with pytest.raises(UsageError) as error:
        judged(Made(x=NEAR, a=NEAR), kind, **keys)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("limits", "wanted"),
    [
        ({"at_most": 3}, Outcome.HOLDS),
        ({"at_most": "2 ms"}, Outcome.FAILS),
        ({"at_most": 2, "runs": 3}, Outcome.FAILS),
        ({"at_most": 2, "runs": 35}, Outcome.OPEN),
    ],
)
def test_intervals_are_no_wider_than(limits, wanted):
    assert outcome(Made(x=NEAR, y=[1.0, 1.0, 1.0]), "precise", of=["x", "y"], **limits) is wanted


def test_the_widest_interval_is_named():
    found = judged(Made(x=NEAR, y=[1.0, 1.0, 1.0]), "precise", of=["y", "x"], at_most=2)
    assert "the widest is x: 100.0 ± 2.5 ms" in found.ours
