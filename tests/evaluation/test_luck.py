"""Luck: mean 0 whatever is evaluated and whoever plays, the same in kernels and from records, and worth its price."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import combinations, permutations
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pytest

from tests import helpers
from tests.arena.players import indices, without_times
from tests.helpers import PAIRS_OF_VALUES, PRINTED_PLAIN, named, record_bytes
from uno_pomdp.arena.kernel_match import kernel_players, pair_seeds, play_pairs, stream_start
from uno_pomdp.arena.match import play_game, play_pair
from uno_pomdp.arrays import Floats
from uno_pomdp.cards import Cards, is_black
from uno_pomdp.errors import InvalidRecord
from uno_pomdp.evaluation.heuristic_value import NET, HeuristicValue
from uno_pomdp.evaluation.luck import Chance, luck_of, settle_challenge, turn_up
from uno_pomdp.evaluation.win_probability import WinProbability, draw_card, win_probability_for, win_probability_of
from uno_pomdp.game.actions import ACTIONS, CHALLENGE, DRAW, Action
from uno_pomdp.game.bits import lowest_bit, popcount
from uno_pomdp.game.game import Deal, Game
from uno_pomdp.game.kernels import legal_mask
from uno_pomdp.game.layout import FIRST, NO_COLOUR, SECOND, States
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.record import GameRecord, Hidden, follow_openly, observed, record_of, start
from uno_pomdp.game.rng import STREAM, Streams
from uno_pomdp.jit import as_int, kernel
from uno_pomdp.nets.net_file import random_net
from uno_pomdp.nets.position_features import POSITIONS
from uno_pomdp.policies.kernels import Weights, choose
from uno_pomdp.pomdp.chance import all_deals
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import Rules, preset

HOUSE = preset("house")
Player = Callable[[Observation], Action]


def arbitrary(seed: int) -> WinProbability:
    """Return an evaluator that has learnt nothing: any function of the position will do."""
    numbers = np.random.default_rng(seed).normal(scale=0.3, size=NET.itemsize // 4).astype(np.float32)
    return win_probability_of(HeuristicValue(numbers.view(NET)), random_net((8, 4), seed, POSITIONS))


# --- every deal and every order of the pile --------------------------------------------------------------


def stubborn(seen: Observation) -> Action:
    """Choose by what is seen, for no reason."""
    legal = seen.legal_actions()
    return legal[(7 * sum(seen.hand) + 3 * seen.top + seen.opponent_size) % len(legal)]


def simple(seen: Observation) -> Action:
    """Choose the first action."""
    return seen.legal_actions()[0]


def deals(rules: Rules) -> Iterator[Deal]:
    """Yield every deal with every order of the pile, all equally likely: the cards of the deck are told apart."""
    deck = list(rules.deck)
    places = range(len(deck))
    for top in places:
        if is_black(deck[top]):
            continue
        rest = [place for place in places if place != top]
        for first in combinations(rest, rules.hand_size):
            left = [place for place in rest if place not in first]
            for second in combinations(left, rules.hand_size):
                hands = (Cards.of([deck[place] for place in hand]) for hand in (first, second))
                one, other = hands
                for pile in permutations([place for place in left if place not in second]):
                    yield Deal(deck[top], (one, other), tuple(deck[place] for place in pile))


def finished(game: Game, players: tuple[Player, Player], longest: int) -> Iterator[tuple[float, Game]]:
    """Yield how a game can go on, with its probability: chance is left only in reshuffles, all orders alike."""
    while not game.over and len(game.moves) < longest:
        action = players[game.turn](game.observation(game.turn))
        if game._needs_reshuffle(action):
            first = game.draw_pile if game._draws_until(action) else ()
            orders = list(permutations([*(() if first else game.draw_pile), *game.played_pile[:-1]]))
            for order in orders:
                other = game.copy()
                other.apply_with_order(action, order)
                for chance, end in finished(other, players, longest):
                    yield chance / len(orders), end
            return
        game.apply(action)
    yield 1.0, game


def expectations(
    rules: Rules, players: tuple[Player, Player], evaluator: WinProbability, longest: int = 99
) -> tuple[float, ...]:
    """Return over all that chance can do: the mean result, adjusted result and luck in the deal, and luck squared."""
    sums, count = np.zeros(4), 0
    for deal in deals(rules):
        count += 1
        for chance, game in finished(Game.from_deal(rules, deal), players, longest):
            luck = luck_of(record_of(game), evaluator)
            result = 0.5 if game.outcome is None else (1 + game.outcome.result()) / 2
            sums += chance * np.array([result, result - luck.of(FIRST), luck.deal, luck.of(FIRST) ** 2])
    return tuple((sums / count).tolist())


@pytest.mark.parametrize("variant", PAIRS_OF_VALUES, ids=named)
def test_the_adjusted_result_has_the_mean_of_the_result_under_all_rules(variant: dict[str, str]) -> None:
    rules = Rules(deck=Cards.parse("R0 Rs R+2 B0 Bs B+2 W4"), hand_size=2, **cast(Any, variant | {"reshuffle": "no"}))
    result, adjusted, deal, squares = expectations(rules, (stubborn, simple), arbitrary(1))
    assert adjusted == pytest.approx(result, abs=1e-12)
    assert deal == pytest.approx(0, abs=1e-12)
    assert squares > 1e-3  # there was something to take out


@pytest.mark.parametrize(
    "evaluator", [win_probability_of(HeuristicValue(), None), arbitrary(2)], ids=["fitted", "arbitrary"]
)
def test_a_draw_of_four_has_no_mean_either(evaluator: WinProbability) -> None:
    rules = Rules(deck=Cards.parse("R0 R1 B0 B+2 B1 W4 W"), hand_size=1, reshuffle="no")
    result, adjusted, _, squares = expectations(rules, (simple, stubborn), evaluator)
    assert adjusted == pytest.approx(result, abs=1e-12)
    assert squares > 1e-3


def test_nor_has_a_game_with_reshuffles_cut_off_anywhere() -> None:
    rules = Rules(deck=Cards.parse("R0 R1 R+2 B0 B1 B+2"), hand_size=2)
    for longest in (5, 7):
        result, adjusted, _, squares = expectations(rules, (stubborn, stubborn), arbitrary(3), longest)
        assert adjusted == pytest.approx(result, abs=1e-12)
        assert squares > 1e-3


def listed(
    rules: Rules, players: tuple[Player, Player], evaluator: WinProbability, longest: int = 12
) -> dict[str, float]:
    """Return over every different deal and order of the pile the mean result, adjusted and not, and what occurred."""
    found, deals = defaultdict[str, float](float), all_deals(rules)
    for top, hands, pile, chance in zip(*deals, strict=True):
        first, second = (Cards(hand.tobytes()) for hand in hands)
        orders = sorted(set(permutations(pile.tolist())))
        for order in orders:
            dealt = Game.from_deal(rules, Deal(int(top), (first, second), order))
            for share, game in finished(dealt, players, longest):
                weight = float(chance) * share / len(orders)
                luck = luck_of(record_of(game), evaluator)
                result = 0.5 if game.outcome is None else (1 + game.outcome.result()) / 2
                found["result"] += weight * result
                found["adjusted"] += weight * (result - luck.of(FIRST))
                found["squares"] += weight * luck.of(FIRST) ** 2
                for move in game.moves:
                    found[f"{'caught' if move.guilty else 'wrong'} {len(move.drawn)}"] += move.action == CHALLENGE
                    found[f"draw {len(move.drawn)}"] += move.action == DRAW
                    found["swapped"] += move.swapped is not None
                    found["reshuffled on the way"] += move.first > 0
    return found


def test_challenges_right_and_wrong_have_no_mean() -> None:
    deck = Cards.parse("R0 R0 R0 R0 R0 B1 B1 B1 B1 W4 W4")
    rules = Rules(deck=deck, hand_size=2, wild_four="challenge", reshuffle="no")
    found = listed(rules, (challenging, stubborn), arbitrary(1))
    assert found["adjusted"] == pytest.approx(found["result"], abs=1e-12)
    assert found["squares"] > 1e-3
    assert found["caught 4"] > 0
    assert found["wrong 6"] > 0


def challenging(seen: Observation) -> Action:
    """Play the last action by id: a wild +4 if there is one, and a challenge."""
    return seen.legal_actions()[-1]


@pytest.mark.parametrize(("held", "guilty"), [("R2", True), ("Y2", False)])
def test_the_cards_of_a_challenge_are_judged_with_the_player_to_move_who_moves_after_it(
    held: str, guilty: bool
) -> None:
    game = helpers.start(
        "R1", f"W4 {held} Y1", "B1 B2 B3", "Y3 Y4 Y5 G1 G2 G3 G4 G5 G6", wild_four="challenge", reshuffle="no"
    )
    game.apply(Action.parse("W4:G"))
    judged = game.to_state()
    settle_challenge(judged[0])
    game.apply(Action.parse("challenge"))
    assert game.last_move.guilty == guilty
    assert int(judged[0]["turn"]) == game.turn == int(guilty)
    assert (int(judged[0]["penalty"]), int(judged[0]["before"])) == (0, NO_COLOUR)


@pytest.mark.parametrize(
    ("deck", "changes", "occurs"),
    [
        ("R0 R0 R1 R1 B0 B1 B2 B2", {"draw": "until_playable"}, "draw 3"),
        ("R0 R0 R1 B0 B1 B2", {"draw": "until_playable", "reshuffle": "yes"}, "reshuffled on the way"),
        ("R+2 R+2 B+2 R0 R0 B1 B1 B1 B1", {"stack": "same"}, "draw 4"),
        ("R7 R7 B0 B0 R1 R+2 B1", {"swap": "seven_zero"}, "swapped"),
        ("R7 B0 B0 R1 R+2 B1 W4", {"swap": "seven_zero", "draw": "until_playable", "stack": "rising"}, "swapped"),
        ("R+2 RS R0 R0 B1 B1 B2", {"first_card": "acts", "drawn_card": "may_play"}, "draw 2"),
    ],
    ids=["until playable", "until playable, reshuffled", "stacked", "swapped", "party", "first card"],
)
@pytest.mark.parametrize("order", [1, -1], ids=["", "seats exchanged"])
def test_nor_has_any_other_rule(deck: str, changes: dict[str, Any], occurs: str, order: int) -> None:
    given: dict[str, Any] = {"deck": Cards.parse(deck), "hand_size": 2, "reshuffle": "no"}
    rules = Rules(**given | changes)
    first, second = (stubborn, simple)[::order]
    found = listed(rules, (first, second), arbitrary(1), 6 if rules.reshuffle == "yes" else 20)
    assert found["adjusted"] == pytest.approx(found["result"], abs=1e-12)
    assert found["squares"] > 1e-4
    assert found[occurs] > 0


# --- the full deck ---------------------------------------------------------------------------------------


def heuristic_games(pairs: int) -> tuple[Floats, Floats]:
    players = kernel_players((make_agent("heuristic"), make_agent("baseline")))
    assert players is not None
    played = play_pairs(HOUSE, 11, players, indices(pairs), luck=True)
    return played["points"] / 2, played["luck"]


def test_luck_has_mean_zero_on_the_full_deck_and_takes_half_of_the_variance() -> None:
    """Within 3.29 standard errors (1 in 1,000)."""
    points, luck = heuristic_games(600)
    assert abs(luck.mean()) < 3.29 * luck.mean(axis=1).std() / np.sqrt(len(luck))
    assert abs(luck[:, 0].mean()) < 3.29 * luck[:, 0].std() / np.sqrt(len(luck))
    assert (points - luck).var() < 0.6 * points.var()


@kernel
def chosen(states: States, first: int, policies: npt.NDArray[np.int64], weights: Weights, streams: Streams) -> int:
    """Return what the kernels do next, A at seat `first`."""
    legal = legal_mask(states[0])
    if popcount(legal) == 1:
        return lowest_bit(legal)
    agent = as_int(states[0]["turn"]) ^ first
    return choose(policies[agent], states[0], legal, weights[agent], streams[0])


@pytest.mark.parametrize("rules", ["house", PRINTED_PLAIN, "mini-12", "printed", "stacking", "party", "mini-bluff"])
def test_kernels_and_records_find_the_same_luck(rules: str) -> None:
    players = kernel_players((make_agent("heuristic"), make_agent("random")))
    assert players is not None
    played = play_pairs(Rules.parse(rules), 5, players, indices(6), luck=True)
    plain = play_pairs(Rules.parse(rules), 5, players, indices(6))
    judge_alone = win_probability_of(HeuristicValue(), None)
    assert without_times(played) == without_times(plain)
    assert np.isnan(plain["luck"]).all()
    for pair, seed in zip(played, pair_seeds(5, indices(6)).tolist(), strict=True):
        for first in (FIRST, SECOND):
            game, streams = Game.new(Rules.parse(rules), seed), np.zeros(1, STREAM)
            streams["state"] = stream_start(np.uint64(seed), first)
            while not game.over:
                game.apply(ACTIONS[chosen(game.to_state(), first, players.policies, players.weights, streams)])
            assert luck_of(record_of(game), judge_alone).of(first) == pytest.approx(pair["luck"][first], abs=1e-9)


def games(rules: str = "house", count: int = 4) -> list[GameRecord]:
    agents = make_agent("heuristic"), make_agent("greedy")
    found = [play_game(Rules.parse(rules), seed, agents, (1, 2), record=True).record for seed in range(count)]
    return [record for record in found if record is not None]


@pytest.mark.parametrize("rules", ["house", PRINTED_PLAIN])
def test_a_draw_is_lucky_by_what_it_is_worth_above_the_mean_of_all_cards(rules: str) -> None:
    """The mean by hand: every card of the pile in turn is laid on top and drawn; the other, unseeing, plays on."""
    evaluator, draws, late = win_probability_for(Rules.parse(rules)), 0, 0
    for record in games(rules):
        luck = {chance.move: chance for chance in luck_of(record).chances}
        game = start(record)
        for number, move in enumerate(record.moves):
            if len(game.draw_pile) > 1 and len(luck[number].cards if number in luck else ()) == 1:
                later = record.moves[number + 1 :]
                ends = (place for place, done in enumerate(later) if done.seat == move.seat or done.drawn)
                plays = later[: next(ends, len(later))]
                values = []
                for place, card in enumerate(game.draw_pile):
                    other = game.copy()
                    pile = (card, *game.draw_pile[:place], *game.draw_pile[place + 1 :])
                    other.guess(other.turn, other.hand(other.turn), pile)
                    other.apply(DRAW)
                    for done in plays:
                        other.apply(done.action)
                    values.append(evaluator.value(other.to_state()))
                chance = luck[number]
                assert chance.value == pytest.approx(values[0], abs=1e-9)
                assert chance.luck == pytest.approx(values[0] - np.mean(values), abs=1e-9)
                draws += 1
                late += bool(plays)
            follow_openly(game, move)
    assert draws > 10
    assert late > 10 or rules == PRINTED_PLAIN  # there a card drawn may be played at once


def drawn_next(states: States, card: int) -> States:
    """Return a position after one card of those owed was drawn, wherever in the pile it lay."""
    after, size = states.copy(), int(states["draw_size"][0])
    pile = after["draw_pile"][0, :size].tolist()
    pile.remove(card)
    after["draw_pile"][0, :size] = [*pile, card]
    draw_card(after[0], card)
    return after


@pytest.mark.parametrize("rules", ["house", PRINTED_PLAIN])
def test_each_card_of_a_penalty_is_lucky_by_what_it_is_worth_above_the_mean_of_all_cards(rules: str) -> None:
    """The mean by hand, card by card, from the position as it lay on the table, whatever was turned up before."""
    evaluator, draws, behind_another = win_probability_for(Rules.parse(rules)), 0, 0
    for record in games(rules, count=8):
        luck = {chance.move: chance for chance in luck_of(record).chances}
        game, last = start(record), -1
        for number, move in enumerate(record.moves):
            cards = luck[number].cards if number in luck else ()
            if len(cards) > 1 and move.reshuffled is None:
                states = game.to_state()
                for card, found in zip(cards[:-1], luck[number].lucks, strict=False):
                    pile = states["draw_pile"][0, : int(states["draw_size"][0])].tolist()
                    worth = {kind: evaluator.value(drawn_next(states, kind)) for kind in set(pile)}
                    mean = sum(worth[kind] for kind in pile) / len(pile)
                    assert found == pytest.approx(worth[card] - mean, abs=1e-9)
                    states = drawn_next(states, card)
                    draws += 1
                between = record.moves[last + 1 : number]
                behind_another += last >= 0 and all(done.seat != record.moves[last].seat for done in between)
            last = number if cards else last
            follow_openly(game, move)
    assert draws > 20
    assert behind_another > (3 if rules == "house" else 0)


def test_turning_a_card_up_leaves_the_table_as_it_was() -> None:
    turned = 0
    for record in games(count=2):
        game = start(record)
        for move in record.moves:
            follow_openly(game, move)
            if move.drawn and not isinstance(move.drawn, Hidden) and not game.over:
                table = np.repeat(game.to_state(), 2)
                turn_up(table, move.seat, move.drawn[-1], win_probability_for(HOUSE))
                assert record_bytes(table[:1]) == record_bytes(game.to_state())
                turned += 1
    assert turned > 10


def test_the_parts_add_up_and_what_one_has_the_other_lacks() -> None:
    for record in games():
        luck = luck_of(record)
        moves = [number for number, move in enumerate(record.moves) if move.drawn]
        assert [chance.move for chance in luck.chances] == [None, *moves]
        assert [chance.cards for chance in luck.chances[1:]] == [record.moves[number].drawn for number in moves]
        assert [chance.seat for chance in luck.chances[1:]] == [record.moves[number].seat for number in moves]
        total = sum(sum(chance.lucks) for chance in luck.chances)
        assert luck.of(FIRST) == pytest.approx(total)
        assert luck.of(SECOND) == -luck.of(FIRST)
        assert luck.draws == pytest.approx(luck.drawn_by(FIRST) + luck.drawn_by(SECOND))


def test_both_sides_of_a_pair_have_the_same_luck_in_the_deal() -> None:
    first, second = play_pair(HOUSE, 7, ("heuristic", "greedy"), luck=True)
    assert first.luck is not None
    assert second.luck is not None
    assert first.luck.deal == second.luck.deal != 0
    assert first.record is None


def test_luck_needs_every_card() -> None:
    (record,) = games(count=1)
    with pytest.raises(InvalidRecord, match="only a whole record"):
        luck_of(observed(record, FIRST))


def test_luck_reads_in_words() -> None:
    (record,) = games(count=1)
    luck = luck_of(record)
    assert str(luck).startswith("player 1: deal ")
    assert str(luck.chances[0]).startswith("the deal: ")
    chance = Chance(11, SECOND, (5, 52), (0.02, 0.012), 0.551)
    assert str(chance) == "move 12, player 2 draws R5 W: +3.2 % for player 1, whose chance is now 55 %"
