"""`Rules`: one frozen value that says which game is played, and the presets by name."""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any, Final, Literal, get_args

from uno_pomdp.cards import (
    COLOURED_TYPES,
    COLOURS,
    DRAW_TWO,
    MAX_CARDS,
    RED,
    SKIP,
    STANDARD_DECK,
    WILD,
    WILD_FOUR,
    WILD_FOUR_RANK,
    YELLOW,
    Cards,
    CardType,
    Colour,
    card_type,
    colour_of,
    rank_of,
)
from uno_pomdp.errors import InvalidCard, InvalidRules, abridged, quoted

Skip = Literal["again", "pass"]
DrawnCard = Literal["keep", "may_play"]
WildFour = Literal["always", "last_resort", "challenge"]
Draw = Literal["forced", "optional", "until_playable"]
Stack = Literal["no", "same", "rising"]
FirstCard = Literal["plain", "acts"]
Swap = Literal["no", "seven_zero"]
Reshuffle = Literal["yes", "no"]

STANDARD: Final = "standard"
"""What the deck of 108 cards is called in texts."""
CUSTOM: Final = "custom"
"""The name of rules whose deck no preset has."""
MOST_DIGITS: Final = 6
"""The most digits of a number of cards: longer numbers are refused unread."""
MOST_OWED: Final = 255
"""Cards that can be owed at a time: a byte holds them."""
OWED_FOR: Final = {DRAW_TWO: 2, WILD_FOUR_RANK: 4}
"""By rank: the cards that the opponent of who plays it owes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Which game is played. Made only if it can be dealt; each field's first value is the default.

    >>> import uno_pomdp as uno
    >>> uno.Rules(skip="pass").name, len(uno.preset("mini-9").deck)
    ('pass', 9)
    >>> str(uno.Rules.parse("mini-9,hand_size=3,reshuffle=yes"))
    'mini-9,hand_size=3,reshuffle=yes'
    """

    deck: Cards = STANDARD_DECK
    """The cards: any counts with at least one coloured card, 108 cards at most."""
    hand_size: int = 7
    """Cards dealt to each player."""
    skip: Skip = "again"
    """After a skip or reverse the same player moves `again`, or the turn just passes (`pass`)."""
    drawn_card: DrawnCard = "keep"
    """After a draw of one the turn passes (`keep`), or the drawer decides whether to play it (`may_play`)."""
    wild_four: WildFour = "always"
    """A wild +4 is legal `always`, only with no card of the active colour in hand (`last_resort`), or always but the
    opponent may `challenge` it."""
    draw: Draw = "forced"
    """Drawing is legal only with nothing playable (`forced`), or whenever a card can be drawn (`optional`), or goes on
    `until_playable`."""
    stack: Stack = "no"
    """Whether a debt may be answered: +2 with +2 and +4 with +4 (`same`), also +2 with +4 (`rising`)."""
    first_card: FirstCard = "plain"
    """Whether the first top card `acts`: a skip or reverse skips player 1, a +2 makes player 1 owe two."""
    swap: Swap = "no"
    """Whether a 7 or a 0 swaps the hands (`seven_zero`)."""
    reshuffle: Reshuffle = "yes"
    """Whether the played pile goes back when the draw pile is too small; with `no` the game ends instead."""

    def __post_init__(self) -> None:
        for name, allowed in CHOICES.items():
            value = getattr(self, name)
            if value not in allowed:
                raise InvalidRules(f"{quoted(value)} is none of {', '.join(allowed)}", name)
        if not isinstance(self.deck, Cards):
            raise InvalidRules("give the cards as a Cards value, such as Cards.parse('R0 R1 Y0 Y1 W')", "deck")
        if isinstance(self.hand_size, bool) or not isinstance(self.hand_size, int) or self.hand_size < 1:
            raise InvalidRules(f"{quoted(self.hand_size)} is no number of cards of at least 1", "hand_size")
        size = len(self.deck)
        if size > MAX_CARDS:
            raise InvalidRules(f"{size} cards, but at most {MAX_CARDS} are allowed", "deck")
        if not any(self.deck.data[:COLOURED_TYPES]):
            raise InvalidRules("no coloured card, but the first top card has to be one", "deck")
        if size < 1 + 2 * self.hand_size:
            raise InvalidRules(
                f"two hands of {self.hand_size} and a top card are {1 + 2 * self.hand_size} cards, "
                f"but the deck has {size}",
                "hand_size",
            )
        self._check_together()

    def _check_together(self) -> None:
        """Refuse fields that are fine alone and not together."""
        if self.wild_four == "challenge" and self.stack != "no":
            raise InvalidRules(
                f"no rules know stack={self.stack} and wild_four=challenge at once: choose one of them", "stack"
            )
        if self.draw == "until_playable" and self.drawn_card == "may_play":
            raise InvalidRules("until_playable leaves nothing to decide: choose drawn_card=keep with it", "draw")
        most = sum(OWED_FOR.get(rank_of(card), 0) for card in self.deck)
        if self.stack != "no" and most > MOST_OWED:
            raise InvalidRules(f"stacked, its cards add up to {most} owed, but at most {MOST_OWED} can be", "deck")

    def __repr__(self) -> str:
        given = [(one.name, getattr(self, one.name), one.default) for one in fields(self)]
        return f"Rules({', '.join(f'{name}={value!r}' for name, value, default in given if value != default)})"

    @property
    def colours(self) -> tuple[Colour, ...]:
        """The colours in the deck: those that a black card may declare."""
        present = {colour_of(card) for card in self.deck.types()}
        return tuple(colour for colour in COLOURS if colour in present)

    def meaning(self, field: str) -> str:
        """Return what the value of a variant field means, in words."""
        return MEANINGS[field][1][getattr(self, field)]

    @property
    def name(self) -> str:
        """The preset and what is changed in it, as `parse` reads it; `custom` where no preset has this deck."""
        return _text(self, deck=True) or CUSTOM

    # --- as JSON -----------------------------------------------------------------------------------------

    def to_json(self) -> dict[str, Any]:
        """Return the fields as JSON values, the deck as the text of all its cards.

        Headers of files hold this, and a results store compares it: names and order are not to be changed.
        """
        return {name: getattr(self, name) for name in FIELDS} | {"deck": str(self.deck)}

    @classmethod
    def from_json(cls, values: object) -> "Rules":
        """Return the rules that were written as JSON values; a variant that they do not name has its default.

        The deck may be `standard` too.
        """
        if not isinstance(values, dict) or not isinstance(values.get("deck"), str) or "hand_size" not in values:
            raise InvalidRules(f"rules have the fields {', '.join(FIELDS)}, the deck as a text")
        for name in values:
            if name not in FIELDS:
                raise InvalidRules(f"no field of rules is called {quoted(name)}: choose one of {', '.join(FIELDS)}")
            if name in CHOICES and not isinstance(values[name], str):
                raise InvalidRules(f"{quoted(values[name])} is no text", name)
        return cls(**values | {"deck": parse_deck(values["deck"])})

    # --- as a text ---------------------------------------------------------------------------------------

    @classmethod
    def parse(cls, text: str) -> "Rules":
        """Return the rules of a text: a preset's name and changes to it, as in `house` or `mini-9,hand_size=3`.

        A deck lists its cards with spaces between them, as in `mini-7,deck=R0 R1 R2 Y0 Y1 Y2`.
        """
        name, *changes = (part.strip() for part in text.split(","))
        if name.partition("=")[0] in FIELDS:
            raise InvalidRules(
                f"{quoted(name)} changes no rules that are named before it: write house,{abridged(name)}"
            )
        rules, values = preset(name), dict[str, Any]()
        for change in changes:
            field, mark, value = (part.strip() for part in change.partition("="))
            if not mark:
                raise InvalidRules(f"{quoted(change)} is no change of a field: write it as in skip=pass")
            if field not in FIELDS:
                raise InvalidRules(f"no field of rules is called {quoted(field)}: choose one of {', '.join(FIELDS)}")
            if field in values:
                raise InvalidRules(f"{field} is given twice: give it once")
            values[field] = _parse_field(field, value)
        return replace(rules, **values)

    def __str__(self) -> str:
        """Return a text that `parse` reads as these rules: the preset with the fewest changes, and the changes."""
        return _text(self, deck=True) or _text(self, deck=False)

    def _value_text(self, field: str) -> str:
        return deck_text(self.deck) if field == "deck" else str(getattr(self, field))


