"""The one interface of all beliefs, and what they share.

A belief is made from the rules and a seat's first observation. It is updated once after every action of
either player, with the events that the seat saw and the observation after them. It is read by anyone, also
by several threads at a time while nobody updates it.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Floats
from uno_pomdp.beliefs.event_inference import infer_events
from uno_pomdp.beliefs.suspicion import Suspicion, rate_of_lies
from uno_pomdp.beliefs.worlds import bury, fill_worlds, world_template
from uno_pomdp.cards import CARD_TYPES, COLOUR_NAMES, Cards, CardType, Colour, card_name
from uno_pomdp.errors import InvalidBelief, UnoError
from uno_pomdp.game.actions import seat_name
from uno_pomdp.game.deal import most_owed
from uno_pomdp.game.events import Challenged, Drew, Event, Kept, Played, Reshuffled, Shown, Swapped
from uno_pomdp.game.layout import BIT, BLACK_MASK, COLOUR_MASK, FIRST, PLAYABLE, Seat, States
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.observed_start import is_dealt
from uno_pomdp.game.rng import Seed, seeds, sequence
from uno_pomdp.game.seat_history import SeatHistory
from uno_pomdp.quantities import percent
from uno_pomdp.rules import Rules

if TYPE_CHECKING:
    from uno_pomdp.game.game import Game

Hands = npt.NDArray[np.uint8]
"""Hands as rows of 54 counts."""
NAMED: Final = 3
"""How many of the likeliest types a belief names where it is printed."""


__all__ = ["Belief", "Diagnostics", "Floats", "Hands", "ImpossibleEvent", "Seed"]


class ImpossibleEvent(UnoError):
    """An event of probability zero under the belief: the belief and the game are out of step."""


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """Figures on the inside of a belief: its size, its effective sample size, what updates did."""

    kind: str
    """Which belief it is."""
    support: int
    """How many different configurations, hands or particles it holds."""
    ess: float
    """Effective sample size 1 / Σw²; of an exact belief the same over what it holds."""
    size: int
    """What it holds: configurations, hands, particles."""
    age: int
    """Actions seen since the deal."""
    rejuvenations: int = 0
    """Times fresh particles were drawn from the closed form; 0 for exact beliefs."""
    resamplings: int = 0
    """Times the particles were resampled; 0 for exact beliefs."""
    cached: int = 0
    """Updates that were taken from the cache; 0 for exact beliefs."""
    did: str = ""
    """What the last update did beyond weighing and moving: `RESAMPLED`, `REJUVENATED` or nothing."""
    hands: float = 0.0
    """How many independent hands would say as much as the particles; 0 for exact beliefs."""
    unlike: float = 0.0
    """The probability that the opponent does not play as the model does; 0 for exact beliefs."""


RESAMPLED: Final = "resampled"
REJUVENATED: Final = "rejuvenated"


class Belief(ABC):
    """A probability distribution over the opponent's hand, from one seat.

    >>> import uno_pomdp as uno
    >>> belief = uno.UniformBelief.after(uno.Game.new("mini-7", seed=1), seat=0)
    >>> round(belief.nothing_playable(), 3), belief.sample(100, seed=1).shape
    (0.0, (100,))
    """

    def __init__(self, rules: Rules, observation: Observation) -> None:
        if observation.hidden_played:
            _check_stacked(rules, observation)
        self.rules: Final = rules
        """The rules of the game."""
        self.observation = observation
        """What the seat sees now."""
        self.age = 0
        """Actions seen since the belief was made."""
        self.pending = opponent_decides(observation)
        """Whether the opponent holds a card just drawn that it plays or keeps next (`may_play`, `until_playable`)."""
        self._leading = True
        self._first = observation
        self._template: tuple[Observation, States] | None = None

    @classmethod
    def after(cls, game: "Game", seat: Seat = FIRST, **options: Any) -> Self:
        """Return the belief of a seat that has followed a game; the options are those of the class.

        >>> import uno_pomdp as uno
        >>> game = uno.Game.new("house", seed=5)
        >>> game.play("Y9")
        >>> belief = uno.ParticleBelief.after(game, seat=1, model="heuristic", size=500)
        >>> belief.observation.opponent_size, belief.age
        (6, 1)
        """
        return cls.along(game.history(seat), **options)

    @classmethod
    def along(cls, history: SeatHistory, **options: Any) -> Self:
        """Return the belief of a seat that has seen this."""
        belief = cls(history.rules, history.first, **options)
        history.follow(belief)
        return belief

    # --- moving on ---------------------------------------------------------------------------------------

    def update(self, events: Sequence[Event], observation: Observation) -> None:
        """Take in one action of either player: what the seat saw of it, and what it sees after it.

        After an `ImpossibleEvent` the belief is of no further use: make a new one and follow the game again.
        """
        if len(events) == 1:
            self.pending = observation.deciding and observation.turn != observation.seat
            self._take_in(events[0])
        else:
            self._take_in_all(events, opponent_decides(observation))
        self.observation = observation
        self.age += 1

    def _take_in_all(self, events: Sequence[Event], decides: bool) -> None:
        """Take in several events of one action, or none; after the last of them a card may be pending."""
        for number, event in enumerate(events, 1):
            self.pending = decides and number == len(events)
            self._take_in(event)
            self._leading = self._leading and isinstance(event, Reshuffled)
        self._leading, self.pending = True, decides

    def observe(self, observation: Observation) -> None:
        """Take in one action from the observation after it alone: what was done is worked out."""
        self.update(infer_events(self.observation, observation), observation)

    @abstractmethod
    def _take_in(self, event: Event) -> None:
        """Change the distribution; `self.observation` is still the one before the action.

        `self.pending` says whether this event left a card pending, `self._leading` whether it is the one that says what
        was chosen: all that follows in the same action is its effect.
        """

    # --- reading -----------------------------------------------------------------------------------------

    @abstractmethod
    def avoids(self, types_mask: int) -> float:
        """Return the probability that the hand holds no card of these types (a bit each)."""

    @abstractmethod
    def expected_counts(self) -> Floats:
        """Return the expected number of cards of each type in the hand."""

    @abstractmethod
    def hand_probability(self, hand: Cards) -> float:
        """Return the probability of exactly this hand."""

    @abstractmethod
    def sample_hands(self, count: int, seed: Seed) -> tuple[Hands, Hands]:
        """Return hands drawn from the belief, and for each the card just drawn (`NO_CARD` if none is at issue)."""

    @abstractmethod
    def diagnostics(self) -> Diagnostics:
        """Return how the belief is doing."""

    def pair_probabilities(self) -> Floats:
        """Return the probability of each hand of two cards, by their types s ≤ t; for an opponent with two cards."""
        unseen = self.observation.unseen(self.rules).types()
        found = np.zeros((CARD_TYPES, CARD_TYPES))
        for first, second in combinations_with_replacement(unseen, 2):
            found[first, second] = self.hand_probability(Cards.of([first, second]))
        return found

    def probabilities(self) -> Floats:
        """Return for each type the probability that the hand holds at least one of it."""
        return np.array([1.0 - self.avoids(int(BIT[card])) for card in range(CARD_TYPES)])

    def has_colour(self, colour: Colour) -> float:
        """Return the probability that the hand holds a card of this colour."""
        return 1.0 - self.avoids(int(COLOUR_MASK[colour]))

    def nothing_playable(self, top: CardType | None = None, colour: Colour | None = None) -> float:
        """Return the probability that nothing in the hand is playable; by default on the present top card."""
        seen = self.observation
        return self.avoids(int(PLAYABLE[seen.colour if colour is None else colour, seen.top if top is None else top]))

    @property
    def model_name(self) -> str | None:
        """The policy by which it weighs what the opponent chose; None for a belief to which choices tell nothing."""
        return None

    @property
    def weighs_lies(self) -> bool:
        """Whether it has weighed the wild +4 that is owed by a model: it has one, and saw the +4 being played."""
        return self.model_name is not None and self.age > 0

    def suspicion(self) -> Suspicion | None:
        """Return how likely the wild +4 that may be challenged was a lie; None if there is none.

        A search with this belief samples its worlds by the same figure.
        """
        seen = self.observation
        if seen.before is None or seen.turn != seen.seat:
            return None
        held = self.has_colour(seen.before)
        past_known = self.model_name is None or is_dealt(self.rules, self._first)
        unread = "" if past_known else "; what it chose before the first entry is not known"
        if self.weighs_lies:
            return Suspicion(held, f"it chooses as {self.model_name} does{unread}")
        lies = rate_of_lies(seen) * held
        return Suspicion(lies / (lies + (1.0 - held)), f"it bluffs as often as heuristic does{unread}")

    def lie(self) -> float | None:
        """Return the probability that the wild +4 that may be challenged was a lie; None if there is none."""
        found = self.suspicion()
        return None if found is None else found.probability

    def entropy(self) -> float:
        """Return the entropy, in bits, of a card drawn at random from the hand: that of the mean marginals."""
        counts = self.expected_counts()
        total = counts.sum()
        if total <= 0.0:
            return 0.0
        shares = counts[counts > 0.0] / total
        return float(-(shares * np.log2(shares)).sum()) + 0.0

    def to_json(self) -> dict[str, Any]:
        """Return what it says of the hand as JSON values: probabilities, and how many cards of a type to expect."""
        has, expected = self.probabilities(), self.expected_counts()
        held = [card for card in self.rules.deck.types() if has[card] > 0.0]
        colours = {COLOUR_NAMES[colour]: self.has_colour(colour) for colour in self.rules.colours}
        return {
            "nothing_playable": self.nothing_playable(),
            "colours": colours | {"black": 1.0 - self.avoids(int(BLACK_MASK))},
            "cards": {card_name(card): {"has": float(has[card]), "expected": float(expected[card])} for card in held},
        }

    def sample(self, count: int, seed: Seed) -> States:
        """Return `count` complete worlds: the hidden hand from the belief, the rest as a shuffled draw pile.

        Where played cards are hidden, any of that rest are they: they lie below the top card.
        """
        hands_seed, pile_seed = sequence(seed).spawn(2)
        hands, drawn = self.sample_hands(count, hands_seed)
        other, pile_seeds = 1 - self.observation.seat, seeds(pile_seed, count)
        return bury(fill_worlds(self._world_template(), other, hands, drawn, pile_seeds), self.observation)

    # --- for people --------------------------------------------------------------------------------------

    def __repr__(self) -> str:

        chances = self.probabilities()
        likeliest = sorted(np.flatnonzero(chances > 0.0).tolist(), key=lambda card: (-chances[card], card))[:NAMED]
        named = ", ".join(f"{card_name(card)} {percent(chances[card])}" for card in likeliest)
        return f"<{type(self).__name__} of {self._whose()}{f'; likeliest {named}' * bool(named)}>"

    def _whose(self) -> str:
        """Return whose belief it is, how old, and about how many cards."""
        seen = self.observation
        return f"{seat_name(seen.seat)} at age {self.age}: the opponent holds {seen.opponent_size}"

    def _repr_svg_(self) -> str:
        """Return the probability of every type as a heat map for a notebook."""
        from uno_pomdp.display.heat_map import heat_map

        seen, deck = self.observation, self.rules.deck
        chances = self.probabilities()
        colours: dict[Colour | None, float] = {colour: self.has_colour(colour) for colour in self.rules.colours}
        fits = f"{percent(self.nothing_playable())}: nothing in the hand fits"
        return heat_map(
            f"{type(self).__name__} of {self._whose()}",
            [f"{fits} {card_name(seen.top)} ({COLOUR_NAMES[seen.colour]}), entropy {self.entropy():.2f} bits a card"],
            {card: float(chances[card]) for card in deck.types()},
            colours | {None: 1.0 - self.avoids(int(BLACK_MASK))},
        )

    def _world_template(self) -> States:
        """Return what all worlds share, made once for each observation; nobody writes to it."""
        if self._template is None or self._template[0] is not self.observation:
            self._template = self.observation, world_template(self.rules, self.observation)
        return self._template[1]


def opponent_decides(seen: Observation) -> bool:
    """Return whether the opponent of this seat has just drawn a card that it plays or keeps next."""
    return seen.deciding and seen.turn != seen.seat


def _check_stacked(rules: Rules, seen: Observation) -> None:
    """Refuse a stacked debt for cards that are not known: it would tell what the hidden played cards are."""
    below = seen.played - Cards.of([seen.top])
    if seen.penalty > most_owed(rules, seen.top, below):
        raise InvalidBelief(
            f"{seen.penalty} cards are owed, more than for {card_name(seen.top)} alone: "
            "name the cards that it answered among the played ones"
        )


def check_remembered(event: Event, error: type[UnoError]) -> None:
    """Refuse what a model of the opponent that remembers the whole game can't take in."""
    if isinstance(event, Drew) and event.forgot:
        raise error(
            f"{seat_name(event.seat)} forgot UNO, which a model with a memory does not know: take a scripted one"
        )


def impossible(event: Event, seen: Observation) -> ImpossibleEvent:
    """Return the error for an event of probability zero, as one sentence."""
    top = f"{card_name(seen.top)} ({COLOUR_NAMES[seen.colour]})"
    if isinstance(event, Played):
        what = f"{seat_name(event.seat)} played {event.action} on {top}"
    elif isinstance(event, Drew):
        cards = "" if event.cards is None else f" {Cards.of(event.cards)}"
        what = f"{seat_name(event.seat)} drew{cards} on {top}"
    elif isinstance(event, Shown):
        what = f"{seat_name(event.seat)} showed {event.hand}"
    elif isinstance(event, Swapped):
        what = f"the hands were swapped to {event.hands[0]} and {event.hands[1]}"
    elif isinstance(event, Challenged):
        what = f"{seat_name(event.seat)} challenged the wild +4"
    else:
        what = f"{seat_name(event.seat)} kept a card" if isinstance(event, Kept) else "the played pile went back"
    return ImpossibleEvent(f"{what}, but that has probability zero here: belief and game are out of step")
