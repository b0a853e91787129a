"""What was done, worked out from two observations: the same as the game tells, in every game."""

import itertools
import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.helpers import ALL_VARIANTS, DECKS, VARIANTS, cards, choose, do, named, rules_of, start
from uno_pomdp.beliefs.event_inference import NotInARow, infer_events
from uno_pomdp.cards import BLUE, RED, STANDARD_DECK, Cards
from uno_pomdp.game.actions import Action
from uno_pomdp.game.events import Drew, Event, Kept, Played, Reshuffled
from uno_pomdp.game.game import Game
from uno_pomdp.game.layout import FIRST, SEATS, SECOND, Seat
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.outcome import Outcome, Reason
from uno_pomdp.rules import PRESETS, Rules

SMALL = [name for name, (deck, _) in DECKS.items() if deck != STANDARD_DECK]
"""The decks that are soon used up."""


def by_type(events: tuple[Event, ...]) -> tuple[Event, ...]:
    """Return the events with the cards of each draw in order of type: their order is not in observations."""
    return tuple(
        replace(event, cards=tuple(sorted(event.cards))) if isinstance(event, Drew) and event.cards else event
        for event in events
    )


def steps(rules: Rules, seed: int, at_most: int = 60) -> Iterator[tuple[Game, list[Observation], list[Observation]]]:
    """Play a random game; yield it after each action, with what both seats saw before and after it."""
    game, chance = Game.new(rules, seed), random.Random(seed)
    before = [game.observation(seat) for seat in SEATS]
    for _ in range(at_most):
        if game.over:
            break
        game.apply(choose(game, chance))
        after = [game.observation(seat) for seat in SEATS]
        yield game, before, after
        before = after


def agreements(rules: Rules, seeds: range) -> int:
    """Check every action of these games from both seats; return how many games were played."""
    for seed in seeds:
        for number, (game, before, after) in enumerate(steps(rules, seed)):
            for seat in SEATS:
                assert infer_events(before[seat], after[seat]) == by_type(game.events(seat, number)), (seed, number)
    return len(seeds)


def last_events(game: Game, action: str, seat: Seat) -> tuple[Event, ...]:
    """Carry out an action and return what a seat infers about it, if it agrees with what the game tells."""
    before, number = game.observation(seat), len(game.moves)
    do(game, action)
    inferred = infer_events(before, game.observation(seat))
    assert inferred == by_type(game.events(seat, number))
    return inferred


# --- every game ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS, ids=named)
def test_small_decks_under_all_variants(variant: dict[str, str]) -> None:
    played = sum(agreements(rules_of(deck, variant), range(13)) for deck in SMALL)
    assert 32 * played >= 4_500


@pytest.mark.parametrize("variant", VARIANTS, ids=named)
def test_the_standard_deck_under_all_variants(variant: dict[str, str]) -> None:
    assert 32 * agreements(rules_of("standard", variant), range(100, 104)) == 128


TELLS = [
    variant
    for variant in ALL_VARIANTS
    if variant["wild_four"] != "challenge" and variant["draw"] != "until_playable" and variant["swap"] == "no"
]
"""Rules under which two observations in a row tell what was done."""


@pytest.mark.parametrize("deck", SMALL)
def test_debts_and_first_cards_that_act(deck: str) -> None:
    for number, variant in enumerate(TELLS[SMALL.index(deck) % 3 :: 3]):
        assert agreements(rules_of(deck, variant), range(number, number + 1)) == 1


@pytest.mark.parametrize(
    ("variant", "what"),
    [
        ({"wild_four": "challenge"}, "challenges"),
        ({"draw": "until_playable"}, "draws until a card is playable"),
        ({"swap": "seven_zero"}, "swaps"),
    ],
)
def test_rules_under_which_two_observations_do_not_tell_are_refused(variant: dict[str, str], what: str) -> None:
    message = f"under rules with {what} two observations in a row do not tell all: give the events"
    for _, before, after in steps(rules_of("standard", variant), seed=1, at_most=3):
        for seat in SEATS:
            with pytest.raises(NotInARow, match=message):
                infer_events(before[seat], after[seat])


