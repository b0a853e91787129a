"""Rules in words, for the players: a subject and a sentence for each."""

from typing import Final

from uno_pomdp.cards import WILD_FOUR_RANK
from uno_pomdp.game.kernels import cards_asked, draws_until
from uno_pomdp.game.layout import CHALLENGE, DRAW, variant_bits
from uno_pomdp.rules import OWED_FOR, Rules

OWED: Final = {
    "no": "the other draws and loses the turn; nothing can be put on it",
    "same": "the other draws and loses the turn, or puts +2 on +2, +4 on +4",
    "rising": "the other draws and loses the turn, or puts +2 on +2, +4 on both",
}
"""What a debt is, in words."""


def rules_in_words(rules: Rules) -> tuple[tuple[str, str], ...]:
    """Return what holds under these rules: what each is about, and what it says."""
    four = "; +4 only without the active colour" if rules.wild_four == "last_resort" else ""
    variant = variant_bits(rules)
    cards = {1: "one card"}.get(count := cards_asked(DRAW, 0, False, variant), f"{count} cards")
    drawn = "" if draws_until(DRAW, 0, variant) else f": {cards}, {rules.meaning('drawn_card')}"
    words = [
        ("skip, reverse", rules.meaning("skip")),
        ("+2, +4", OWED[rules.stack]),
        ("wild, wild +4", f"you choose the colour{four}"),
        ("draw", f"{rules.meaning('draw')}{drawn}"),
        ("empty deck", rules.meaning("reshuffle")),
    ]
    if rules.wild_four == "challenge":
        right, wrong = (cards_asked(CHALLENGE, OWED_FOR[WILD_FOUR_RANK], guilty, variant) for guilty in (True, False))
        words.append(("challenge +4", f"you see the hand: with the old colour it draws {right}, else you {wrong}"))
    if rules.first_card == "acts":
        words.append(("first card", rules.meaning("first_card")))
    if rules.swap == "seven_zero":
        words.append(("7, 0", "the hands are swapped"))
    return tuple(words)
