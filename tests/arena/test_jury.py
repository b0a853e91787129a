"""The jury: the mean of both opinions, each of them by hand, and nearer to what champions' games come to."""

from collections.abc import Iterator

import numpy as np
import pytest

from uno_pomdp.agents.judge import Judge
from uno_pomdp.arena.jury import jury_for, jury_of
from uno_pomdp.arena.match import play_game
from uno_pomdp.cards import CardType
from uno_pomdp.champion.net import Net, random_net
from uno_pomdp.champion.positions import POSITIONS, Desk, new_desk, worth
from uno_pomdp.game.engine import Game
from uno_pomdp.game.layout import FIRST, States
from uno_pomdp.game.values import DRAW
from uno_pomdp.jit import kernel
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import Rules, preset

NET = random_net((12, 8), 4, POSITIONS)
JUDGE, DESK = Judge(), new_desk(NET)
BOTH = jury_of(Judge(), NET)
RULES = ("house", "printed", "pass", "mini-9", "mini-12")


@kernel
def worth_one(net: Net, desk: Desk, states: States) -> float:
    """Return what the net says of the first position."""
    return worth(net, desk, states[0], 0)


def positions(rules: Rules, seed: int) -> Iterator[Game]:
    """Yield a random game before each of its moves."""
    game, chance = Game.new(rules, seed), np.random.default_rng(seed)
    while not game.over:
        yield game
        legal = game.legal_actions()
        game.apply(legal[chance.integers(len(legal))])


def drawn(game: Game, cards: list[CardType]) -> Game:
    """Return the position after a draw of these cards of the pile."""
    other, pile = game.copy(), list(game.draw_pile)
    for card in cards:
        pile.remove(card)
    other.guess(other.turn, other.hand(other.turn), (*cards, *pile))
    other.apply(DRAW)
    return other


def opinion(game: Game) -> float | None:
    """Return player 1's chance by the net at the next choice; None if somebody has to draw before it."""
    game = game.copy()
    while not game.over:
        legal = game.legal_actions()
        if legal == (DRAW,):
            return None
        if len(legal) > 1:
            found = worth_one(NET, DESK, game.to_state())
            return 0.5 + 0.5 * (found if game.turn == FIRST else -found)
        game.apply(legal[0])
    assert game.outcome is not None
    return (1 + game.outcome.result()) / 2


def champion(game: Game) -> float | None:
    """Return what the champion says: a draw is imagined four times, with cards spread over the sorted pile."""
    found = opinion(game)
    if found is not None:
        return found
    while game.legal_actions() != (DRAW,):
        game = game.copy()
        game.apply(game.legal_actions()[0])
    pile, owed = sorted(game.draw_pile), max(game.observation(game.turn).penalty, 1)
    draws = min(4, len(pile))
    if draws < owed:
        return None
    spread = [pile[(2 * nth + 1) * len(pile) // (2 * draws)] for nth in range(draws)]
    total = 0.0
    for nth in range(draws):
        after = drawn(game, [spread[(nth + more * draws // owed) % draws] for more in range(owed)])
        said = opinion(after)
        total += JUDGE.value(after.to_state()) if said is None else said
    return total / draws


@pytest.mark.parametrize("rules", RULES)
def test_the_jury_says_the_mean_of_both_opinions(rules: str) -> None:
    kinds = {"choice": 0, "draw": 0, "owed": 0, "judge alone": 0}
    for seed in range(8 if rules in ("house", "printed", "pass") else 60):
        for game in positions(preset(rules), seed):
            judge, said = JUDGE.value(game.to_state()), champion(game)
            expected = judge if said is None else (judge + said) / 2
            assert BOTH.value(game.to_state()) == pytest.approx(expected, abs=1e-6)
            forced = game.legal_actions() == (DRAW,)
            kind = "owed" if game.observation(game.turn).penalty else "draw" if forced else "choice"
            kinds["judge alone" if said is None else kind] += 1
    assert min(kinds["choice"], kinds["draw"]) > 10
    assert kinds["owed"] > 10 or rules == "mini-12"  # which has no +2
    assert kinds["judge alone"] > 0 or rules != "mini-9"  # where the pile does not suffice


@pytest.mark.parametrize("rules", RULES)
def test_the_order_of_the_pile_says_nothing_and_exchanged_seats_the_opposite(rules: str) -> None:
    """Luck has no mean only if the jury does not know what nobody knows."""
    chance = np.random.default_rng(1)
    for game in positions(preset(rules), 3):
        one = game.to_state()
        value = BOTH.value(one)
        assert 0 <= value <= 1
        shuffled, exchanged = one.copy(), one.copy()
        size = int(one["draw_size"][0])
        shuffled["draw_pile"][0, :size] = chance.permutation(one["draw_pile"][0, :size])
        for field in ("hand", "hand_mask", "hand_size"):
            exchanged[field][0] = one[field][0, ::-1]
        exchanged["turn"] = 1 - one["turn"]
        assert BOTH.value(shuffled) == value
        assert BOTH.value(exchanged) == pytest.approx(1 - value, abs=1e-6)


def test_rules_without_a_champion_have_the_judge_alone() -> None:
    for rules, alone in (("printed", True), ("mini-12", True), ("house", False), ("mini-9", False)):
        jury = jury_for(preset(rules))
        values = [(jury.value(game.to_state()), JUDGE.value(game.to_state())) for game in positions(preset(rules), 1)]
        assert all(one == other for one, other in values) == alone


def test_the_jury_is_nearer_to_the_results_of_champions_than_the_judge_alone() -> None:
    """By square errors over the positions of 1,000 games; more than 3.29 standard errors (1 in 2,000 by chance)."""
    agents, jury, gains = (make_agent("champion"), make_agent("champion")), jury_for(preset("house")), []
    for seed in range(1_000):
        values: list[tuple[float, float]] = []

        def look(game: Game, _: object, values: list[tuple[float, float]] = values) -> None:
            values.append((jury.value(game.to_state()), JUDGE.value(game.to_state())))

        outcome = play_game(preset("house"), seed, agents, (2 * seed, 2 * seed + 1), watch=look).outcome
        square = (np.array(values) - (1 + outcome.result()) / 2) ** 2
        gains.append(float(np.diff(square.mean(axis=0))[0]))
    assert np.mean(gains) > 3.29 * np.std(gains) / np.sqrt(len(gains))
