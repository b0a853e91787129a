"""Positions and moves explained in a sentence, from what one seat has seen alone: the words of `?`, `why` and hints.

Every function here takes a seat's history or observation, never a game: games that differ in hidden cards alone are
explained by the same words.
"""

from collections.abc import Mapping
from typing import Final

from uno_pomdp.cards import COLOUR_NAMES, WILD_FOUR, Colour, card_name, is_black, rank_of
from uno_pomdp.game.actions import CHALLENGE, DRAW, KEEP, Action
from uno_pomdp.game.events import Challenged, Drew, Kept, Played, Swapped
from uno_pomdp.game.layout import (
    LAST_RESORT,
    OPTIONAL_DRAW,
    PENALTY,
    SKIP_AGAIN,
    SKIPS,
)
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.seat_history import SeatHistory, Step
from uno_pomdp.quantities import count_of

RANKS: Final = {"S": "a skip", "R": "a reverse", "+2": "a +2", "8": "an 8"}
"""Ranks in a sentence, where they are not simply `a 5`."""
MOST_NAMED: Final = 6
"""Of more cards a sentence names the first, and how many there are besides."""


# --- the position ----------------------------------------------------------------------------------------


def position_in_words(history: SeatHistory) -> str:
    """Return the position at hand in a sentence: what is asked for, what can be done and what comes of it."""
    seen = history.now
    if seen.outcome is not None:
        won = {1: "you have won", -1: "you have lost", 0: "it is a draw"}[seen.outcome.result(seen.seat)]
        return f"The game is over: {won} ({seen.outcome.reason})."
    if seen.turn != seen.seat:
        return f"It is the opponent's turn; it holds {count_of(seen.opponent_size, 'card')}."
    return f"{_to_do(seen)}; {_other_hand(seen)}."


def _to_do(seen: Observation) -> str:
    legal = seen.legal_actions()
    cards = _named(legal)
    if seen.penalty:
        owed = f"You owe {count_of(seen.penalty, 'card')} for {card_name(seen.top)}"
        if CHALLENGE in legal and seen.before is not None:
            before = COLOUR_NAMES[seen.before]
            challenged = _challenged(seen, " and you move")
            return (
                f"{owed}: draw them and lose the turn, or challenge: if the opponent still holds {before}, {challenged}"
            )
        if cards:
            return f"{owed}: answer with {cards}, which hands all of it on, or draw them and lose the turn"
        return f"{owed}: all you can do is draw them, and the turn passes"
    if seen.deciding:
        drawn = "a card" if seen.drawn is None else card_name(seen.drawn)
        if KEEP not in legal:
            return f"You drew until {drawn} fitted, and that has to be played"
        if len(legal) == 1:
            return f"You have just drawn {drawn}, which does not fit: all you can do is keep it, and the turn passes"
        return f"You have just drawn {drawn}, which fits: play it, or keep it and the turn passes"
    if not cards:
        return f"Nothing in your hand fits {asked_for(seen)}, so you have to draw {_draw(seen)}"
    instead = ", or draw instead" if DRAW in legal else ""
    only = len({action.card for action in legal if action.card is not None}) == 1
    must = f"{cards} fits and has to be played" if only else f"{cards} fit, and one of them has to be played"
    may = f"{cards} fit{'s' * only}: play {'it' if only else 'one of them'}{instead}"
    asked = _or([*_fitting(seen), "a black card"])
    return f"{asked[:1].upper()}{asked[1:]} is asked for; {may if instead else must}"


def asked_for(seen: Observation) -> str:
    """Return what fits the top card, in words: a colour, and a rank unless the card is black."""
    return _or(_fitting(seen))


def _fitting(seen: Observation) -> list[str]:
    rank = card_name(seen.top)[1:]
    return [COLOUR_NAMES[seen.colour], *([] if is_black(seen.top) else [RANKS.get(rank, f"a {rank}")])]


def _draw(seen: Observation) -> str:
    if seen.draws_until():
        return "until a card fits, and play that"
    asked = seen.asked_by(DRAW)
    cards = "a card" if asked == 1 else count_of(asked, "card")
    return f"{cards}, and {'may play that if it fits' if seen.may_play_drawn else 'the turn passes'}"


def _challenged(seen: Observation, then: str = "") -> str:
    """Return who draws how many cards by a challenge."""
    return f"it draws {seen.asked_by(CHALLENGE, guilty=True)}{then}, if not, you draw {seen.asked_by(CHALLENGE)}"


def _other_hand(seen: Observation) -> str:
    if seen.opponent_size == 1:
        return "the opponent has one card left, and wins with it if it fits"
    return f"the opponent holds {count_of(seen.opponent_size, 'card')}"


# --- a move ----------------------------------------------------------------------------------------------


def effect_of(action: Action, seen: Observation) -> str:
    """Return how a legal action of the seat fits and what comes of it, to follow a colon; from what the seat sees."""
    if action.card is None:
        if action == CHALLENGE:
            held = "" if seen.before is None else COLOUR_NAMES[seen.before]
            return f"if the opponent still holds {held}, {_challenged(seen)}"
        if action == KEEP:
            return "the card stays in your hand, and the turn passes"
        return (
            f"you draw {count_of(seen.penalty, 'card')}, and the turn passes"
            if seen.penalty
            else f"you draw {_draw(seen)}"
        )
    if len(seen.hand) == 1:
        return "it is your last card, and wins"
    return _how_and_what(action, seen, "the opponent")


