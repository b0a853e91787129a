"""The vectorised environment: many games at once, each played to its next choice inside kernels.

A *table* is one slot of the environment, where one game after the other is played. Forced moves, the moves of a
scripted opponent, endings and new deals happen inside; each choice that is left is written as a row of features
(`nets.policy_features`). Nothing here runs Python for a single game. *Colours by place* are those of the features:
renumbered, the active colour first.
"""

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Ints, Singles
from uno_pomdp.beliefs.mixture.pool import UNKNOWN, BeliefPool, act, begin_belief, begin_beliefs, count_unseen
from uno_pomdp.cards import CARD_TYPES, COLOURED_TYPES, COLOURS, RANKS_PER_COLOUR
from uno_pomdp.game.bits import lowest_bit, several
from uno_pomdp.game.kernels import deal, legal_mask, observe
from uno_pomdp.game.layout import FIRST, NOBODY, RUNNING, Observations, Record, States
from uno_pomdp.game.rng import GOLDEN, Streams, mix
from uno_pomdp.jit import as_int, kernel
from uno_pomdp.nets.policy_features import encode, renamed
from uno_pomdp.policies.kernels import Weights, choose

Bytes = npt.NDArray[np.uint8]

NO_SCRIPT: Final = -1
"""As the scripted opponent: there is none. The learner chooses for both seats, or a net for the other one."""
BOTH: Final = 2
"""As the learner's seat: both."""
GAMES, FIRST_WINS, SECOND_WINS, DRAWS, MOVES, CHOICES, LEARNER_POINTS = range(7)
"""Places of the counts: endings, by winner; all actions; choices of learners; doubled points of one learner."""
COUNTS: Final = 7

_ONE = np.uint64(1)


class GameTables(NamedTuple):
    """Games in progress, and what they need."""

    states: States
    """The games."""
    beliefs: BeliefPool
    """The beliefs of both seats of each game."""
    order: npt.NDArray[np.int64]
    """By table: the order of colours of the last row written (`nets.policy_features.Order`)."""
    keys: npt.NDArray[np.uint64]
    """By table: the key from which the seeds of its deals are derived; tables with equal keys have equal deals."""
    dealt: Ints
    """By table: how many games were dealt there."""
    finished: Ints
    """By table: how many were played to their end."""
    points: Ints
    """By table: doubled points of a learner with one seat, over the first `limit` games there."""
    learner: Ints
    """By table: which seat learns, or `BOTH`; a single learner changes seats where `swaps` says so."""
    streams: Streams
    """The random stream for the choices of scripted opponents."""
    undealt: States
    """A state record before the deal, to start games from."""
    deck: Bytes
    """Cards of each type."""
    seen: Observations
    """Scratch space for an observation."""
    unseen: Bytes
    """Scratch space for the unseen cards of a seat."""
    counts: Ints
    """What has happened, in `COUNTS` places."""


class Rows(NamedTuple):
    """What is written for each table when it waits for a choice."""

    features: Singles
    """By table: the encoding for the seat to move."""
    hidden: Bytes
    """By table: the opponent's hand, colours by place: for a critic that sees both hands."""
    mover: Bytes
    """By table: the seat to move."""
    ended: Bytes
    """By table: whether the game of the choice before has ended."""
    result: npt.NDArray[np.int8]
    """By table: its result for player 1."""


@kernel
def deal_next(tables: GameTables, table: int, hand_size: int, swaps: bool) -> None:
    """Deal the next game of a table; a single learner takes the other seat if it changes them."""
    number = np.uint64(tables.dealt[table])
    deal(tables.states, table, tables.undealt, hand_size, mix(tables.keys[table] + GOLDEN * (number + _ONE)))
    if swaps and tables.dealt[table] > 0:
        tables.learner[table] = 1 - tables.learner[table]
    tables.dealt[table] += 1
    begin_beliefs(tables.beliefs, table, tables.states[table], tables.deck)


@kernel
def note_ending(tables: GameTables, table: int, limit: int) -> int:
    """Count a game that has ended; return its result for player 1."""
    winner = as_int(tables.states[table]["winner"])
    counts = tables.counts
    counts[GAMES] += 1
    counts[FIRST_WINS + winner] += 1
    learner = tables.learner[table]
    if learner != BOTH and tables.finished[table] < limit:
        doubled = 1 if winner == NOBODY else 2 * as_int(winner == learner)
        counts[LEARNER_POINTS] += doubled
        tables.points[table] += doubled
    tables.finished[table] += 1
    return 0 if winner == NOBODY else 1 if winner == FIRST else -1


@kernel
def play_on(
    tables: GameTables,
    rows: Rows,
    actions: Bytes,
    first: int,
    end: int,
    begin: bool,
    hand_size: int,
    script: int,
    weights: Weights,
    swaps: bool,
    limit: int,
) -> None:
    """Carry out a choice at each table from `first` to `end`, then play on to the next choice and write it.

    `actions` name colours by place. With `begin` games are dealt and no choice is carried out.
    """
    for table in range(first, end):
        state = tables.states[table]
        rows.ended[table] = 0
        rows.result[table] = 0
        if begin:
            deal_next(tables, table, hand_size, swaps)
        else:
            chosen = renamed(as_int(actions[table]), tables.order[table, 0])
            act(tables.beliefs, table, state, chosen, tables.deck)
            tables.counts[MOVES] += 1
            tables.counts[CHOICES] += 1
        while True:
            if state["status"] != RUNNING:
                result = note_ending(tables, table, limit)
                if not rows.ended[table]:
                    rows.ended[table] = 1
                    rows.result[table] = result
                deal_next(tables, table, hand_size, swaps)
                continue
            legal = legal_mask(state)
            if not several(legal):
                act(tables.beliefs, table, state, lowest_bit(legal), tables.deck)
            elif script != NO_SCRIPT and as_int(state["turn"]) != tables.learner[table]:
                chosen = choose(script, state, legal, weights[0], tables.streams[0])
                act(tables.beliefs, table, state, chosen, tables.deck)
            else:
                break
            tables.counts[MOVES] += 1
        write_row(tables, rows, table, state, legal)


@kernel
def write_row(tables: GameTables, rows: Rows, table: int, state: Record, legal: np.uint64) -> None:
    """Write what the seat to move knows, and what only a critic may see."""
    seat = as_int(state["turn"])
    beliefs = tables.beliefs
    order = tables.order[table]
    observe(tables.seen[0], state, seat)
    count_unseen(state, seat, tables.deck, tables.unseen)
    if beliefs.floor >= UNKNOWN:
        begin_belief(beliefs, table, state, seat, tables.deck)
    at = beliefs.place[table, seat]
    encode(tables.seen[0], tables.unseen, beliefs.pool, at, beliefs.traces[table], legal, order, rows.features[table])
    for place in range(len(COLOURS)):
        start = RANKS_PER_COLOUR * order[0, place]
        for rank in range(RANKS_PER_COLOUR):
            rows.hidden[table, RANKS_PER_COLOUR * place + rank] = state["hand"][1 - seat, start + rank]
    for card in range(COLOURED_TYPES, CARD_TYPES):
        rows.hidden[table, card] = state["hand"][1 - seat, card]
    rows.mover[table] = seat
