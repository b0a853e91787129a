"""The rules once more, slow and obvious: plain lists and plain ifs, written from the rules page alone.

Nothing here comes from the engine. A game is dealt by hand (`top`, two hands, the draw pile with its next
card last); when a reshuffle happens the oracle does not invent an order, it is told one and checks that it is
an order of exactly the cards that should be there.
"""

from collections.abc import Sequence
from functools import cache

from uno_pomdp.cards import (
    COLOURED_TYPES,
    DRAW_TWO,
    RANKS_PER_COLOUR,
    REVERSE,
    SKIP,
    WILD,
    WILD_FOUR,
    Cards,
)
from uno_pomdp.rules import Rules

DRAW = 60
KEEP = 61
CHALLENGE = 62


def colour_of(card: int) -> int | None:
    """Return a card's own colour; black cards have none."""
    return None if card >= COLOURED_TYPES else card // RANKS_PER_COLOUR


def rank_of(card: int) -> int | None:
    """Return a coloured card's rank; black cards need none, they can always be matched by colour."""
    return None if card >= COLOURED_TYPES else card % RANKS_PER_COLOUR


@cache
def colours_in(deck: Cards) -> list[int]:
    """Return the colours that are in the deck."""
    return sorted({card // RANKS_PER_COLOUR for card in deck if card < COLOURED_TYPES})


def card_and_colour(action: int) -> tuple[int, int]:
    """Return the card that an action plays and the colour it declares."""
    if action < 52:
        return action, action // RANKS_PER_COLOUR
    if action < 56:
        return WILD, action - 52
    return WILD_FOUR, action - 56


class Oracle:
    """One game."""

    def __init__(self, rules: Rules, top: int, hands: tuple[Sequence[int], Sequence[int]], pile: Sequence[int]) -> None:
        self.rules = rules
        self.colours = colours_in(rules.deck)
        self.hands = [list(hands[0]), list(hands[1])]
        self.pile = list(pile)
        """The draw pile, next card last."""
        self.played = [top]
        """The played pile, top card last."""
        self.colour = top // RANKS_PER_COLOUR
        self.turn = 0
        self.penalty = 0
        self.drawn: int | None = None
        """The card just drawn, while its drawer decides about it."""
        self.colour_before: int | None = None
        """The colour before a wild +4, while that can be challenged."""
        self.reason: str | None = None
        self.winner: int | None = None
        self.reshuffles = 0
        self.just_drawn: list[int] = []
        """What the last action drew, in order."""
        self.drawn_first = 0
        """How many of them before the reshuffle, in a draw until one is playable."""
        self.drawer = 0
        """Who drew them."""
        self.shown: list[int] | None = None
        """The hand that the last action showed."""
        self.swapped = False
        """Whether the last action swapped the hands."""
        if rules.first_card == "acts":
            if rank_of(top) in (SKIP, REVERSE) and rules.skip == "again":
                self.turn = 1
            if rank_of(top) == DRAW_TWO:
                self.penalty = 2

    def copy(self) -> "Oracle":
        """Return a game that goes its own way from here."""
        twin = Oracle(self.rules, self.played[0], (self.hands[0], self.hands[1]), self.pile)
        twin.played = list(self.played)
        twin.colour, twin.turn, twin.penalty, twin.drawn = self.colour, self.turn, self.penalty, self.drawn
        twin.colour_before = self.colour_before
        twin.reason, twin.winner, twin.reshuffles = self.reason, self.winner, self.reshuffles
        return twin

    # What is allowed

    def legal(self) -> list[int]:
        """Return the legal actions, in order of their numbers."""
        if self.reason is not None:
            return []
        if self.penalty > 0:
            if self.colour_before is not None:
                return [DRAW, CHALLENGE]
            return [*self.answers(), DRAW]
        if self.drawn is not None:
            if self.rules.draw == "until_playable":
                return self.plays_of([self.drawn])
            return [*self.plays_of([self.drawn]), KEEP]
        plays = self.plays_of(self.hands[self.turn])
        if not plays:
            return [DRAW]
        if self.rules.draw == "optional" and self.can_draw(1):
            plays.append(DRAW)
        return plays

    def answers(self) -> list[int]:
        """Return the plays that answer what is owed: +2 on +2, +4 on +4, and if it may rise +4 on +2."""
        if self.rules.stack == "no":
            return []
        top, answering = self.played[-1], []
        for card in self.hands[self.turn]:
            same = card == top == WILD_FOUR or rank_of(card) == rank_of(top) == DRAW_TWO
            rises = self.rules.stack == "rising" and rank_of(top) == DRAW_TWO and card == WILD_FOUR
            if same or rises:
                answering.append(card)
        return self.plays_of(answering)

    def plays_of(self, cards: Sequence[int]) -> list[int]:
        """Return the actions that play one of these cards of the player to move."""
        plays = []
        top_rank = rank_of(self.played[-1])
        for card in sorted(set(cards)):
            if card == WILD:
                plays += [52 + colour for colour in self.colours]
            elif card == WILD_FOUR:
                if self.rules.wild_four != "last_resort" or not self.holds_active_colour():
                    plays += [56 + colour for colour in self.colours]
            elif card // RANKS_PER_COLOUR == self.colour or card % RANKS_PER_COLOUR == top_rank:
                plays.append(card)
        return plays

    def holds_active_colour(self) -> bool:
        """Return whether the player to move has a card of the active colour."""
        return any(colour_of(card) == self.colour for card in self.hands[self.turn])

    def can_draw(self, count: int) -> bool:
        """Return whether so many cards can be drawn, with a reshuffle if there is one."""
        if len(self.pile) >= count:
            return True
        if self.rules.reshuffle == "no":
            return False
        return len(self.pile) + len(self.played) - 1 >= count

    # What happens

    def needs_reshuffle(self, action: int) -> bool:
        """Return whether this action sends the played pile back on its way (a top card alone stays where it is)."""
        if self.rules.reshuffle == "no" or len(self.played) == 1:
            return False
        if action == CHALLENGE:
            return len(self.pile) < (4 if self.is_guilty() else 6)
        if action != DRAW:
            return False
        if self.penalty == 0 and self.rules.draw == "until_playable":
            return not any(self.fits(card) for card in self.pile)
        return len(self.pile) < (self.penalty or 1)

    def fits(self, card: int) -> bool:
        """Return whether a card could be played on the top card, by colour or rank; a black one always."""
        if card >= COLOURED_TYPES:
            return True
        return colour_of(card) == self.colour or rank_of(card) == rank_of(self.played[-1])

    def act(self, action: int, new_pile: Sequence[int] | None = None) -> None:
        """Do a legal action; `new_pile` is the whole draw pile after the reshuffle that it needs, if any."""
        self.just_drawn, self.drawn_first, self.drawer, self.shown = [], 0, self.turn, None
        self.swapped = False
        if action == DRAW and self.penalty == 0 and self.rules.draw == "until_playable":
            self.draw_until_playable(new_pile)
        elif action == DRAW:
            self.draw(new_pile)
        elif action == KEEP:
            self.drawn = None
            self.turn = 1 - self.turn
        elif action == CHALLENGE:
            self.challenge(new_pile)
        else:
            self.play(action)

    def play(self, action: int) -> None:
        """Play a card from the hand of the player to move."""
        card, colour = card_and_colour(action)
        colour_before = self.colour
        self.hands[self.turn].remove(card)
        self.played.append(card)
        self.colour = colour
        self.drawn = None
        if not self.hands[self.turn]:
            self.reason = "emptied hand"
            self.winner = self.turn
            return
        rank = rank_of(card)
        if card == WILD_FOUR:
            self.penalty += 4
            if self.rules.wild_four == "challenge":
                self.colour_before = colour_before
        if rank == DRAW_TWO:
            self.penalty += 2
        if rank in (0, 7) and self.rules.swap == "seven_zero":
            self.hands.reverse()
            self.swapped = True
        if rank in (SKIP, REVERSE) and self.rules.skip == "again":
            return
        self.turn = 1 - self.turn

    def draw(self, new_pile: Sequence[int] | None) -> None:
        """Draw the penalty, or one card."""
        is_penalty = self.penalty > 0
        if self.needs_reshuffle(DRAW):
            self.reshuffle(new_pile)
        if not self.take(self.turn, self.penalty if is_penalty else 1):
            return
        self.settle()
        if not is_penalty and self.rules.drawn_card == "may_play":
            self.drawn = self.just_drawn[0]
            return
        self.turn = 1 - self.turn

    def take(self, seat: int, count: int) -> bool:
        """Give a player so many cards; if they are not there the game ends, and it is said."""
        if len(self.pile) < count:
            self.exhausted()
            return False
        for _ in range(count):
            card = self.pile.pop()
            self.just_drawn.append(card)
            self.hands[seat].append(card)
        return True

    def settle(self) -> None:
        """Nothing is owed any more, and nothing can be challenged."""
        self.penalty = 0
        self.colour_before = None

    def draw_until_playable(self, new_pile: Sequence[int] | None) -> None:
        """Draw cards one by one; the first that fits ends it and has to be played."""
        send_back = self.needs_reshuffle(DRAW)
        while True:
            if not self.pile and send_back:
                self.drawn_first = len(self.just_drawn)
                self.reshuffle(new_pile)
                send_back = False
            if not self.take(self.turn, 1):
                return
            if self.fits(self.just_drawn[-1]):
                self.drawn = self.just_drawn[-1]
                return

    def is_guilty(self) -> bool:
        """Return whether who played the wild +4 holds a card of the colour before it."""
        return any(colour_of(card) == self.colour_before for card in self.hands[1 - self.turn])

    def challenge(self, new_pile: Sequence[int] | None) -> None:
        """Look at the hand of who played the wild +4; one of the two draws."""
        other = 1 - self.turn
        self.shown = list(self.hands[other])
        guilty = self.is_guilty()
        self.drawer = other if guilty else self.turn
        if self.needs_reshuffle(CHALLENGE):
            self.reshuffle(new_pile)
        if not self.take(self.drawer, 4 if guilty else 6):
            return
        self.settle()
        if not guilty:
            self.turn = other

    def reshuffle(self, new_pile: Sequence[int] | None) -> None:
        """Send the played pile except its top card back, in the order given."""
        together = self.pile + self.played[:-1]
        assert new_pile is not None, "a reshuffle needs an order"
        assert sorted(new_pile) == sorted(together), "a reshuffle lost, found or changed a card"
        self.pile = list(new_pile)
        self.played = self.played[-1:]
        self.reshuffles += 1

    def exhausted(self) -> None:
        """End a game whose deck can't give a card: fewer cards in hand wins."""
        self.reason = "deck exhausted"
        first, second = len(self.hands[0]), len(self.hands[1])
        if first < second:
            self.winner = 0
        if second < first:
            self.winner = 1
