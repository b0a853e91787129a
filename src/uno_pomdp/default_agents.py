"""Who plays against a person and who advises, unless another agent is named: by the rules of the game."""

from typing import Final

from uno_pomdp.rules import Rules

OPPONENT: Final = "flat:ms=50"
"""The default opponent of a person, under rules without a champion: no other search was measured to be stronger."""
SUSPICIOUS: Final = "flat:ms=50,belief=particles,model=heuristic"
"""The same where a +4 can be challenged: what was played tells of lies, and a belief that weighs it plays better."""
COACH: Final = "flat:sims=50000"
"""The default coach there; its budget is in simulations, so that a review can be repeated."""
SUSPICIOUS_COACH: Final = "flat:sims=50000,belief=particles,model=heuristic,cache=yes"
"""The same where a +4 can be challenged."""
CHAMPION_OPPONENT: Final = "champion:ms=50"
"""The default opponent of a person, under rules with a champion."""
CHAMPION_COACH: Final = "champion:sims=16000,trust=0"
"""The default coach there: by values alone, without the net's prior, as a review does."""


def opponent_for(rules: Rules) -> str:
    """Return the default opponent of a person."""
    if _has_champion(rules):
        return CHAMPION_OPPONENT
    return SUSPICIOUS if rules.wild_four == "challenge" else OPPONENT


def coach_for(rules: Rules, all_known: bool = True) -> str:
    """Return the default coach, which advises and reviews; a champion has to know all played cards."""
    if all_known and _has_champion(rules):
        return CHAMPION_COACH
    return SUSPICIOUS_COACH if rules.wild_four == "challenge" else COACH


def _has_champion(rules: Rules) -> bool:
    from uno_pomdp.nets.pretrained import pretrained_rules

    return rules.name in pretrained_rules()
