"""How good a belief is: its distance to a reference, its log-loss and its calibration, over many games.

All decisions of one game are about nearly the same hidden hand, so they are not independent of each other; games
are. Every interval here comes from sums or means per game. What is to be compared with the truth is added up over
decisions and divided by their number (`ratio`): in a mean of per-game means a decision weighs less the longer its game
lasts, which nobody knows when it is made and which depends on the hidden hand, so that even the exact posterior would
look biased. Logarithms are natural: losses are in nats.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Final

import numpy as np
import numpy.typing as npt

from uno_pomdp.arrays import Floats
from uno_pomdp.beliefs.belief import Belief, Diagnostics, Seed
from uno_pomdp.beliefs.enumerated import EnumeratedBelief
from uno_pomdp.cards import Cards
from uno_pomdp.errors import UnoError
from uno_pomdp.game.actions import Action
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import FIRST, NO_CARD, STACK, Seat
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.rng import seeds, sequence
from uno_pomdp.policies.kernels import GREEDY
from uno_pomdp.policies.opponent_models import MemorylessModel, PolicyModel, other_side
from uno_pomdp.rules import Rules

Maker = Callable[[Rules, Observation, np.random.SeedSequence], Belief]
"""Makes a belief at the deal; the seed is for beliefs that use chance."""

EDGES: Final = (0.0, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
"""Where the bins of a calibration table begin and end: narrow where most predictions lie."""
FEWEST_GAMES: Final = 100
"""A bin with predictions from fewer games is shown but not tested: its error can't be estimated well."""
DRAWS: Final = 2_000
"""Draws of the multiplier bootstrap for a simultaneous band."""


class TooFewGames(UnoError):
    """Fewer games than an interval can be made from."""


# --- watching games --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Moment:
    """One point of a game: what the observer sees, what is hidden from it, and its beliefs about that."""

    observation: Observation
    """What the observer sees."""
    hidden: Cards
    """The opponent's hand."""
    beliefs: Mapping[str, Belief]
    """The beliefs by name, all up to date; the same objects at every moment of a game."""

    @property
    def opponent_chooses(self) -> bool:
        """Whether the opponent is to move and is not made to draw a penalty: it could answer or challenge that."""
        seen = self.observation
        free = seen.penalty == 0 or seen.variant & STACK != 0 or seen.before is not None
        return seen.outcome is None and seen.turn != seen.seat and free


def watch(
    rules: Rules,
    makers: Mapping[str, Maker],
    seed: Seed,
    *,
    opponent: MemorylessModel | None = None,
    own: MemorylessModel | None = None,
    seat: Seat = FIRST,
) -> Iterator[Moment]:
    """Play a game in which both players really follow a model, and run beliefs side by side from one seat.

    Yields the deal and then every action, the last one included. Unless told otherwise both players are greedy.
    The game does not depend on the beliefs: with the same seed others see the same one.
    """
    deal, moves, *belief_seeds = sequence(seed).spawn(2 + len(makers))
    chance = np.random.default_rng(moves)
    game = Game.new(rules, int(seeds(deal, 1)[0]))
    first = game.observation(seat)
    beliefs = {
        name: make(rules, first, belief_seed)
        for (name, make), belief_seed in zip(makers.items(), belief_seeds, strict=True)
    }
    models = (opponent or PolicyModel(GREEDY), own or PolicyModel(GREEDY))
    yield Moment(first, game.hand(1 - seat), beliefs)
    while not game.over:
        game.apply(choose(game, models[game.turn == seat], chance))
        step = game.last_step(seat)
        for belief in beliefs.values():
            belief.update(*step)
        yield Moment(step.observation, game.hand(1 - seat), beliefs)


def choose(game: Game, model: MemorylessModel, chance: np.random.Generator) -> Action:
    """Return what the player to move does if it plays by the model: an action drawn from its probabilities."""
    seen = other_side(game.observation(1 - game.turn))
    hand = game.hand(game.turn).array()[None, :]
    drawn = np.array([NO_CARD if game.drawn is None else game.drawn], np.uint8)
    legal = game.legal_actions()
    logs = [model.log_probabilities(seen, hand, drawn, action.id)[0] for action in legal]
    return legal[int(chance.choice(len(legal), p=np.exp(logs)))]


# --- one belief at one moment ----------------------------------------------------------------------------


def possible_types(belief: Belief) -> npt.NDArray[np.bool_]:
    """Return which types have an unseen card: about all others there is nothing to say."""
    return belief.observation.unseen(belief.rules).array() > 0


def held_probabilities(belief: Belief) -> Floats:
    """Return P(type held) of the types with an unseen card, clipped to [0, 1] against rounding errors."""
    return np.clip(belief.probabilities()[possible_types(belief)], 0.0, 1.0)


def log_loss(belief: Belief, hidden: Cards) -> float:
    """Return the mean over the types with an unseen card of −ln P(held), or of −ln P(not held) if it is not.

    In nats; 0 for a belief that knows the hand, infinite for one that excludes the truth.
    """
    truth = hidden.array()[possible_types(belief)] > 0
    return bernoulli_loss(held_probabilities(belief), truth)