def test_an_answer_to_a_debt_is_told_from_the_draw_of_it() -> None:
    for seat in SEATS:
        game = do(start("R1", "R+2 B2 B3", "Y+2 G2 G3", "G0 G1 G4 G5 G6", stack="same"), "R+2")
        assert last_events(game, "Y+2", seat) == (Played(SECOND, Action.parse("Y+2")),)
        own = cards("G0 G1 G4 G5") if seat == FIRST else None
        assert last_events(game, "draw", seat) == (Drew(FIRST, 4, True, own),)


@pytest.mark.parametrize("name", [name for name in PRESETS if name not in ("printed", "party", "mini-bluff")])
def test_all_presets_that_tell(name: str) -> None:
    count = 100 if name.startswith("mini") else 10
    assert agreements(PRESETS[name].rules, range(1_000, 1_000 + count)) == count


def test_a_few_of_these_games_show_every_kind_of_event() -> None:
    kinds: set[str] = set()
    for variant in VARIANTS:
        for deck in SMALL:
            for seed in range(3):
                for number, (game, before, _) in enumerate(steps(rules_of(deck, variant), seed)):
                    kinds |= kinds_of(game.events(FIRST, number), before[FIRST])
    assert kinds == {
        "play",
        "play of the type on top",
        "play of a black card",
        "play of the card just drawn",
        "draw of 1",
        "draw of 1 after a reshuffle",
        "penalty of 2",
        "penalty of 2 after a reshuffle",
        "penalty of 4",
        "penalty of 4 after a reshuffle",
        "draw that fails",
        "penalty that fails",
        "penalty that fails after a reshuffle",
        "keep",
    }


def kinds_of(events: tuple[Event, ...], before: Observation) -> set[str]:
    """Return what a person would call the events of one action."""
    last = events[-1]
    after = " after a reshuffle" if len(events) > 1 else ""
    if isinstance(last, Drew):
        name = "penalty" if last.penalty else "draw"
        return {f"{name} of {last.count}{after}" if last.count else f"{name} that fails{after}"}
    if not isinstance(last, Played):
        return {"keep"}
    found = {"play"}
    found |= {"play of the type on top"} if last.action.card == before.top else set()
    found |= {"play of a black card"} if last.action.id >= 52 else set()
    return found | ({"play of the card just drawn"} if last.just_drawn else set())


# --- corner cases by name --------------------------------------------------------------------------------


@pytest.mark.parametrize("seat", SEATS)
def test_a_card_of_the_type_on_top(seat: Seat) -> None:
    game = start("R5", "R5 Y1", "R5 Y2", "B1 B2")
    assert last_events(game, "R5", seat) == (Played(FIRST, Action.parse("R5")),)
    assert last_events(game, "R5", seat) == (Played(SECOND, Action.parse("R5")),)


@pytest.mark.parametrize("seat", SEATS)
def test_a_black_card_tells_the_colour_it_declares_even_the_active_one(seat: Seat) -> None:
    game = start("R5", "W W4 Y1", "W Y2 W4", "R1 B1 B2 B3 B4 B6")
    assert last_events(game, "W:R", seat) == (Played(FIRST, Action.play(52, RED)),)
    assert last_events(game, "W:R", seat) == (Played(SECOND, Action.play(52, RED)),)
    assert last_events(game, "W4:B", seat) == (Played(FIRST, Action.play(53, BLUE)),)


@pytest.mark.parametrize("seat", SEATS)
def test_each_link_of_a_chain_of_skips(seat: Seat) -> None:
    game = start("R5", "RS RR RS Y1", "R1 R2 R3 R4", "B1")
    for word in ("RS", "RR", "RS"):
        assert last_events(game, word, seat) == (Played(FIRST, Action.parse(word)),)


