"""What a page needs to let a person tap the next entry of a game at a real table: the question, or what can be done.

Nothing is decided here: what is tapped is read and checked as if it had been typed.
"""

from collections.abc import Iterable
from typing import Any, Final

from uno_pomdp.advise.questions import from_the_deal, from_the_middle
from uno_pomdp.advise.start import Start
from uno_pomdp.beliefs.belief import Belief
from uno_pomdp.cards import COLOUR_NAMES, Cards, CardType, card_name, colour_of, is_black
from uno_pomdp.game.actions import CHALLENGE, DRAW, FORGOT_UNO, Action
from uno_pomdp.game.layout import OPTIONAL_DRAW, PENALTY, PLAYABLE, RESHUFFLE
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.observed_game import ObservedGame
from uno_pomdp.quantities import count_of

ANSWERED_BY: Final = {
    "first": "who",
    "turn": "who",
    "hand": "cards",
    "top": "card",
    "colour": "colour",
    "owed": "number",
    "before": "colour",
    "opponent": "number",
    "pile": "number",
    "played": "cards",
}
"""By the name of a question: what is tapped for an answer."""


TAPPED: Final = {
    "first": ("{first}", "The game has begun already? Then say how it stands now."),
    "turn": ("Whose turn is it?", "Begin where nobody decides about a card just drawn."),
    "hand": (
        "Which {hand} do you hold?",
        "Tap a card once for each copy of it. Tap it above the others to put it back.",
    ),
    "top": ("Which card lies on top?", "The card that has to be matched."),
    "colour": ("Which colour was declared with it?", "The colour that has to be matched now."),
    "owed": ("How many cards does the player to move owe for it?", "0 if they were drawn already."),
    "before": ("Which colour was active before the wild +4?", "A challenge would show whether a card of it was held."),
    "opponent": ("How many cards does the opponent hold?", "Count the backs in the other hand."),
    "pile": ("How many cards are in the draw pile?", "A guess will do until the next reshuffle."),
    "played": ("Which of the {below} cards below the top do you know?", "Those that you remember; none will do."),
}
"""By the name of a question: how it is asked of a person who taps, and what helps to answer it."""


def question_json(start: Start) -> dict[str, Any]:
    """Return the question that is asked next: its words, what answers it, and within which bounds."""
    name = start.next
    assert name is not None
    least, most, usual = _bounds(start, name)
    words, help_words = TAPPED[name]
    below = start.below if name == "played" else 0
    hand = count_of(least, "card") if least == most else "cards"
    return {
        "name": name,
        "words": words.format(first=start.first_question.partition(", me or")[0] + "?", hand=hand, below=below),
        "help": help_words,
        "kind": ANSWERED_BY[name],
        "least": least,
        "most": most,
        "usual": usual,
        "may_begin_in_the_middle": name == "first",
        "colours": [COLOUR_NAMES[colour] for colour in start.rules.colours],
        "left": counts(_not_told(start)),
    }


def _bounds(start: Start, name: str) -> tuple[int, int, int]:
    """Return how few and how many cards an answer names, or the range of its number, and a usual value."""
    rules, deck = start.rules, len(start.rules.deck)
    if name == "hand" and not start.middle:
        return rules.hand_size, rules.hand_size, rules.hand_size
    if name == "hand":
        return 1, deck - 2, rules.hand_size
    if name == "played":
        return 0, start.below, 0
    if name == "owed":
        return 0, deck, int(PENALTY[start.top])
    if name == "opponent":
        return 1, start.left, min(rules.hand_size, start.left)
    if name == "pile":
        left = start.left - int(start.values["opponent"])
        return 0, left, left
    return 1, 1, 1


def _not_told(start: Start) -> Cards:
    """Return the cards of the deck that no answer has named yet."""
    cards = start.rules.deck
    if "hand" in start.values:
        cards = cards - start.hand
    return cards - Cards.of([start.top]) if "top" in start.values else cards