def bernoulli_loss(predicted: Floats, truth: npt.NDArray[np.bool_]) -> float:
    """Return the mean of −ln p where it is true and −ln (1 − p) where it is not."""
    with np.errstate(divide="ignore"):
        losses = -np.log(np.where(truth, predicted, 1.0 - predicted))
    return float(losses.mean()) if len(losses) else 0.0


def total_variation(belief: Belief, reference: Belief) -> float:
    """Return the mean over the types with an unseen card of |P(held) − Q(held)|, Q the reference."""
    return float(np.abs(held_probabilities(belief) - held_probabilities(reference)).mean())


def kl(belief: Belief, reference: Belief) -> float:
    """Return the mean over the types with an unseen card of KL(Q ‖ P) of held or not held, Q the reference; nats."""
    p, q = held_probabilities(belief), held_probabilities(reference)
    return float((_kl_terms(p, q) + _kl_terms(1.0 - p, 1.0 - q)).mean())


def hand_total_variation(belief: Belief, reference: EnumeratedBelief) -> float:
    """Return ½ Σ over all hands of |P(hand) − Q(hand)|; what P gives to hands outside Q's support counts too."""
    p, q = _hand_distributions(belief, reference)
    return float((np.abs(p - q).sum() + max(1.0 - p.sum(), 0.0)) / 2)


def hand_kl(belief: Belief, reference: EnumeratedBelief) -> float:
    """Return KL(Q ‖ P) over whole hands, Q the reference; in nats."""
    return float(_kl_terms(*_hand_distributions(belief, reference)).sum())


def _hand_distributions(belief: Belief, reference: EnumeratedBelief) -> tuple[Floats, Floats]:
    """Return P and Q of every hand that the reference holds possible."""
    hands = [Cards(row.tobytes()) for row in np.unique(reference.hypotheses.hands, axis=0)]
    p, q = (np.array([which.hand_probability(hand) for hand in hands]) for which in (belief, reference))
    return p, q


def _kl_terms(p: Floats, q: Floats) -> Floats:
    """Return q ln (q / p), 0 where q is."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(q > 0.0, q * np.log(q / p), 0.0)


# --- intervals -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean with its 95 % interval."""

    mean: float
    """The mean over games, or over all decisions of the games."""
    half_width: float
    """Half the width of the interval: 1.96 standard errors."""
    games: int
    """How many games it rests on."""

    @property
    def low(self) -> float:
        """Where the interval begins."""
        return self.mean - self.half_width

    @property
    def high(self) -> float:
        """Where the interval ends."""
        return self.mean + self.half_width

    def __str__(self) -> str:
        return f"{self.mean:.4g} ± {self.half_width:.2g}"


def estimate(game_means: Sequence[float] | Floats) -> Estimate:
    """Return the mean of one number per game; for paired comparisons give the differences."""
    values = np.asarray(game_means, np.float64)
    if len(values) < 2:
        raise TooFewGames(f"an interval needs at least 2 games, not {len(values)}")
    width = NormalDist().inv_cdf(0.975) * values.std(ddof=1) / sqrt(len(values))
    return Estimate(float(values.mean()), float(width), len(values))


def ratio(sums: Sequence[float] | Floats, counts: Sequence[float] | Floats) -> Estimate:
    """Return the mean over all decisions from the sum and the number of each game: Σs / Σn.

    Its standard error is clustered by game: se² = G/(G−1) Σ(s − mean · n)² / (Σn)².
    """
    s, n = np.asarray(sums, np.float64), np.asarray(counts, np.float64)
    if len(s) < 2:
        raise TooFewGames(f"an interval needs at least 2 games, not {len(s)}")
    mean = s.sum() / n.sum()
    variance = len(s) / (len(s) - 1) * ((s - mean * n) ** 2).sum() / n.sum() ** 2
    return Estimate(float(mean), NormalDist().inv_cdf(0.975) * sqrt(variance), len(s))


@dataclass(frozen=True, slots=True)
class SupportSummary:
    """How well the samples of a belief are doing, from its own diagnostics."""

    share: Estimate
    """Effective sample size by size."""
    support: Estimate
    """Hands (or configurations) that differ."""
    least: float
    """The smallest effective sample size of all."""
    rejuvenations: Estimate
    """Times fresh particles were drawn, per action."""


def summarise(games: Iterable[Sequence[Diagnostics]]) -> SupportSummary:
    """Return the summary of a belief's diagnostics, one sequence per game, in order."""
    played = [game for game in games if game]
    return SupportSummary(
        estimate([float(np.mean([now.ess / now.size for now in game])) for game in played]),
        estimate([float(np.mean([now.support for now in game])) for game in played]),
        min(now.ess for game in played for now in game),
        estimate([game[-1].rejuvenations / max(game[-1].age, 1) for game in played]),
    )


