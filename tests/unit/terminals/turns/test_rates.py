"""How often somebody may do something."""

from __future__ import annotations

from jupyter_cabinet.terminals.turns.rates import Rates


def test_a_rate_lets_through_as_many_as_it_says_in_any_stretch():
    rates = Rates(2, 1.0)
    allowed = [rates.allows("ada", now) for now in (0.0, 0.5, 0.9, 1.1, 1.2, 1.6)]
    assert allowed == [True, True, False, True, False, True]


def test_a_rate_is_each_persons_own_and_who_has_gone_is_forgotten():
    rates = Rates(1, 1.0)
    assert [rates.allows(name, 0.0) for name in ("ada", "ben", "ada")] == [True, True, False]
    assert rates.allows("cleo", 5.0)
    assert list(rates._times) == ["cleo"]
