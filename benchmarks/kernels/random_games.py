"""Random self-play inside kernels, to measure the speed of the rules."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from uno_pomdp.errors import InvalidDeal
from uno_pomdp.game.bits import random_bit
from uno_pomdp.game.kernels import apply, deal, legal_mask
from uno_pomdp.game.layout import DECK_EXHAUSTED, DRAW, DRAW_BIT, RUNNING, STATE, Record, States, template
from uno_pomdp.game.rng import Stream, Streams, seeds, sequence, streams
from uno_pomdp.jit import kernel
from uno_pomdp.rules import Rules


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts over many games."""

    first_wins: int
    """Games won by player 1."""
    second_wins: int
    """Games won by player 2."""
    draws: int
    """Games without a winner."""
    exhausted: int
    """Games that ended because the deck could not give the cards asked for."""
    decisions: int
    """Actions of both players, forced ones included."""
    reshuffles: int
    """Times the played pile went back."""

    @property
    def games(self) -> int:
        """All games."""
        return self.first_wins + self.second_wins + self.draws


@kernel
def finish_randomly(state: Record, stream: Stream) -> tuple[int, int]:
    """Play a game to its end, every legal action equally likely; return decisions and reshuffles."""
    decisions = 0
    reshuffles = 0
    while state["status"] == RUNNING:
        legal = legal_mask(state)
        if legal == DRAW_BIT:  # most forced moves: nothing to choose
            reshuffles += apply(state, DRAW)
        else:
            reshuffles += apply(state, random_bit(legal, stream))
        decisions += 1
    return decisions, reshuffles


@kernel
def tally_random_games(
    undealt: States,
    table: States,
    hand_size: int,
    deal_seeds: npt.NDArray[np.uint64],
    players: Streams,
    tally: npt.NDArray[np.int64],
) -> None:
    """Deal and play one game per seed on a table of one record, adding to the six counts of a `Tally`."""
    for index in range(len(deal_seeds)):
        deal(table, 0, undealt, hand_size, deal_seeds[index])
        state = table[0]
        decisions, reshuffles = finish_randomly(state, players[0])
        tally[state["winner"]] += 1
        tally[3] += state["status"] == DECK_EXHAUSTED
        tally[4] += decisions
        tally[5] += reshuffles


def play_random_games(rules: Rules, games: int, seed: int) -> Tally:
    """Play many games of two random players; the same seed gives the same tally."""
    if games < 1:
        raise InvalidDeal(f"{games} games can't be played: give a number of at least 1")
    deals, moves = sequence(seed).spawn(2)
    tally = np.zeros(6, np.int64)
    table = np.zeros(1, STATE)
    tally_random_games(template(rules), table, rules.hand_size, seeds(deals, games), streams(moves), tally)
    return Tally(*map(int, tally))
