"""The review of a game: for each player a coach, which sees only what that player saw, values every move."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final

from uno_pomdp.agents.agent import Agent, InvalidAgent
from uno_pomdp.default_agents import COACH, coach_for
from uno_pomdp.errors import InvalidRecord
from uno_pomdp.evaluation.luck import Luck, luck_of
from uno_pomdp.evaluation.win_probability import win_probability_for
from uno_pomdp.game.actions import seat_name
from uno_pomdp.game.consistency import ConsistencyCheck
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import SEATS, Seat
from uno_pomdp.game.move import Hidden, Move
from uno_pomdp.game.observed_game import ObservedGame
from uno_pomdp.game.record import GameRecord, check_end, follow_openly, record_of, start
from uno_pomdp.game.rng import player_seed, sequence
from uno_pomdp.registry import make_agent
from uno_pomdp.review.judgement import Review, ReviewedMove
from uno_pomdp.rules import Rules
from uno_pomdp.search.move_values import MoveValues, ValuesMoves

SEED: Final = 1
"""The coach's seed unless another is given: the same game then has the same review."""
Report = Callable[[int, int], None]
"""Called with how many moves are judged, and how many there are."""


def review_game(
    game: GameRecord | Game,
    coach: str | None = None,
    seed: int = SEED,
    report: Report | None = None,
    seats: tuple[Seat, ...] | None = None,
) -> Review:
    """Return a coach's review of a game: by default of both players' moves, of an observed record only the observer's.

    >>> import uno_pomdp as uno
    >>> record = uno.play_game("mini-9", 2, ("greedy", "random"), record=True).record
    >>> review = uno.review_game(record, coach="flat:sims=200")
    >>> len(review.moves) == len(record.moves)
    True
    """
    record = record_of(game) if isinstance(game, Game) else game
    hidden = record.midgame is not None and record.midgame.hidden > 0
    coach = coach or coach_for(record.rules, all_known=not hidden)
    judged = _judged(record, seats)
    replayed, follow = opened(record)
    table = ObservedGame.of_record(record) if hidden else None  # what is replayed has guesses for played cards
    coaches = {seat: make_coach(coach, record.rules, seat) for seat in judged}
    seeds = sequence(seed).spawn(len(SEATS))
    for seat, agent in coaches.items():
        first = replayed.observation(seat) if table is None else table.observation
        agent.start(record.rules, first, player_seed(seeds[seat]))
    evaluator = win_probability_for(record.rules)
    luck = luck_of(record, evaluator) if record.observer is None else None
    chances = [evaluator.value(replayed.to_state())]
    moves: list[ReviewedMove] = []
    for number, move in enumerate(record.moves):
        if report is not None:
            report(number, len(record.moves))
        moves.append(_reviewed(number, move, replayed, coaches, luck))
        follow(move)
        if table is not None:
            table.repeat(move, record.outcome if number + 1 == len(record.moves) else None)
        for seat, agent in coaches.items():
            agent.update(*(replayed.last_step(seat) if table is None else (table.events[-1], table.observation)))
        chances.append(evaluator.value(replayed.to_state()))
    check_end(record, replayed)
    if report is not None:
        report(len(record.moves), len(record.moves))
    open_hands = tuple(chances) if record.observer is None else ()
    repeatable = not any(agent.timed for agent in coaches.values())
    return Review(record, coach, seed, judged, tuple(moves), luck, open_hands, repeatable)


def make_coach(text: str, rules: Rules, seat: Seat) -> Agent:
    """Return the agent that a text names, if it can judge moves of this seat under these rules."""
    agent = make_agent(text)
    if not agent.can.values_moves:
        raise InvalidAgent(f"{text} can't be a coach: choose one that values every move, such as {COACH} or ismcts")
    agent.check_game(rules, seat)
    return agent


def _judged(record: GameRecord, seats: tuple[Seat, ...] | None) -> tuple[Seat, ...]:
    if record.observer is None:
        return SEATS if seats is None else seats
    if seats is not None and seats != (record.observer,):
        raise InvalidRecord(
            f"this is {seat_name(record.observer)}'s record: only {seat_name(record.observer)}'s moves can be judged, "
            "for what the other knew is not in it"
        )
    return (record.observer,)


def opened(record: GameRecord) -> tuple[Game, Callable[[Move], None]]:
    """Return the game before its first move, and a function that carries out a recorded one."""
    if record.observer is None:
        game = start(record)
        return game, partial(follow_openly, game)
    witness = ConsistencyCheck(record, record.observer)
    return witness.game, witness.follow


def _reviewed(number: int, move: Move, game: Game, coaches: dict[Seat, Agent], luck: Luck | None) -> ReviewedMove:
    """Return the judgement of a move that is about to be carried out; an illegal one is left to the rules."""
    lucks = (
        {}
        if luck is None
        else {chance.move: chance.luck if chance.seat == 0 else -chance.luck for chance in luck.chances}
    )
    sizes = _sizes_after(move, game)
    plain = ReviewedMove(number + 1, move.seat, move.action, sizes, move.drawn, luck=lucks.get(number))
    agent = coaches.get(move.seat)
    if agent is None:
        return plain
    legal = game.observation(move.seat).legal_actions()
    if len(legal) < 2 or move.action not in legal:
        return replace(plain, forced=True)
    assert isinstance(agent, ValuesMoves)
    return judged_move(plain, agent.move_values())


def _sizes_after(move: Move, game: Game) -> tuple[int, int]:
    """Return how many cards each player holds after a move that is about to be carried out."""
    sizes = [len(game.hand(seat)) for seat in SEATS]
    sizes[move.drawer] += move.drawn.count if isinstance(move.drawn, Hidden) else len(move.drawn)
    sizes[move.seat] -= move.action.card is not None
    return (sizes[0], sizes[1]) if move.swapped is None else (sizes[1], sizes[0])


def judged_move(move: ReviewedMove, weighing: MoveValues) -> ReviewedMove:
    """Return a move with what was found about it."""
    loss, error = weighing.loss(move.action)
    return replace(
        move,
        forced=False,
        candidates=weighing.candidates,
        line=weighing.line,
        before=weighing.value(weighing.best),
        after=weighing.value(move.action),
        loss=loss,
        error=error,
        lie=weighing.lie,
        note=weighing.note,
    )
