"""What is typed at the table: who starts, cards, and what either player did."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from uno_pomdp.cards import COLOUR_NAMES, COLOURS, Cards, CardType, Colour, card_name
from uno_pomdp.errors import UnoError, quoted
from uno_pomdp.game.actions import ACTIONS, CHALLENGE, DRAW, FORGOT_UNO, KEEP, Action
from uno_pomdp.game.layout import FIRST, SECOND, Seat
from uno_pomdp.game.observed_game import ObservedGame
from uno_pomdp.quantities import count_of
from uno_pomdp.session.parse import ColourWanted, Unclear, parse_action, parse_card

ME: Final = frozenset({"me", "i", "you", "mine"})
OPPONENT: Final = frozenset({"opp", "opponent", "he", "she", "they", "other"})
DREW: Final = frozenset({"d", "draw", "draws", "drew", "take", "takes", "took"})
KEPT: Final = frozenset({"k", "keep", "keeps", "kept", "pass"})
PLAYED: Final = frozenset({"p", "play", "plays", "played"})
CHALLENGED: Final = frozenset({"c", "challenge", "challenges", "challenged", "doubt", "doubts", "doubted"})
SHOWED: Final = frozenset({"show", "shows", "showed", "shown", "sees", "saw"})
GOT: Final = frozenset({"get", "gets", "got", "for", "swap", "swaps", "swapped"})
NONE_FITS: Final = frozenset({"none", "nothing", "all", "exhausted"})
FORGOT: Final = frozenset({"forgot", "forgets", "forget", "forgotten"})
SAY_UNO: Final = frozenset({"uno", "to", "say", "said", "call", "saying", "his", "her", "their", "my"})
FILLERS: Final = frozenset({"a", "card", "cards", "penalty", "the", "and", "fits", "fit"})
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
    shown: Cards | None = None
    """The hand that the own challenge showed, or that the seat got by a swap."""
    count: int | None = None
    """How many cards the opponent drew until one was playable."""
    ended: bool = False
    """Whether none of them was, for there were no more."""
    by_me: bool | None = None
    """Whether it was the seat itself that forgot to say UNO; None where nobody did."""

    def __str__(self) -> str:
        """Return it as it can be typed."""
        words = [str(self.action)]
        if self.by_me is not None:
            words = ["me forgot uno" if self.by_me else "opponent forgot uno"]
        if self.shown is not None:
            words += ["shows" if self.action == CHALLENGE else "got", str(self.shown)]
        if self.drawn and self.action == CHALLENGE:
            words.append("draw")
        words += map(card_name, self.drawn)
        if self.count is not None:
            words += [str(self.count), *["none"] * self.ended]
        return " ".join(words)


def parse_first(text: str) -> Seat:
    """Return the own seat from the answer to who moves first."""
    word = text.strip().lower()
    if word in ME | {"1", "first", "yes", "y"}:
        return FIRST
    if word in OPPONENT | {"2", "second", "no", "n"}:
        return SECOND
    raise NotUnderstood(f"{quoted(text.strip())} names nobody: write me, or opponent")


def parse_colour(text: str) -> Colour:
    """Return the colour that a text names, by its word or its first letter."""
    word = text.strip().lower()
    for colour in COLOURS:
        if word in (COLOUR_NAMES[colour], COLOUR_NAMES[colour][0]):
            return colour
    raise NotUnderstood(f"{quoted(text.strip())} is no colour: write red, yellow, green or blue, or the first letter")


def parse_number(text: str, what: str) -> int:
    """Return a whole number from a text; `what` says of what."""
    word = text.strip()
    if not re.fullmatch(r"[0-9]{1,4}", word):
        raise NotUnderstood(f"{quoted(word)} is no number: write how many {what}")
    return int(word)


def parse_cards(text: str) -> tuple[CardType, ...]:
    """Return the cards that a text lists, with spaces or commas between them."""
    return tuple(card for part in re.split(r"[,;]", text) for card in _cards(part.split()))


def _cards(words: Sequence[str]) -> tuple[CardType, ...]:
    """Return the cards that words name, several words to a card where that works out to the end.

    From the last word to the first, so that each place is read once: `w +4 w +4 …` can be read in many ways.
    """
    rests: list[tuple[CardType, ...] | Unclear] = [()]
    for place in reversed(range(len(words))):
        rests.append(_longest(words[place : place + MOST_WORDS], rests))
    found = rests[-1]
    if isinstance(found, Unclear):
        raise found
    return found


def _longest(words: Sequence[str], rests: Sequence[tuple[CardType, ...] | Unclear]) -> tuple[CardType, ...] | Unclear:
    """Return the cards from a place on, the first of as many words as can be, or what is unclear there."""
    problem = Unclear("nothing was written")
    for count in range(len(words), 0, -1):
        try:
            card = parse_card(" ".join(words[:count]))
        except Unclear as error:
            problem = error
            continue
        rest = rests[-count]
        if not isinstance(rest, Unclear):
            return card, *rest
        problem = rest
    return problem


def parse_entry(text: str, table: ObservedGame, shown: Callable[[], Sequence[Action]] | None = None) -> Entry:
    """Return what a text says that the player to move did; a number is one of the own moves that are shown."""
    spaced = re.sub(r"([,;])", r" \1 ", text.lower())
    words = spaced.replace(":", " ", 1 if _names_someone(text) else 0).split()
    own = table.observation.turn == table.seat
    if FORGOT & set(words):
        return _forgot(words, table)
    if words and words[0] in ME | OPPONENT and (words.pop(0) in ME) != own:
        raise NotUnderstood("it is your turn, not the opponent's" if own else "it is the opponent's turn, not yours")
    if not words:
        raise NotUnderstood("nothing was entered: write what was done, or ? for help")
    if shown is not None and len(words) == 1 and (number := NUMBER.fullmatch(words[0])):
        return Entry(_numbered(number[1], table, shown() if own else ()))
    if words[0] in KEPT and len(words) == 1:
        return Entry(KEEP)
    if words[0] in CHALLENGED:
        return _challenge(words[1:], table)
    if words[0] in DREW:
        rest = _said(words[1:])
        if not own and table.draws_until_playable:
            return _until(rest)
        return Entry(DRAW, _own_draw(rest, table) if own else _other_draw(rest, table))
    return _played(words[1:] if words[0] in PLAYED else words, table)


def _forgot(words: list[str], table: ObservedGame) -> Entry:
    """Return that somebody forgot to say UNO: in turn or out of it, with the cards drawn for it if they are own."""
    seen = table.observation
    who = words[0] if words[0] in ME | OPPONENT else ""
    holds = {table.seat: len(seen.hand), 1 - table.seat: seen.opponent_size}
    with_one = [seat for seat, size in holds.items() if size == 1]
    if not who and len(with_one) != 1:
        raise NotUnderstood("say who forgot it: me forgot uno r5 g7, with what you drew, or opponent forgot uno")
    seat = with_one[0] if not who else table.seat if who in ME else 1 - table.seat
    own, number = seat == table.seat, min(seen.asked_by(FORGOT_UNO), seen.available)
    if holds[seat] != 1:
        have = f"you hold {holds[seat]}" if own else f"the opponent holds {holds[seat]}"
        raise NotUnderstood(f"UNO is said with one card left, but {have}")
    if seen.deciding or (seen.before is not None and seat != seen.turn):
        open_ = "a card was just drawn" if seen.deciding else "the wild +4 can still be challenged"
        raise NotUnderstood(f"{open_}: first say what is done about that, then who forgot UNO")
    said = [word for word in _said(words[bool(who) :]) if word not in FORGOT | SAY_UNO | DREW and not word.isdecimal()]
    cards = parse_cards(" ".join(said))
    if not own and cards:
        raise NotUnderstood("you can't see what the opponent draws: write opponent forgot uno alone")
    if own and number and not cards:
        raise NotUnderstood(f"say which {number} you drew for it, as in me forgot uno r5 g7")
    return Entry(FORGOT_UNO, cards, by_me=own)


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


def _said(words: list[str]) -> list[str]:
    return [word for word in words if word not in FILLERS]


def _challenge(words: list[str], table: ObservedGame) -> Entry:
    """Return a challenge of either player: what it showed, and what the own seat drew for it."""
    seen, own = table.observation, table.observation.turn == table.seat
    if seen.before is None:
        return Entry(CHALLENGE)  # the table says what is wrong with it
    shown, drawn = _split(words, DREW)
    hand = parse_cards(" ".join(word for word in _said(shown) if word not in SHOWED))
    if own and not hand:
        raise NotUnderstood(
            f"say what you saw: write challenge shows and that hand, {count_of(seen.opponent_size, 'card')}"
        )
    if not own and hand:
        raise NotUnderstood("the opponent saw your hand, which is known: write challenge, and draw with what you drew")
    guilty = table.is_guilty(hand if own else seen.hand)
    number = table.challenge_drawing(guilty)
    named = parse_cards(" ".join(word for word in _said(drawn) if not word.isdecimal()))
    if own == guilty:
        if named:
            raise NotUnderstood(f"the opponent draws {number} here, and you can't see which: leave them out")
    elif number and not named:
        raise NotUnderstood(f"you draw {number} for it: add draw and those cards, as in challenge … draw r5 g7")
    return Entry(CHALLENGE, named, Cards.of(hand) if own else None)


def _until(words: list[str]) -> Entry:
    """Return a draw of the opponent that went on until a card was playable."""
    numbers, others = [word for word in words if word.isdecimal()], {word for word in words if word[0].isalpha()}
    if len(numbers) != 1 or not others <= NONE_FITS:
        raise NotUnderstood(
            "say how many the opponent drew until one fitted, as in draw 3, or draw 3 none if the deck ran out"
        )
    return Entry(DRAW, count=int(numbers[0][:4]), ended=bool(others))


def _played(words: list[str], table: ObservedGame) -> Entry:
    """Return a play, with the hand that was got if it swapped them."""
    played, got = _split(words, GOT)
    action = _play(" ".join(played), table)
    if not got and table.observation.swaps(action):
        raise NotUnderstood(f"the hands are swapped: say what you got, as in {str(action).lower()} got r5 g7")
    return Entry(action, shown=Cards.of(parse_cards(" ".join(_said(got)))) if got else None)


def _split(words: list[str], at: frozenset[str]) -> tuple[list[str], list[str]]:
    """Return the words before one of these and those after it."""
    place = next((place for place, word in enumerate(words) if word in at), len(words))
    return words[:place], words[place + 1 :]


def _names_someone(text: str) -> bool:
    return text.lower().partition(":")[0].strip() in ME | OPPONENT


def _own_draw(words: list[str], table: ObservedGame) -> tuple[CardType, ...]:
    if table.drawing and not [word for word in words if not word.isdecimal()]:
        raise NotUnderstood("say which you drew: write draw and the cards, as in draw r5 g7")
    return parse_cards(" ".join(words))


def _other_draw(words: list[str], table: ObservedGame) -> tuple[CardType, ...]:
    if not words:
        return ()
    if len(words) > 1 or not words[0].isdecimal():
        raise NotUnderstood("you can't see what the opponent draws: write draw alone, or with the number of cards")
    if int(words[0][:4]) != table.drawing:
        raise NotUnderstood(f"the opponent draws {table.drawing} here, not {words[0][:4]}")
    return ()


def _play(text: str, table: ObservedGame) -> Action:
    if not re.search(r"[a-z+]", text):
        raise NotUnderstood(f"{quoted(text)} is no card: write its colour too, as in r5")
    try:
        return parse_action(text, ACTIONS)
    except ColourWanted as wanted:
        if len(table.rules.colours) > 1:
            raise
        return Action.play(wanted.card, table.rules.colours[0])
    except Unclear:
        raise NotUnderstood(
            f"{quoted(text)} is nothing that can be done: write a card (r5, gs, yr, b+2, w red, w4 b), {_others(table)}"
        ) from None


def _others(table: ObservedGame) -> str:
    """Return what can be done beside playing a card."""
    return "draw or keep" if table.observation.before is None else "draw or challenge"
