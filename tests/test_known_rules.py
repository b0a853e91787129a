"""Rules that a part of the program knows: what nobody has said to be known is refused."""

import pytest

from uno_pomdp.errors import InvalidAgent
from uno_pomdp.known_rules import PLAIN_RULES, PLAIN_TURNS, check_known, unknown_values
from uno_pomdp.rules import CHOICES, DEFAULTS, Rules


@pytest.mark.parametrize("known", [PLAIN_RULES, PLAIN_TURNS])
def test_what_is_known_are_fields_and_values_of_rules_and_every_default(known: dict[str, tuple[str, ...]]) -> None:
    for field, values in known.items():
        assert set(values) <= set(CHOICES[field])
        assert DEFAULTS[field] in values
    assert unknown_values(Rules(), known) == ()


@pytest.mark.parametrize("field", CHOICES)
def test_a_value_that_is_not_named_is_refused_but_the_default(field: str) -> None:
    nothing: dict[str, tuple[str, ...]] = {}
    for value in CHOICES[field]:
        rules = Rules(**{field: value})  # type: ignore[arg-type]
        if value == DEFAULTS[field]:
            check_known(rules, "it", "play on", nothing)
            continue
        assert unknown_values(rules, nothing) == (f"{field}={value}",)
        with pytest.raises(InvalidAgent, match=f"it does not know the rule {field}={value} yet: play on"):
            check_known(rules, "it", "play on", nothing)
        assert unknown_values(rules, {field: (value,)}) == ()
