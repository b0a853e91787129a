"""What is compiled before a deal is shown."""

import pytest

from uno_pomdp.registry import AgentSpec
from uno_pomdp.rules import PRESETS, preset
from uno_pomdp.web import preparing
from uno_pomdp.web.opponents import OFFERED, options_json


def test_an_agent_is_prepared_once_whatever_its_budget_and_with_a_small_one(monkeypatch: pytest.MonkeyPatch) -> None:
    played: list[str] = []
    monkeypatch.setattr(preparing, "_done", {})
    monkeypatch.setattr(preparing, "_play", lambda spec, _: played.append(spec.text))
    for text in ("flat:ms=4000", "flat:ms=20", "flat:ms=20,belief=uniform", "greedy", "greedy"):
        preparing.prepare(text, preset("house"))
    preparing.prepare("greedy", preset("party"))
    assert played == ["flat:sims=200", "flat:sims=200,belief=uniform", "greedy", "greedy"]


def test_what_is_remembered_does_not_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preparing, "_done", {})
    monkeypatch.setattr(preparing, "_play", lambda *_: None)
    monkeypatch.setattr(preparing, "REMEMBERED", 3)
    for rules in PRESETS:
        preparing.prepare("greedy", preset(rules))
    assert len(preparing._done) == 3


def test_every_opponent_that_is_offered_can_be_prepared_under_rules_that_it_knows() -> None:
    known = {each["name"]: each["rules"] for each in options_json()["opponents"]}
    for text in OFFERED:
        assert AgentSpec.parse(text).text == text
        preparing.prepare(text, preset(known[text][-1]))