def start_before(start: Start, number: int) -> Start:
    """Return a start as it was after so many of its answers."""
    before = from_the_middle(start.rules) if start.middle else from_the_deal(start.rules)
    for text in list(start.texts.values())[:number]:
        before.answer(text)
    return before


def counts(cards: Cards) -> dict[str, int]:
    """Return how many of each card there are."""
    return {card_name(card): cards[card] for card in cards.types()}


# --- in the game -----------------------------------------------------------------------------------------


def offers_json(table: ObservedGame, seen: Observation, belief: Belief | None) -> dict[str, Any]:
    """Return what can be entered in a position of a game; `belief` is that of the position, None once it is over."""
    own = seen.turn == seen.seat
    reshuffles = bool(seen.variant & RESHUFFLE)
    return {
        "colours": [COLOUR_NAMES[colour] for colour in table.rules.colours],
        "left": counts(seen.unseen(table.rules)),
        "back": counts(seen.played - Cards.of([seen.top])) if reshuffles else {},
        "draw": _draw(seen),
        "swaps": _named(
            card for card in table.rules.deck.types() if not is_black(card) and seen.swaps(Action.play(card))
        ),
        "got": seen.opponent_size - (not own),
        "challenge": _challenge(seen),
        "forgot": _forgot(seen),
        "theirs": None if own or belief is None else _theirs(table, seen, belief),
    }


def _draw(seen: Observation) -> dict[str, Any]:
    """Return how many cards a draw brings; one that goes on until a card fits, at most so many."""
    until = seen.draws_until()
    fitting = _types(int(PLAYABLE[seen.colour, seen.top])) if until else ()
    return {"count": seen.available if until else _brings(seen, DRAW), "until": until, "ends": _named(fitting)}


def _brings(seen: Observation, action: Action, guilty: bool = False) -> int:
    """Return how many cards an action brings who draws for it; 0 where the piles can't give them."""
    number = seen.asked_by(action, guilty)
    return number if number <= seen.available else 0


def _challenge(seen: Observation) -> dict[str, Any] | None:
    """Return what a challenge would show and cost; None where none is open."""
    if seen.before is None:
        return None
    return {
        "colour": COLOUR_NAMES[seen.before],
        "own_lie": any(colour_of(card) == seen.before for card in seen.hand),
        "right": _brings(seen, CHALLENGE, guilty=True),
        "wrong": _brings(seen, CHALLENGE),
    }


def _forgot(seen: Observation) -> dict[str, Any]:
    """Return who can have forgotten to say UNO, and how many cards it costs."""
    number = min(seen.asked_by(FORGOT_UNO), seen.available)
    quiet = seen.outcome is None and not seen.deciding

    def may(size: int, seat: int) -> bool:
        return quiet and size == 1 and (seen.before is None or seat == seen.turn)

    return {
        "me": number if may(len(seen.hand), seen.seat) else None,
        "opponent": number if may(seen.opponent_size, 1 - seen.seat) else None,
    }


def _theirs(table: ObservedGame, seen: Observation, belief: Belief) -> dict[str, Any]:
    """Return what the opponent can have done: cards that fit, with how likely each is held, and the rest."""
    has = belief.probabilities()
    fitting = int(PLAYABLE[seen.colour, seen.top])
    if seen.penalty:
        fitting &= seen.answers
    unseen = seen.unseen(table.rules)
    cards = {card_name(card): float(has[card]) for card in _types(fitting) if unseen[card]}
    may = bool(seen.penalty or seen.variant & OPTIONAL_DRAW or belief.nothing_playable() > 0)
    return {
        "cards": cards,
        "draw": may and not seen.deciding,
        "keep": seen.deciding and not seen.must_play_drawn,
        "challenge": seen.before is not None,
        "deciding": seen.deciding,
    }


def _types(mask: int) -> tuple[CardType, ...]:
    return tuple(card for card in range(mask.bit_length()) if mask >> card & 1)


def _named(cards: Iterable[CardType]) -> list[str]:
    return [card_name(card) for card in cards]