@lru_cache(maxsize=256)
def _text(rules: Rules, deck: bool) -> str:
    """Return the preset that needs the fewest changes, with them; of those with this deck alone, if asked so."""
    texts: list[tuple[int, str]] = []
    for name, known in PRESETS.items():
        changed = [field for field in FIELDS if getattr(rules, field) != getattr(known.rules, field)]
        if not (deck and "deck" in changed):
            changes = [f"{field}={rules._value_text(field)}" for field in changed]
            texts.append((len(changed), ",".join([name, *changes])))
    return min(texts, key=lambda one: one[0])[1] if texts else ""


def deck_text(deck: Cards) -> str:
    """Return a deck as a text: its cards, or the name of the standard one."""
    return STANDARD if deck == STANDARD_DECK else str(deck)


def parse_deck(text: str) -> Cards:
    """Return the deck of a text."""
    return STANDARD_DECK if text == STANDARD else Cards.parse(text)


def _parse_field(field: str, text: str) -> Cards | int | str:
    """Return the value that a text gives a field, as far as it can be read; `Rules` refuses what can't be."""
    if field == "deck":
        try:
            return parse_deck(text)
        except InvalidCard as error:
            raise InvalidRules(str(error), field) from error
    if field == "hand_size" and text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS:
        return int(text)
    return text


CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "skip": get_args(Skip),
    "drawn_card": get_args(DrawnCard),
    "wild_four": get_args(WildFour),
    "draw": get_args(Draw),
    "stack": get_args(Stack),
    "first_card": get_args(FirstCard),
    "swap": get_args(Swap),
    "reshuffle": get_args(Reshuffle),
}
"""The variant fields and their values, the default first."""
DEFAULTS: Final = {name: values[0] for name, values in CHOICES.items()}
"""The variant fields' defaults: what a file does not name has them."""

MEANINGS: Final[dict[str, tuple[str, dict[str, str]]]] = {
    "skip": (
        "after a skip or reverse",
        {"again": "the other is skipped: you move again", "pass": "no effect, the turn passes"},
    ),
    "drawn_card": ("after a draw of one card", {"keep": "the turn passes", "may_play": "you may play it or keep it"}),
    "wild_four": (
        "a wild +4 fits",
        {
            "always": "on every card",
            "last_resort": "only without the active colour",
            "challenge": "on every card, and can be challenged",
        },
    ),
    "draw": (
        "you may draw",
        {
            "forced": "only if nothing fits",
            "optional": "whenever you like",
            "until_playable": "if nothing fits, until a card does: that one is played",
        },
    ),
    "stack": (
        "with cards to draw",
        {
            "no": "you draw them",
            "same": "you draw them, or answer +2 with +2, +4 with +4",
            "rising": "you draw them, or answer +2 with +2 or +4, +4 with +4",
        },
    ),
    "first_card": (
        "the first top card",
        {"plain": "has no effect", "acts": "acts: skip or reverse skips player 1, +2 makes player 1 draw"},
    ),
    "swap": ("a 7 or a 0", {"no": "is a number like others", "seven_zero": "swaps the hands"}),
    "reshuffle": (
        "with an empty deck",
        {"yes": "the played pile is shuffled back", "no": "the game ends, fewer cards win"},
    ),
}
"""The variant fields in words: what each is about, and what each of its values means."""

