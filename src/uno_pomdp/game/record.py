"""A whole game as data: what a record says, in full or as one seat saw it, and its replay."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from uno_pomdp.cards import Cards, CardType
from uno_pomdp.errors import InvalidRecord, UnoError
from uno_pomdp.game.actions import FORGOT_UNO, seat_name
from uno_pomdp.game.deal import Midgame
from uno_pomdp.game.game import Deal, Game
from uno_pomdp.game.layout import Seat
from uno_pomdp.game.move import Hidden, Move, Pile
from uno_pomdp.game.outcome import Outcome
from uno_pomdp.game.scoring import MatchRound
from uno_pomdp.quantities import count_of
from uno_pomdp.rules import Rules

HUMAN: Final = "human"
"""What a person is called in records."""
Hand = Cards | Hidden
"""A hand, or its size."""


@dataclass(frozen=True, slots=True)
class Undone:
    """Moves that were taken back together in a practice game."""

    after: int
    """How many moves stood after it."""
    moves: tuple[Move, ...]
    """What was taken back."""


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One game from the deal, or from a position in the middle, to its end or as far as it went.

    >>> import uno_pomdp as uno
    >>> record = uno.record_of(uno.Game.new("house", seed=5), players=("Ann", "flat"))
    >>> record.players, record.seed, record.moves
    (('Ann', 'flat'), 5, ())
    """

    rules: Rules
    """The rules it was played by."""
    players: tuple[str, str]
    """Who played, in words."""
    top: CardType
    """The first top card."""
    hands: tuple[Hand, Hand]
    """Both hands at the deal."""
    pile: Pile
    """The draw pile at the deal."""
    moves: tuple[Move, ...]
    """Every move of both players that stands."""
    outcome: Outcome | None
    """How it ended; None for a game that has not."""
    seed: int | None
    """The deck's seed; None in an observer's record, for it would tell everything."""
    observer: Seat | None = None
    """Whose record it is; None for the whole."""
    midgame: Midgame | None = None
    """How the table stood if the game was begun in the middle; None for a deal."""
    match: MatchRound | None = None
    """Where the match stood of which it is a round; None for a single game."""
    undone: tuple[Undone, ...] = ()
    """What was taken back, in the order in which it was: with the moves that stand, the whole course of the game."""
    practice: bool = False
    """Whether it is a practice game, which does not count: always so where moves were taken back."""
    coach: str | None = None
    """The coach that the person has chosen, by the text that makes it; None for the usual one."""
    belief: str | None = None
    """The belief that is shown beside the exact one, by the text that makes it; None for the usual one."""

    @property
    def person(self) -> Seat | None:
        """Where the person sits; None if it is no game of one person against an agent."""
        return self.players.index(HUMAN) if self.players.count(HUMAN) == 1 else None

    def __post_init__(self) -> None:
        if self.undone and not self.practice:
            object.__setattr__(self, "practice", True)

    def __repr__(self) -> str:
        whose = "" if self.observer is None else f", as {seat_name(self.observer)} saw it"
        result = self.outcome or "unfinished"
        return (
            f"<GameRecord of {self.rules.name}: {' v '.join(self.players)}, {len(self.moves)} moves, {result}{whose}>"
        )


def record_of(
    game: Game,
    players: tuple[str, str] = ("unknown", "unknown"),
    *,
    match: MatchRound | None = None,
    undone: Iterable[Undone] = (),
    practice: bool = False,
    coach: str | None = None,
    belief: str | None = None,
) -> GameRecord:
    """Return all of a game as data; what was taken back in it is not the game's to know (see `take_back`).

    >>> import uno_pomdp as uno
    >>> uno.record_of(uno.Game.new("house", seed=5)).rules.name
    'house'
    """
    deal = game.deal
    return GameRecord(
        rules=game.rules,
        players=players,
        top=deal.top,
        hands=deal.hands,
        pile=deal.pile,
        moves=game.moves,
        outcome=game.outcome,
        seed=game.seed,
        midgame=deal.midgame,
        match=match,
        undone=tuple(undone),
        practice=practice,
        coach=coach,
        belief=belief,
    )


def observed(record: GameRecord, seat: Seat) -> GameRecord:
    """Return the record as this seat could have written it.

    >>> import uno_pomdp as uno
    >>> record = uno.record_of(uno.Game.new("house", seed=5))
    >>> uno.observed(record, seat=0).hands[1]
    Hidden(count=7)
    """
    if record.observer is not None and record.observer != seat:
        raise InvalidRecord(f"this is {seat_name(record.observer)}'s record: what the other saw is not in it")
    first, second = (hand if owner == seat else Hidden(len(hand)) for owner, hand in enumerate(record.hands))
    return replace(
        record,
        hands=(first, second),
        pile=Hidden(len(record.pile)),
        moves=tuple(move.seen_by(seat) for move in record.moves),
        undone=tuple(Undone(each.after, tuple(move.seen_by(seat) for move in each.moves)) for each in record.undone),
        seed=None,
        observer=seat,
    )


def replay(record: GameRecord) -> Game:
    """Return the game that a whole record tells; an observer's record can't be replayed.

    >>> import uno_pomdp as uno
    >>> game = uno.Game.new("house", seed=5)
    >>> game.play("Y9")
    >>> uno.replay(uno.record_of(game)) == game
    True
    """
    replayed = OpenReplay(record)
    for entry in course(record):
        if isinstance(entry, int):
            replayed.take_back(entry)
        else:
            replayed.follow(entry)
    check_end(record, replayed.game)
    return replayed.game


