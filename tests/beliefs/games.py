"""Random games as each seat sees them: what beliefs are fed with in tests."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from uno_pomdp.beliefs.belief import Belief
from uno_pomdp.cards import COLOURED_TYPES, DRAW_TWO, REVERSE, SKIP, WILD, WILD_FOUR, Cards, CardType, card_type
from uno_pomdp.game.actions import Action
from uno_pomdp.game.events import Event, Reshuffled
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import PENALTY, SEATS
from uno_pomdp.game.observation import Observation
from uno_pomdp.rules import Rules

Choose = Callable[[Game, random.Random], Action]


@dataclass(frozen=True)
class Moment:
    """What one seat saw of one action, and what was hidden from it after it."""

    action: Action
    """What was done, by either player."""
    events: tuple[Event, ...]
    """The action as the seat saw it."""
    observation: Observation
    """What the seat sees after it."""
    hidden: Cards
    """The opponent's hand after it."""
    drawn: CardType | None
    """The card just drawn that the opponent decides about; None if there is none."""

    @property
    def reshuffled(self) -> bool:
        """Whether the played pile went back."""
        return any(isinstance(event, Reshuffled) for event in self.events)


@dataclass(frozen=True)
class Seen:
    """A game from one seat."""

    rules: Rules
    """The rules of the game."""
    first: Observation
    """What the seat saw at the deal."""
    hidden: Cards
    """The opponent's hand at the deal."""
    moments: tuple[Moment, ...]
    """One for each action of either player."""

    @property
    def reshuffled(self) -> bool:
        """Whether the played pile went back in this game."""
        return any(moment.reshuffled for moment in self.moments)


def choose(game: Game, chance: random.Random) -> Action:
    """Return a random legal action: a voluntary draw now and then, penalties often, for they make long games."""
    return chance.choices(game.legal_actions(), [_liking(action) for action in game.legal_actions()])[0]


def _liking(action: Action) -> float:
    if action.card is None:
        return 0.4
    return 3.0 if PENALTY[action.card] else 1.0


def play(game: Game, seed: int, at_most: int = 40, chooser: Choose = choose) -> tuple[Seen, Seen]:
    """Play a game on, to its end or so many actions, and return it as player 1 and as player 2 saw it."""
    chance = random.Random(seed)
    firsts = [(game.observation(seat), game.hand(1 - seat)) for seat in SEATS]
    moments: tuple[list[Moment], list[Moment]] = ([], [])
    for number in range(at_most):
        if game.over:
            break
        action = chooser(game, chance)
        game.apply(action)
        for seat in SEATS:
            seen = game.observation(seat)
            hidden_drawn = game.drawn if game.turn != seat else None
            events = game.events(seat, since=number)
            moments[seat].append(Moment(action, events, seen, game.hand(1 - seat), hidden_drawn))
    one, two = (Seen(game.rules, *firsts[seat], tuple(moments[seat])) for seat in SEATS)
    return one, two


def random_game(rules: Rules, seed: int, at_most: int = 40, chooser: Choose = choose) -> tuple[Seen, Seen]:
    """Deal and play a random game, as player 1 and as player 2 saw it."""
    return play(Game.new(rules, seed), seed, at_most, chooser)


def follow(belief: Belief, seen: Seen) -> Iterator[Moment]:
    """Update a belief made at the deal with each moment in turn, and yield the moment after that."""
    for moment in seen.moments:
        belief.update(moment.events, moment.observation)
        yield moment


def mini_rules(seed: int, variant: dict[str, Any], most_unseen: int = 9) -> Rules:
    """Return random rules on a tiny deck: 2 or 3 colours, copies, blacks, penalties, skips, a small draw pile."""
    chance = random.Random(seed)
    hand_size = chance.choice((1, 2, 3, 3, 4))
    size = 1 + 2 * hand_size + chance.randint(max(0, 3 - hand_size), most_unseen - hand_size)
    ranks = [DRAW_TWO, *chance.sample((0, 1, 2, 3, 4, 5, SKIP, REVERSE), k=chance.randint(2, 8))]
    every = [card_type(colour, rank) for colour in range(chance.choice((2, 3, 3))) for rank in ranks]
    blacks = chance.choices((WILD, WILD_FOUR, WILD_FOUR), k=chance.choice((0, 1, 2, 3)))
    coloured = max(size - len(blacks), 1)
    some = chance.sample(every, k=min(len(every), chance.randint((coloured + 1) // 2, coloured)))
    copies = chance.choices(some, k=coloured - len(some))
    return Rules(deck=Cards.of([*some, *copies, *blacks]), hand_size=hand_size, **variant)


def whole_mini_rules(seed: int, variant: dict[str, Any], most_unseen: int = 9) -> Rules:
    """Return random rules on a tiny deck with all cards that a rule is about, as far as there is room.

    Two wild +4, then 7 and 0, +2, skip and wild, then numbers: the fewer cards, the more of those that matter.
    """
    chance = random.Random(seed)
    hand_size = chance.choice((2, 2, 3))
    unseen = chance.randint(hand_size + 2, most_unseen)
    colours = chance.choice((2, 2, 3))
    special = [WILD_FOUR, WILD_FOUR, *(card_type(colour, rank) for colour in range(2) for rank in (DRAW_TWO, 0, 7))]
    some = [card_type(chance.randrange(colours), rank) for rank in (1, 2, 1, 2, SKIP)]
    cards = [*special, *chance.sample(some, k=len(some)), WILD]
    size = unseen + 1 + hand_size
    chosen = chance.sample(cards, k=min(size, len(cards)))
    chosen += [card_type(chance.randrange(colours), chance.choice((0, 1, 2, 7))) for _ in range(size - len(chosen))]
    if all(card >= COLOURED_TYPES for card in chosen):
        chosen[0] = card_type(0, 0)
    return Rules(deck=Cards.of(chosen), hand_size=hand_size, **variant)
