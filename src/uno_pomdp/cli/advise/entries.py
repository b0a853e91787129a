"""What is typed at the table: who starts, cards, and what either player did."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from uno_pomdp.cards import CardType
from uno_pomdp.cli.ui.parse import ColourWanted, Unclear, parse_action, parse_card
from uno_pomdp.errors import UnoError
from uno_pomdp.game.actions import ACTIONS, DRAW, KEEP, Action
from uno_pomdp.game.layout import FIRST, SECOND, Seat
from uno_pomdp.game.observed_game import ObservedGame

ME: Final = frozenset({"me", "i", "you", "mine"})
OPPONENT: Final = frozenset({"opp", "opponent", "he", "she", "they", "other"})
DREW: Final = frozenset({"d", "draw", "draws", "drew", "take", "takes", "took"})
KEPT: Final = frozenset({"k", "keep", "keeps", "kept", "pass"})
PLAYED: Final = frozenset({"p", "play", "plays", "played"})
NUMBER: Final = re.compile(r"#?([0-9]+)[.)]?")
MOST_WORDS: Final = 3
"""No card has a longer name: `wild draw four`."""


class NotUnderstood(UnoError):
    """A text that says nothing about the game."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One action of either player, as the seat saw it."""

    action: Action
    """What was done."""
    drawn: tuple[CardType, ...] = ()
    """The cards that the seat itself drew."""


def parse_first(text: str) -> Seat:
    """Return the own seat from the answer to who moves first."""
    word = text.strip().lower()
    if word in ME | {"1", "first", "yes", "y"}:
        return FIRST
    if word in OPPONENT | {"2", "second", "no", "n"}:
        return SECOND
    raise NotUnderstood(f"{text.strip()!r} names nobody: write me, or opponent")


def parse_cards(text: str) -> tuple[CardType, ...]:
    """Return the cards that a text lists, with spaces or commas between them."""
    return tuple(card for part in re.split(r"[,;]", text) for card in _cards(part.split()))


def _cards(words: Sequence[str]) -> tuple[CardType, ...]:
    """Return the cards that words name, several words to a card where that works out to the end."""
    if not words:
        return ()
    problem: UnoError | None = None
    for count in range(min(MOST_WORDS, len(words)), 0, -1):
        try:
            return (parse_card(" ".join(words[:count])), *_cards(words[count:]))
        except Unclear as error:
            problem = error if count == 1 or problem is None else problem
    assert problem is not None
    raise problem


def parse_entry(text: str, table: ObservedGame, shown: Callable[[], Sequence[Action]] | None = None) -> Entry:
    """Return what a text says that the player to move did; a number is one of the own moves that are shown."""
    words = text.lower().replace(":", " ", 1 if _names_someone(text) else 0).split()
    own = table.observation.turn == table.seat
    if words and words[0] in ME | OPPONENT and (words.pop(0) in ME) != own:
        raise NotUnderstood("it is your turn, not the opponent's" if own else "it is the opponent's turn, not yours")
    if not words:
        raise NotUnderstood("nothing was entered: write what was done, or ? for help")
    if shown is not None and len(words) == 1 and (number := NUMBER.fullmatch(words[0])):
        return Entry(_numbered(number[1], table, shown() if own else ()))
    if words[0] in KEPT and len(words) == 1:
        return Entry(KEEP)
    if words[0] in DREW:
        rest = [word for word in words[1:] if word not in ("a", "card", "cards", "penalty", "the")]
        return Entry(DRAW, _own_draw(rest, table) if own else _other_draw(rest, table))
    return Entry(_play(" ".join(words[1:] if words[0] in PLAYED else words), table))


def _numbered(digits: str, table: ObservedGame, shown: Sequence[Action]) -> Action:
    """Return the own move with a number; what was drawn a number does not say."""
    if not shown:
        raise NotUnderstood("numbers are those of your own moves: write what the opponent did, as in r5 or draw")
    number = int(digits[:4])
    if not 1 <= number <= len(shown):
        numbers = "the only number is 1" if len(shown) == 1 else f"numbers go from 1 to {len(shown)}"
        raise NotUnderstood(f"no move has the number {digits[:4]}: {numbers}; a card is written as in r5")
    action = shown[number - 1]
    if action == DRAW and table.drawing:
        raise NotUnderstood(f"{number} is draw: say which you drew, as in draw r5")
    return action


def _names_someone(text: str) -> bool:
    return text.lower().partition(":")[0].strip() in ME | OPPONENT


def _own_draw(words: list[str], table: ObservedGame) -> tuple[CardType, ...]:
    if table.drawing and not [word for word in words if not word.isdigit()]:
        raise NotUnderstood("say which you drew: write draw and the cards, as in draw r5 g7")
    return parse_cards(" ".join(words))


def _other_draw(words: list[str], table: ObservedGame) -> tuple[CardType, ...]:
    if not words:
        return ()
    if len(words) > 1 or not words[0].isdigit():
        raise NotUnderstood("you can't see what the opponent draws: write draw alone, or with the number of cards")
    if int(words[0][:4]) != table.drawing:
        raise NotUnderstood(f"the opponent draws {table.drawing} here, not {words[0][:4]}")
    return ()


def _play(text: str, table: ObservedGame) -> Action:
    if not re.search(r"[a-z+]", text):
        raise NotUnderstood(f"{text!r} is no card: write its colour too, as in r5")
    try:
        return parse_action(text, ACTIONS)
    except ColourWanted as wanted:
        if len(table.rules.colours) > 1:
            raise
        return Action.play(wanted.card, table.rules.colours[0])
    except Unclear:
        raise NotUnderstood(
            f"{text!r} is nothing that can be done: write a card (r5, gs, yr, b+2, w red, w4 b), draw or keep"
        ) from None
