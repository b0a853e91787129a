"""The evaluator: the mean of both opinions, each of them by hand, and nearer to what champions' games come to."""

from collections.abc import Iterator

import numpy as np
import pytest

from tests.helpers import PRINTED_PLAIN
from uno_pomdp.arena.match import play_game
from uno_pomdp.cards import Cards, CardType
from uno_pomdp.evaluation.heuristic_value import HeuristicValue
from uno_pomdp.evaluation.win_probability import win_probability_for, win_probability_of
from uno_pomdp.game.actions import DRAW
from uno_pomdp.game.game import Deal, Game
from uno_pomdp.game.layout import FIRST, SECOND, States
from uno_pomdp.jit import kernel
from uno_pomdp.nets.net_file import Net, random_net
from uno_pomdp.nets.position_features import POSITIONS, Workspace, new_workspace, worth
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import Rules, preset

NET = random_net((12, 8), 4, POSITIONS)
JUDGE, WORKSPACE = win_probability_of(HeuristicValue(), None), new_workspace(NET)
BOTH = win_probability_of(HeuristicValue(), NET)
RULES = ("house", PRINTED_PLAIN, "pass", "mini-9", "mini-12")


@kernel
def worth_one(net: Net, workspace: Workspace, states: States) -> float:
    """Return what the net says of the first position."""
    return worth(net, workspace, states[0], 0)


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
            found = worth_one(NET, WORKSPACE, game.to_state())
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
def test_the_evaluator_says_the_mean_of_both_opinions(rules: str) -> None:
    kinds = {"choice": 0, "draw": 0, "owed": 0, "judge alone": 0}
    for seed in range(8 if rules in ("house", PRINTED_PLAIN, "pass") else 60):
        for game in positions(Rules.parse(rules), seed):
            judge, said = JUDGE.value(game.to_state()), champion(game)
            expected = judge if said is None else (judge + said) / 2
            assert BOTH.value(game.to_state()) == pytest.approx(expected, abs=1e-6)
            forced = game.legal_actions() == (DRAW,)
            kind = "owed" if game.observation(game.turn).penalty else "draw" if forced else "choice"
            kinds["judge alone" if said is None else kind] += 1
    assert min(kinds["choice"], kinds["draw"]) > 10
    assert kinds["owed"] > 10 or rules == "mini-12"  # which has no +2
    assert kinds["judge alone"] > 0 or rules != "mini-9"  # where the pile does not suffice


@pytest.mark.parametrize(
    ("owed", "draws"),
    [
        (1, ("R2", "R4", "Y2", "Y4")),
        (2, ("R2 Y2", "R4 Y4", "R2 Y2", "R4 Y4")),
        (3, ("R2 R4 Y2", "R4 Y2 Y4", "R2 Y2 Y4", "R2 R4 Y4")),
        (4, ("R2 R4 Y2 Y4",) * 4),
    ],
)
def test_draws_are_imagined_with_cards_from_all_over_the_pile(owed: int, draws: tuple[str, ...]) -> None:
    """Player 1 has to draw; player 2 then has a choice, whatever was drawn."""
    deck = "G1 G2 B7 B8 B9 R1 R2 R3 R4 Y1 Y2 Y3 Y4"
    rules = Rules(deck=Cards.parse(deck), hand_size=2)
    (top,) = Cards.parse("B7")
    hands, pile = (Cards.parse("G1 G2"), Cards.parse("B8 B9")), Cards.parse("R1 R2 R3 R4 Y1 Y2 Y3 Y4")
    before = Game.from_deal(rules, Deal(top, hands, tuple(pile))).to_state()
    assert before["turn"] == FIRST
    before["penalty"] = owed if owed > 1 else 0
    values = []
    for cards in map(Cards.parse, draws):
        after = before.copy()
        held = hands[0] + cards
        after["hand"][0, FIRST] = held.array()
        after["hand_mask"][0, FIRST] = np.bitwise_or.reduce([np.uint64(1) << np.uint64(card) for card in held])
        after["hand_size"][0, FIRST] += owed
        left = list(pile - cards)
        after["draw_pile"][0, : len(left)], after["draw_size"] = left, len(left)
        after["turn"], after["penalty"] = SECOND, 0
        values.append(0.5 - 0.5 * worth_one(NET, WORKSPACE, after))
    expected = (JUDGE.value(before) + np.mean(values)) / 2
    assert BOTH.value(before) == pytest.approx(expected, abs=1e-6)
    assert len(set(values)) > 1 or owed == 4


@pytest.mark.parametrize("rules", RULES)
def test_the_order_of_the_pile_says_nothing_and_exchanged_seats_the_opposite(rules: str) -> None:
    """Luck has no mean only if the evaluator does not know what nobody knows."""
    chance = np.random.default_rng(1)
    for game in positions(Rules.parse(rules), 3):
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
    for rules, alone in ((PRINTED_PLAIN, True), ("mini-12", True), ("house", False), ("mini-9", False)):
        chosen = Rules.parse(rules)
        evaluator = win_probability_for(chosen)
        values = [(evaluator.value(game.to_state()), JUDGE.value(game.to_state())) for game in positions(chosen, 1)]
        assert all(one == other for one, other in values) == alone


def test_the_evaluator_is_nearer_to_the_results_of_champions_than_either_alone() -> None:
    """By square errors over the positions of 700 games; more than 2.81 standard errors (1 in 200 for either)."""
    agents, evaluator = (make_agent("champion"), make_agent("champion")), win_probability_for(preset("house"))
    opinions, errors = (evaluator, JUDGE, evaluator._replace(share=1.0)), []
    for seed in range(700):
        values: list[list[float]] = []

        def look(game: Game, _: object, values: list[list[float]] = values) -> None:
            state = game.to_state()
            values.append([opinion.value(state) for opinion in opinions])

        outcome = play_game(preset("house"), seed, agents, (2 * seed, 2 * seed + 1), watch=look).outcome
        errors.append(((np.array(values) - (1 + outcome.result()) / 2) ** 2).mean(axis=0))
    both, *alone = np.array(errors).T
    for other in alone:
        assert (other - both).mean() > 2.81 * (other - both).std() / np.sqrt(len(both))