class OpenReplay:
    """The game of a whole record, carried out move by move; where moves will be taken back, a copy is kept."""

    def __init__(self, record: GameRecord) -> None:
        self.game = start(record)
        """The game so far."""
        self._places = {undone.after for undone in record.undone}
        self._kept: dict[int, Game] = {}
        self._made = 0
        self._keep()

    def __repr__(self) -> str:
        return f"<OpenReplay of {self.game}>"

    def follow(self, move: Move) -> None:
        """Carry out the next move."""
        follow_openly(self.game, move)
        self._made += 1
        self._keep()

    def take_back(self, moves: int) -> None:
        """Take the last moves back, as the record says."""
        self._made -= moves
        self.game = self._kept[self._made].copy()

    def _keep(self) -> None:
        if self._made in self._places:
            self._kept[self._made] = self.game.copy()


def take_back(record: GameRecord, moves: int = 1) -> GameRecord:
    """Return the record of a practice game after its last moves were taken back: they stay in it as undone."""
    if not 1 <= moves <= len(record.moves):
        raise InvalidRecord(f"{count_of(moves, 'move')} can't be taken back: the game has {len(record.moves)}")
    left = len(record.moves) - moves
    undone = Undone(left, record.moves[left:])
    return replace(record, moves=record.moves[:left], outcome=None, undone=(*record.undone, undone), practice=True)


def course(record: GameRecord) -> list[Move | int]:
    """Return all that was done in order: every move, and as a number how many were taken back there.

    It is found backwards: before an undo those moves stood that stood after it, and then what it took back.
    """
    stood = list(record.moves)
    backwards: list[Move | int] = []
    for undone in reversed(record.undone):
        if not 0 <= undone.after <= len(stood) or not undone.moves:
            raise InvalidRecord(f"no moves were taken back so that {undone.after} were left: {len(stood)} came later")
        backwards += [*stood[: undone.after - 1 if undone.after else None : -1], len(undone.moves)]
        stood[undone.after :] = undone.moves
    return [*stood, *reversed(backwards)]


def settled(entries: Iterable[Move | int]) -> tuple[tuple[Move, ...], tuple[Undone, ...]]:
    """Return the moves that stand after all that was done, and what was taken back: `course` undoes it."""
    stand: list[Move] = []
    undone: list[Undone] = []
    for entry in entries:
        if not isinstance(entry, int):
            stand.append(entry)
            continue
        if not 1 <= entry <= len(stand):
            raise InvalidRecord(f"{count_of(entry, 'move')} can't be taken back: the game has {len(stand)}")
        left = len(stand) - entry
        undone.append(Undone(left, tuple(stand[left:])))
        del stand[left:]
    return tuple(stand), tuple(undone)


def start(record: GameRecord) -> Game:
    """Return the game of a whole record before its first move."""
    first, second = record.hands
    if isinstance(first, Hidden) or isinstance(second, Hidden) or isinstance(record.pile, Hidden):
        who = "an observer" if record.observer is None else seat_name(record.observer)
        raise InvalidRecord(f"the record of {who} hides cards: only a whole record can be replayed")
    deal = Deal(record.top, (first, second), record.pile, record.midgame)
    return Game.from_deal(record.rules, deal, record.seed or 0)


def follow_openly(game: Game, move: Move) -> None:
    """Carry out a move of a whole record, which names every card."""
    if isinstance(move.drawn, Hidden) or isinstance(move.reshuffled, Hidden):
        raise InvalidRecord("a whole record names every card: nothing in it is hidden")
    follow(game, move)


def follow(game: Game, move: Move) -> None:
    """Carry out a recorded move, and refuse it where the game would have gone otherwise."""
    if move.action != FORGOT_UNO and move.seat != game.turn and not game.over:
        raise InvalidRecord(f"it is {seat_name(game.turn)}'s turn, not {seat_name(move.seat)}'s")
    try:
        game.repeat(move)
    except UnoError as error:
        raise InvalidRecord(str(error)) from error
    done = game.last_move
    if (move.reshuffled is None) != (done.reshuffled is None):
        raise InvalidRecord("the draw needs a reshuffle line before it")
    if isinstance(move.reshuffled, Hidden) and move.reshuffled.count != len(done.reshuffled or ()):
        raise InvalidRecord(f"the reshuffled pile has {count_of(len(done.reshuffled or ()), 'card')}")
    if isinstance(move.drawn, Hidden):
        if move.drawn.count != len(done.cards):
            raise InvalidRecord(f"the draw here is of {count_of(len(done.cards), 'card')}, not {move.drawn.count}")
    elif move.drawn != done.cards:
        raise InvalidRecord(f"the cards drawn here are {_names(done.cards)}, not {_names(move.drawn)}")
    if move.first != done.first:
        raise InvalidRecord(
            f"the draw here takes {count_of(done.first, 'card')} before the reshuffle, not {move.first}"
        )
    if move.guilty != done.guilty:
        raise InvalidRecord(f"{seat_name(done.drawer)} has to draw here, not {seat_name(move.drawer)}")
    if move.shown != done.shown:
        raise InvalidRecord(f"the hand shown here is {done.shown}, not {move.shown}")
    if move.swapped != done.swapped:
        held = "not swapped" if done.swapped is None else f"{done.swapped[0]} and {done.swapped[1]} after the swap"
        raise InvalidRecord(f"the hands here are {held}")


def check_end(record: GameRecord, game: Game) -> None:
    """Refuse a result that is not the game's."""
    if record.outcome != game.outcome:
        told = record.outcome or "unfinished"
        raise InvalidRecord(f"the result is {game.outcome or 'unfinished'}, not {told}")


def _names(cards: tuple[CardType, ...]) -> str:
    return " ".join(str(Cards.of([card])) for card in cards) or "none"