# --- calibration -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was predicted and how often it was true, bin by bin, with a band for all bins at once."""

    edges: tuple[float, ...]
    """Where bins begin and end."""
    count: npt.NDArray[np.int64]
    """By bin: predictions."""
    games: npt.NDArray[np.int64]
    """By bin: games that they come from."""
    predicted: Floats
    """By bin: the mean prediction; nan in an empty bin."""
    frequency: Floats
    """By bin: how often it was true; nan in an empty bin."""
    error: Floats
    """By bin: the cluster-robust standard error of frequency less prediction."""
    critical: float
    """How many standard errors the band is wide: the 95 % point of the largest of all tested bins."""
    tested: npt.NDArray[np.bool_]
    """By bin: whether it has enough games to be tested."""

    @property
    def band(self) -> Floats:
        """By bin: half the width of the simultaneous band."""
        return self.critical * self.error

    @property
    def excess(self) -> float:
        """The largest distance of frequency and prediction, in half-widths of the band; up to 1 is inside."""
        distance = np.abs(self.frequency - self.predicted)[self.tested]
        return float((distance / np.maximum(self.band[self.tested], np.finfo(float).tiny)).max())

    @property
    def inside(self) -> bool:
        """Whether the curve is inside the band in every tested bin; wrongly not so in about 5 % of tables."""
        return self.excess <= 1.0

    @property
    def gap(self) -> float:
        """The largest distance of frequency and prediction in a tested bin."""
        return float(np.abs(self.frequency - self.predicted)[self.tested].max())

    @property
    def mean_gap(self) -> float:
        """The distance of frequency and prediction, averaged over all predictions."""
        distance = np.nan_to_num(np.abs(self.frequency - self.predicted))
        return float((distance * self.count).sum() / self.count.sum())

    def __repr__(self) -> str:
        found = "too few games to be tested"
        if self.tested.any():
            found = f"{'inside' if self.inside else 'outside'} the band, largest gap {self.gap:.4f}"
        return f"<Calibration of {self.count.sum():,} predictions: {found}>"

    def __str__(self) -> str:
        lines = ["predicted   true    band ±   predictions   games"]
        for row in np.flatnonzero(self.count):
            mark = "" if self.tested[row] else "  (not tested)"
            lines.append(
                f"{self.predicted[row]:9.4f} {self.frequency[row]:7.4f} {self.band[row]:8.4f} "
                f"{self.count[row]:12,} {self.games[row]:8,}{mark}"
            )
        return "\n".join(lines)


def bin_sums(predicted: Floats, truth: npt.NDArray[np.bool_], edges: Sequence[float] = EDGES) -> Floats:
    """Return for one game, by bin, [predictions, their sum, how many were true]; p = 0 and p = 1 are left out.

    What is certain is no matter of calibration: a certainty that is false makes the log-loss infinite.
    """
    open_ = (predicted > 0.0) & (predicted < 1.0)
    predicted, truth = predicted[open_], truth[open_]
    bins = np.clip(np.searchsorted(edges, predicted, side="right") - 1, 0, len(edges) - 2)
    columns = [np.bincount(bins, weight, len(edges) - 1) for weight in (None, predicted, truth.astype(np.float64))]
    return np.array(columns, np.float64)


def calibration(games: Floats, seed: Seed = 0, edges: Sequence[float] = EDGES) -> Calibration:
    """Return the table from the `bin_sums` of each game, `[games, 3, bins]`.

    With n predictions, P their sum and Y the true ones of a game, a bin's distance is d = Σ(Y − P) / Σn. Its
    standard error is that of a ratio of sums over games: se² = G/(G−1) Σ(Y − P − d n)² / (Σn)². For the band the
    terms of each game are multiplied by a standard normal number, the same in all bins, many times over: the 95 %
    point of the largest |sum| / se is the band's width, so one band holds for all tested bins together. That is the
    normal approximation: where what is predicted has happened in a few games only, the band is somewhat too narrow.
    """
    if len(games) < 2:
        raise TooFewGames(f"an interval needs at least 2 games, not {len(games)}")
    count, predicted, true = games.transpose(1, 0, 2)
    total = count.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean, frequency = predicted.sum(axis=0) / total, true.sum(axis=0) / total
        terms = (true - predicted - (frequency - mean) * count) / total
    terms = np.nan_to_num(terms) * sqrt(len(games) / (len(games) - 1))
    error = np.sqrt((terms**2).sum(axis=0))
    present = (count > 0).sum(axis=0)
    tested = (present >= min(FEWEST_GAMES, len(games) // 2)) & (error > 0.0)
    scaled = terms[:, tested] / error[tested]
    signs = np.random.default_rng(sequence(seed)).standard_normal((DRAWS, len(games)))
    largest = np.abs(signs @ scaled).max(axis=1, initial=0.0)
    critical = float(np.quantile(largest, 0.95))
    return Calibration(
        tuple(edges), total.astype(np.int64), present, mean, frequency, error, critical, np.asarray(tested)
    )