@pytest.mark.parametrize("seat", SEATS)
@pytest.mark.parametrize("word", ["R5", "RS", "R+2", "W4:R"])
def test_the_last_card_of_a_hand(word: str, seat: Seat) -> None:
    game = start("R7", word.split(":")[0], "R1", "B1 B2 B3 B4")
    assert last_events(game, word, seat) == (Played(FIRST, Action.parse(word)),)
    assert game.outcome == Outcome(FIRST, Reason.EMPTIED_HAND)


def test_a_penalty_names_the_own_cards_in_order_of_type() -> None:
    game = do(start("R7", "W4 R1", "R1 R2", "B1 Y1 G1 R1 B2"), "W4:R")
    other = do(start("R7", "W4 R1", "R1 R2", "B1 Y1 G1 R1 B2"), "W4:R")
    assert last_events(game, "draw", SECOND) == (Drew(SECOND, 4, True, cards("R1 Y1 G1 B1")),)
    assert last_events(other, "draw", FIRST) == (Drew(SECOND, 4, True, None),)


@pytest.mark.parametrize("seat", SEATS)
def test_a_card_just_drawn_played_or_kept(seat: Seat) -> None:
    own = cards("R1") if seat == FIRST else None
    for word, event in (("R1", Played(FIRST, Action.parse("R1"), just_drawn=True)), ("keep", Kept(FIRST))):
        game = start("R7", "Y1 Y2", "Y3 Y4", "R1 B1", drawn_card="may_play")
        assert last_events(game, "draw", seat) == (Drew(FIRST, 1, False, own),)
        assert last_events(game, word, seat) == (event,)


@pytest.mark.parametrize("seat", SEATS)
def test_a_reshuffle_after_which_the_draw_pile_is_as_large_as_before(seat: Seat) -> None:
    game = do(start("R7", "R1 R+2 Y1", "R2 R3 B4", "G1"), "R1 R2 R+2")
    before = game.observation(seat)
    events = last_events(game, "draw", seat)
    assert events[0] == Reshuffled(Cards.parse("R7 R1 R2"), None)
    assert isinstance(events[1], Drew)
    assert (events[1].count, events[1].penalty) == (2, True)
    assert game.observation(seat).draw_size == before.draw_size + 1
    game = do(start("R7", "R1 Y1", "G2 G3", ""), "R1")
    before = game.observation(seat)
    assert last_events(game, "draw", seat)[0] == Reshuffled(Cards.parse("R7"), None)
    assert game.observation(seat).draw_size == before.draw_size == 0


@pytest.mark.parametrize("seat", SEATS)
def test_draws_that_end_the_game(seat: Seat) -> None:
    own = () if seat == FIRST else None
    game = start("R7", "Y1 Y2", "Y3 Y4", "")
    assert last_events(game, "draw", seat) == (Drew(FIRST, 0, False, own),)
    game = do(start("R7", "B1 Y2", "R+2 Y4", "Y5"), "draw R+2")
    assert last_events(game, "draw", seat) == (Reshuffled(Cards.parse("R7"), None), Drew(FIRST, 0, True, own))
    game = do(start("R7", "B1 Y2", "R+2 Y4", "Y5", reshuffle="no"), "draw R+2")
    assert last_events(game, "draw", seat) == (Drew(FIRST, 0, True, own),)


# --- what is refused -------------------------------------------------------------------------------------


def seen_in(variant: dict[str, str], deck: str = "few of four colours", games: int = 6) -> list[list[Observation]]:
    """Return all observations of some games, seat by seat."""
    found = []
    for seed in range(games):
        lines: list[list[Observation]] = [[], []]
        for _, before, after in steps(rules_of(deck, variant), seed, at_most=40):
            for seat in SEATS:
                lines[seat] += [after[seat]] if lines[seat] else [before[seat], after[seat]]
        found += lines
    return found