def _how_and_what(action: Action, seen: Observation, other: str) -> str:
    """Return how a card fits what lay there, and what it does to the other player."""
    return _and([_how_it_fits(action, seen), *_what_it_does(action, seen, other)])


def _how_it_fits(action: Action, seen: Observation) -> str:
    """Return why a card could be played on what lay there; the same from both seats."""
    assert action.card is not None
    if seen.penalty:
        return f"it answers the {seen.penalty} that {'was' if seen.penalty == 1 else 'were'} owed"
    if is_black(action.card):
        return "a black card always fits"
    colour, rank = action.colour == seen.colour, not is_black(seen.top) and rank_of(action.card) == rank_of(seen.top)
    how = "colour and rank" if colour and rank else "colour" if colour else "rank"
    return f"it fits by {how}"


def _what_it_does(action: Action, seen: Observation, other: str) -> list[str]:
    """Return what a card does beyond being played; `seen` is what lay there before it."""
    assert action.card is not None
    told = []
    if action.colour is not None and action.colour != seen.colour:
        told.append(f"makes the colour {COLOUR_NAMES[action.colour]}")
    if owed := int(PENALTY[action.card]):
        told.append(f"leaves {other} owing {count_of(seen.penalty + owed, 'card')}")
    if SKIPS[action.card] and seen.variant & SKIP_AGAIN:
        told.append(f"costs {other} the turn")
    if seen.swaps(action):
        told.append("swaps the hands")
    return told


# --- why the opponent did that ---------------------------------------------------------------------------


def last_of_opponent(history: SeatHistory) -> int | None:
    """Return the number of the opponent's last move, from 0; None if it has not moved."""
    found = [number for number, step in enumerate(history.steps) if step.deed.seat != history.seat]
    return found[-1] if found else None


def public_reason(history: SeatHistory) -> str:
    """Return why the opponent's last move was possible and what it does, from what its adversary has seen alone."""
    number = last_of_opponent(history)
    if number is None:
        return "The opponent has not moved yet."
    before, step = history.before(number), history.steps[number]
    deed = step.deed
    if isinstance(deed, Played):
        return _played(deed, before, step)
    if isinstance(deed, Drew):
        return _drew(deed, before)
    if isinstance(deed, Kept):
        return "The opponent kept the card that it had drawn: it did not fit, or it was worth more in hand."
    assert isinstance(deed, Challenged)
    held = "that colour" if before.before is None else COLOUR_NAMES[before.before]
    right = "rightly: your hand showed it" if deed.guilty else "wrongly: your hand showed none"
    return f"The opponent took you to hold {held} when you played the +4, and challenged it, {right}."


def colours_held(chances: Mapping[Colour, float]) -> str:
    """Return how likely each colour was in the listener's hand, as a sentence about the opponent."""
    told = [f"{COLOUR_NAMES[colour]} was {100 * chance:.0f} %" for colour, chance in chances.items()]
    named = ", ".join([told[0], *(each.replace(" was", "") for each in told[1:])])
    return f"By what it had seen, the chance that you held {named}."


def nothing_weighed(action: Action) -> str:
    """Return what there is to say of the only thing that the opponent could do."""
    why = "The card that it had drawn did not fit" if action == KEEP else "There was nothing to weigh"
    return f"{why}: {action} was all that it could do."


def _played(deed: Played, before: Observation, step: Step) -> str:
    action, after = deed.action, step.observation
    assert action.card is not None
    name = f"The opponent played {action}"
    if after.outcome is not None and after.opponent_size == 0:
        return f"{name}, its last card: {_how_it_fits(action, before)}, and that wins."
    drawn = ", which it had just drawn" if deed.just_drawn else ""
    told = f"{name}{drawn}: {_how_and_what(action, before, 'you')}"
    if action.card == WILD_FOUR and not before.penalty and not before.deciding:
        if before.variant & LAST_RESORT:
            told += f"; by the rules it held no {COLOUR_NAMES[before.colour]} then"
        elif after.before is not None:
            told += f"; whether it still holds {COLOUR_NAMES[after.before]} only a challenge would show"
    if any(isinstance(event, Swapped) for event in step.events):
        return f"{told}; it got your {count_of(after.opponent_size, 'card')} for its own."
    return f"{told}; {count_of(after.opponent_size, 'card')} remain{'s' * (after.opponent_size == 1)} in its hand."


def _drew(deed: Drew, before: Observation) -> str:
    if deed.forgot:
        return f"The opponent forgot to say UNO and drew {count_of(deed.count, 'card')}."
    if before.penalty:
        instead = ": it had no answer, or kept it" if before.answers else ", and had no choice"
        challenge = ": it let the +4 pass without a challenge" if before.before is not None else instead
        return f"The opponent drew the {before.penalty} that it owed{challenge}."
    if before.variant & OPTIONAL_DRAW:
        return f"The opponent drew, which it always may: perhaps nothing fitted {asked_for(before)}, perhaps it waits."
    return f"The opponent drew because nothing that it held fitted {asked_for(before)}, nor was black."


def _named(legal: tuple[Action, ...]) -> str:
    """Return the cards among these actions, each once, in words."""
    names = [card_name(card) for card in dict.fromkeys(action.card for action in legal) if card is not None]
    if len(names) > MOST_NAMED:
        names = [*names[: MOST_NAMED - 1], f"{len(names) - MOST_NAMED + 1} more"]
    return _and(names)


def _and(words: list[str]) -> str:
    return _listed(words, "and")


def _or(words: list[str]) -> str:
    return _listed(words, "or")


def _listed(words: list[str], last: str) -> str:
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))