FIELDS: Final = tuple(field.name for field in fields(Rules))
"""All fields in the order in which they are written."""


@dataclass(frozen=True, slots=True)
class Preset:
    """Rules with a name, and what a person should know about them."""

    rules: Rules
    """The rules themselves."""
    about: str
    """One sentence for a list."""

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values, with the name of the standard deck in place of its 108 cards."""
        return (
            {"name": self.rules.name, "about": self.about} | self.rules.to_json() | {"deck": deck_text(self.rules.deck)}
        )


def _mini(ranks: Iterable[int], copies: int = 1, black: Iterable[CardType] = ()) -> Cards:
    coloured = [card_type(colour, rank) for colour in (RED, YELLOW) for rank in ranks]
    return Cards.of([*(coloured * copies), *black])


_MINI: Final = Rules(deck=_mini((0, 1, SKIP), black=[WILD]), hand_size=2, reshuffle="no")

PRESETS: Final[dict[str, Preset]] = {
    "house": Preset(Rules(), "the default: skip and reverse move again, a drawn card is kept, drawing is forced"),
    "pass": Preset(Rules(skip="pass"), "house, but skip and reverse only pass the turn"),
    "printed": Preset(
        Rules(drawn_card="may_play", wild_four="challenge", draw="optional", first_card="acts"),
        "the printed two-player rules, whole but that a wild as first card deals again: +4 can be challenged; "
        "the first card acts; UNO is said for you",
    ),
    "stacking": Preset(
        Rules(drawn_card="may_play", draw="optional", stack="rising"),
        "draws are answered: +2 with +2 or +4, +4 with +4, and the debts add up",
    ),
    "party": Preset(
        Rules(draw="until_playable", stack="rising", swap="seven_zero"),
        "draw until a card fits, stacked draws, 7 and 0 swap the hands",
    ),
    "mini-7": Preset(_MINI, "2 colours × {0, 1, skip} and a wild, hands of 2: its whole tree fits in a test"),
    "mini-9": Preset(
        replace(_MINI, deck=_mini((0, 1, SKIP, DRAW_TWO), black=[WILD])),
        "2 colours × {0, 1, skip, +2} and a wild, hands of 2: solved exactly",
    ),
    "mini-10": Preset(
        replace(_MINI, deck=_mini((0, 1, SKIP, DRAW_TWO), black=[WILD, WILD_FOUR])),
        "mini-9 and a wild +4: solved exactly, with patience",
    ),
    "mini-12": Preset(
        replace(_MINI, deck=_mini((0, 1, SKIP), copies=2), reshuffle="yes"),
        "2 colours × 2 × {0, 1, skip}, hands of 2, with reshuffle: games can go in cycles",
    ),
    "mini-bluff": Preset(
        replace(_MINI, deck=Cards.parse("R0 " * 5 + "Y1 " * 5 + "W4 W4"), wild_four="challenge"),
        "5 × R0, 5 × Y1, 2 wild +4 that can be challenged, hands of 2: bluffing, solved exactly",
    ),
}
"""The rules known by name."""


def as_rules(rules: Rules | str) -> Rules:
    """Return rules as they are, or those that a text names, as `Rules.parse` reads it."""
    if isinstance(rules, str):
        return Rules.parse(rules)
    if not isinstance(rules, Rules):
        raise InvalidRules(f"rules are a text such as 'house', or Rules, not {quoted(rules)}")
    return rules


def preset(name: str) -> Rules:
    """Return the rules of this name.

    >>> import uno_pomdp as uno
    >>> uno.preset("printed").drawn_card
    'may_play'
    """
    found = PRESETS.get(name)
    if found is None:
        raise InvalidRules(f"no rules are called {quoted(name)}: choose one of {', '.join(PRESETS)}")
    return found.rules