@pytest.mark.parametrize("variant", VARIANTS[::3], ids=named)
def test_an_observation_left_out_is_noticed(variant: dict[str, str]) -> None:
    for line in seen_in(variant):
        for before, after in zip(line, line[2:], strict=False):
            with pytest.raises(NotInARow, match="give one observation after every action of either player"):
                infer_events(before, after)


@pytest.mark.parametrize("variant", VARIANTS[::3], ids=named)
def test_the_same_observation_twice_and_the_wrong_order_are_noticed(variant: dict[str, str]) -> None:
    for line in seen_in(variant, games=3):
        for before, after in itertools.pairwise(line):
            with pytest.raises(NotInARow):
                infer_events(after, before)
            with pytest.raises(NotInARow):
                infer_events(before, before)


@pytest.mark.parametrize("variant", VARIANTS[::3], ids=named)
def test_a_wrong_field_is_noticed(variant: dict[str, str]) -> None:
    for line in seen_in(variant, games=3):
        for before, after in itertools.pairwise(line):
            for wrong in distortions(after):
                with pytest.raises(NotInARow):
                    infer_events(before, wrong)


def distortions(seen: Observation) -> Iterator[Observation]:
    """Yield the observation with one field wrong, each in its turn."""
    yield replace(seen, turn=1 - seen.turn)
    yield replace(seen, penalty=seen.penalty + 2)
    yield replace(seen, deciding=not seen.deciding)
    yield replace(seen, drawn=3 if seen.drawn is None else None)
    yield replace(seen, draw_size=seen.draw_size + 1)
    yield replace(seen, opponent_size=seen.opponent_size + 1)
    yield replace(seen, opponent_size=seen.opponent_size + 1, draw_size=seen.draw_size - 1)
    yield replace(seen, hand=seen.hand + Cards.parse("R5"))
    yield replace(seen, played=seen.played + Cards.parse("R5"))
    yield replace(seen, colour=(seen.colour + 1) % 4) if seen.top < 52 else replace(seen, top=0)
    yield replace(seen, outcome=Outcome(None, Reason.DECK_EXHAUSTED) if seen.outcome is None else None)


def test_a_card_that_was_not_to_be_played_is_noticed() -> None:
    before = start("R7", "Y1 R2", "Y3 R4", "G1 G2").observation(FIRST)
    hand, played = Cards.parse("R2"), Cards.parse("R7 Y1")
    with pytest.raises(NotInARow, match="no single action leads from"):
        infer_events(before, replace(before, hand=hand, played=played, top=14, colour=1, turn=SECOND))


def test_a_draw_of_too_many_cards_is_noticed() -> None:
    before = start("R7", "Y1 B2", "Y3 R4", "G1 G2").observation(FIRST)
    drawn = replace(before, hand=Cards.parse("Y1 B2 G1"), draw_size=1, turn=SECOND)
    assert infer_events(before, drawn) == (Drew(FIRST, 1, False, cards("G1")),)
    with pytest.raises(NotInARow):
        infer_events(before, replace(drawn, hand=Cards.parse("Y1 B2 G1 G2")))


def test_two_seats_two_rules_a_finished_game_and_a_deck_too_large_have_a_sentence_each() -> None:
    game = start("R7", "R1", "Y3", "G1 G2")
    before, other = game.observation(FIRST), game.observation(SECOND)
    after = do(game, "R1").observation(FIRST)
    with pytest.raises(NotInARow, match="one observation is player 1's and the other player 2's: give two of the same"):
        infer_events(before, other)
    with pytest.raises(NotInARow, match="games with different rules: give two of the same game"):
        infer_events(before, replace(after, variant=after.variant ^ 1))
    with pytest.raises(NotInARow, match=r"after the end of a game, .* \(player 1 wins \(emptied hand\)\)"):
        infer_events(after, after)
    with pytest.raises(NotInARow, match="is of 253 cards, but no deck has more than 108"):
        infer_events(replace(before, draw_size=250), after)
