"""Games begun in the middle: they go on as the game would that they are taken from, and stand in records."""

import random
from dataclasses import replace
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.game.records import PLAYERS, begun_in_the_middle, comes_back, edited, line_of, position_of, refused, wandered
from tests.game.test_observed_game import tell
from tests.helpers import (
    ALL_VARIANTS,
    PAIRS_OF_VALUES,
    any_rules,
    any_seed,
    cards,
    choose,
    do,
    legal,
    play_out,
    rules_of,
    start,
    state_bytes,
)
from uno_pomdp.agents.agent import InvalidAgent
from uno_pomdp.cards import BLUE, GREEN, RED, YELLOW, Cards, parse_card
from uno_pomdp.errors import InvalidDeal, InvalidRecord
from uno_pomdp.evaluation.luck import luck_of
from uno_pomdp.game.actions import FORGOT_UNO
from uno_pomdp.game.deal import Deal, Midgame, check_midgame
from uno_pomdp.game.events import Reshuffled
from uno_pomdp.game.game import Game
from uno_pomdp.game.notation import format_record, parse_record
from uno_pomdp.game.observed_game import ObservedGame
from uno_pomdp.game.record import GameRecord, observed, record_of, replay
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import PRESETS, Rules, preset

# --- the game --------------------------------------------------------------------------------------------


def goes_on_alike(rules: Rules, seed: int, moves: int) -> bool:
    """Require that a game begun where another stands goes on as that one does; return whether there was one."""
    game = play_out(Game.new(rules, seed), seed, at_most=moves)
    while not game.over and game.drawn is not None:
        game.apply(game.legal_actions()[0])
    if game.over:
        return False
    twin, made = Game.from_deal(rules, position_of(game), seed), len(game.moves)
    play_out(game, seed + 1, at_most=40)
    for number, move in enumerate(game.moves[made:]):
        assert twin.observation(0) == game.earlier(len(game.moves) - made - number).observation(0)
        twin.repeat(move)
        assert twin.last_move == move
    assert [twin.observation(seat) for seat in (0, 1)] == [game.observation(seat) for seat in (0, 1)]
    assert [twin.events(seat) for seat in (0, 1, None)] == [game.events(seat, made) for seat in (0, 1, None)]
    assert (twin.legal_mask, twin.outcome) == (game.legal_mask, game.outcome)
    return True


@pytest.mark.parametrize("name", PRESETS)
def test_a_game_of_a_preset_goes_on_from_the_middle(name: str) -> None:
    assert sum(goes_on_alike(preset(name), seed, moves=3 * seed) for seed in range(4)) > 0


def test_games_of_all_rules_go_on_from_the_middle() -> None:
    for number, variant in enumerate(ALL_VARIANTS[::10]):
        goes_on_alike(rules_of(("mini-12", "all penalties", "few of four colours")[number % 3], variant), number, 6)


def begun(top: str, first: str, second: str, pile: str, played: str = "", **options: Any) -> Game:
    """Return a game that begins so; the options are those of `Midgame`, and a variant."""
    fields = {name: options.pop(name) for name in ("colour", "turn", "owed", "before") if name in options}
    deck = Cards.parse(" ".join((top, first, second, pile, played)))
    rules = Rules(deck=deck, hand_size=1, **options)
    midgame = Midgame(played=Cards.parse(played), **fields)
    return Game.from_deal(rules, Deal(parse_card(top), (Cards.parse(first), Cards.parse(second)), cards(pile), midgame))


def test_colour_turn_and_debt_are_as_told() -> None:
    game = begun("W", "R1 Y1 G1", "Y2 Y3", "B5", colour=YELLOW, turn=1)
    assert (game.turn, legal(game)) == (1, "Y2 Y3")
    owing = begun("R+2", "R1 Y1 G1", "Y2", "B5 B6 B7", "R2", colour=RED, owed=2)
    assert legal(owing) == "draw"
    do(owing, "draw")
    assert len(owing.hand(0)) == 5
    paid = begun("R+2", "R1 Y1 G1", "Y2", "B5 B6 B7", "R2", colour=RED)
    assert legal(paid) == "R1"
    stacked = begun("W4", "R1 W4 G1", "Y2", "B5 B6", "R+2 Y+2", colour=GREEN, owed=8, stack="rising")
    assert legal(stacked) == "W4:R W4:Y W4:G W4:B draw"


def test_a_wild_four_that_is_owed_can_be_challenged_for_the_colour_before_it() -> None:
    start_of: dict[str, Any] = {"colour": GREEN, "turn": 1, "owed": 4, "wild_four": "challenge"}
    guilty = do(begun("W4", "R1", "Y2 G1", "B1 B2 B3 B4 B5 B6", before=RED, **start_of), "challenge")
    assert (guilty.last_move.guilty, len(guilty.hand(0))) == (True, 5)
    honest = do(begun("W4", "R1", "Y2 G1", "B1 B2 B3 B4 B5 B6", before=YELLOW, **start_of), "challenge")
    assert (honest.last_move.guilty, len(honest.hand(1))) == (False, 8)


def test_what_lies_below_the_top_goes_back_at_a_reshuffle() -> None:
    game = do(begun("R1", "Y4 G4", "Y2", "", "B5 B6 W", colour=RED), "draw")
    event = game.events()[0]
    assert isinstance(event, Reshuffled)
    assert (event.returned, event.hidden) == (Cards.parse("B5 B6 W"), 0)
    assert game.played_pile == cards("R1")


def test_a_copy_and_an_earlier_game_begin_in_the_middle_too() -> None:
    game = do(begun("W", "R1 Y1 G1", "Y2 Y3", "B5", colour=YELLOW, turn=1), "Y2 Y1")
    for twin in (game.copy(), game.earlier(0), replay(record_of(game))):
        assert twin == game
        assert twin.deal == game.deal
        assert state_bytes(twin.earlier(2)) == state_bytes(game.earlier(2))
    assert game.earlier(2).legal_mask != do(begun("W", "R1 Y1 G1", "Y2 Y3", "B5", colour=RED, turn=1), "").legal_mask


WRONG: Final[list[tuple[dict[str, Any], str, str]]] = [
    ({"colour": GREEN}, "R1", "R1 lies on top, so the active colour is its own, not green"),
    ({"colour": BLUE}, "W", "a colour that is not in the deck is named: red, yellow, green are"),
    ({"colour": RED, "turn": 2}, "R1", "there is no seat 2: player 1 sits at seat 0, player 2 at seat 1"),
    ({"colour": RED, "owed": 2}, "R1", "2 cards can't be owed for R1 under these rules"),
    ({"colour": RED, "owed": 4}, "R+2", r"4 cards can't be owed for R\+2 under these rules"),
    ({"colour": RED, "owed": 2}, "W4", "2 cards can't be owed for W4 under these rules"),
    ({"colour": RED, "owed": -1}, "R1", "-1 cards can't be owed for R1 under these rules"),
    ({"colour": RED, "hidden": -1}, "R1", "-1 is no number of hidden cards: give 0 or more"),
    ({"colour": RED, "before": RED}, "R1", r"there is no wild \+4 that can be challenged"),
    ({"colour": RED, "owed": 4, "before": RED}, "W4", r"there is no wild \+4 that can be challenged"),
]


@pytest.mark.parametrize(("fields", "top", "reason"), WRONG)
def test_a_position_that_can_not_be_is_refused(fields: dict[str, Any], top: str, reason: str) -> None:
    rules = Rules(deck=Cards.parse("R1 R2 R+2 Y1 Y+2 G1 W W4"), hand_size=1)
    with pytest.raises(InvalidDeal, match=reason):
        check_midgame(rules, parse_card(top), Midgame(**fields), (1, 1))


@pytest.mark.parametrize(
    ("stack", "top", "owed", "played", "hidden", "can"),
    [
        ("same", "R+2", 4, "Y+2", 0, True),
        ("same", "R+2", 4, "W4", 0, False),
        ("same", "R+2", 4, "", 1, True),
        ("same", "R+2", 3, "Y+2", 0, False),
        ("same", "W4", 6, "Y+2", 2, False),
        ("same", "W4", 8, "W4", 0, True),
        ("rising", "W4", 6, "Y+2", 0, True),
        ("rising", "W4", 8, "Y+2", 0, False),
        ("rising", "W4", 8, "", 1, True),
        ("rising", "R+2", 6, "W4", 0, False),
        ("rising", "R+2", 4, "", 1, True),
        ("rising", "R+2", 6, "", 1, False),
        ("no", "R+2", 2, "", 0, True),
        ("no", "W4", 4, "", 0, True),
    ],
)
def test_a_stacked_debt_needs_the_cards_for_it(
    stack: Any, top: str, owed: int, played: str, hidden: int, can: bool
) -> None:
    rules = Rules(deck=Cards.parse("R1 R2 R+2 Y1 Y+2 G1 W W4 W4"), hand_size=1, stack=stack)
    midgame = Midgame(RED, 0, owed, None, Cards.parse(played), hidden)
    if can:
        check_midgame(rules, parse_card(top), midgame, (1, 1))
    else:
        with pytest.raises(InvalidDeal, match="can't be owed"):
            check_midgame(rules, parse_card(top), midgame, (1, 1))


def test_other_positions_are_refused_for_what_is_wrong() -> None:
    with pytest.raises(InvalidDeal, match="player 2 holds no card, but a game goes on only while both hold some"):
        begun("R1", "R2 R3", "", "B5 B6", colour=RED)
    with pytest.raises(InvalidDeal, match=r"the wild \+4 can be challenged: tell the colour before it"):
        begun("W4", "R2 R3", "G5", "B5 B6", colour=RED, owed=4, wild_four="challenge")
    deal = Deal(parse_card("R1"), (Cards.parse("R2"), Cards.parse("R3")), cards("B5"), Midgame(RED, hidden=1))
    with pytest.raises(InvalidDeal, match="1 played cards are hidden: name them all to play from here"):
        Game.from_deal(Rules(deck=Cards.parse("R1 R2 R3 B5 B6"), hand_size=1), deal)
    twice = Deal(deal.top, deal.hands, deal.pile, Midgame(RED, played=Cards.parse("B6 B6")))
    with pytest.raises(InvalidDeal, match="B6 is dealt 2 times, but the deck has 1"):
        Game.from_deal(Rules(deck=Cards.parse("R1 R2 R3 B5 B6"), hand_size=1), twice)


# --- the text --------------------------------------------------------------------------------------------


def text_of() -> str:
    """Return a record of a game begun with a wild +4 that can be challenged."""
    game = begun(
        "W4",
        "R1",
        "Y2 G1",
        "B1 B2 B3 B4 B5 B6",
        "R2 R3",
        colour=GREEN,
        turn=1,
        owed=4,
        before=RED,
        wild_four="challenge",
    )
    return format_record(record_of(do(game, "draw"), PLAYERS))


TEXT: Final = text_of()
BLOCK: Final = "top: W4\ncolour: green\nturn: player 2\nowed: 4\ncolour before: red\nplayed: R2 R3\nhand 1: R1\n"
FIRST_LINE: Final = TEXT.splitlines().index("colour: green") + 1


def test_a_game_begun_in_the_middle_has_its_block_and_comes_back() -> None:
    assert BLOCK in TEXT
    comes_back(parse_record(TEXT))
    assert format_record(parse_record(TEXT.replace("colour: green", "colour: G"))) == TEXT
    plain = format_record(record_of(begun("R1", "R2", "R3", "B5", colour=RED)))
    assert "top: R1\ncolour: red\nturn: player 1\nowed: 0\nplayed:\nhand 1: R2\n" in plain
    comes_back(parse_record(plain))


DAMAGE: Final = [
    ("no turn", {1: None}, 1, "'turn: …' belongs here, not 'owed'"),
    ("no colour", {0: None}, 0, "'hand 1: …' belongs here, not 'turn'"),
    ("no debt", {2: None}, 2, "'owed: …' belongs here, not 'colour before'"),
    ("no played cards", {4: None}, 4, "'played: …' belongs here, not 'hand 1'"),
    ("no colour before", {3: None}, 6, "the wild +4 can be challenged: tell the colour before it"),
    ("another colour", {0: "colour: pink"}, 0, "'pink' is no colour"),
    ("a third player", {1: "turn: player 3"}, 1, "'player 3' is no seat: player 1 and player 2 are"),
    ("a debt in words", {2: "owed: four"}, 2, "'four' is no whole number"),
    ("another debt", {2: "owed: 6"}, 7, "6 cards can't be owed for W4 under these rules"),
    ("no debt to challenge", {2: "owed: 0"}, 7, "there is no wild +4 that can be challenged"),
    ("no card", {4: "played: R2 Q"}, 4, "'Q' is no card"),
    ("a card too few", {4: "played: R2"}, 7, "R3 is dealt 0 times, but the deck has 1"),
    ("hidden cards", {4: "played: R2\nplayed hidden: 1"}, 8, "1 played cards are hidden: name them all to play"),
    ("hidden in words", {4: "played: R2 R3\nplayed hidden: no"}, 5, "'no' is no whole number"),
    ("a deal", {0: None, 1: None, 2: None, 3: None, 4: None}, 2, "player 2 is dealt 2 cards, but the rules say 1"),
    ("another turn", {1: "turn: player 1"}, 8, "it is player 1's turn, not player 2's"),
]


@pytest.mark.parametrize(("edits", "line", "reason"), [pytest.param(*case[1:], id=case[0]) for case in DAMAGE])
def test_damage_is_refused_with_its_line_and_reason(edits: dict[int, str | None], line: int, reason: str) -> None:
    refused(edited({FIRST_LINE + at: text for at, text in edits.items()}, TEXT), FIRST_LINE + line, reason)


@settings(max_examples=40)
@given(any_rules(), any_seed, st.integers(0, 30))
def test_any_game_begun_in_the_middle_comes_back_from_its_text(rules: Rules, seed: int, moves: int) -> None:
    game = begun_in_the_middle(rules, seed, moves)
    comes_back(wandered(game, seed % 1000, steps=30, undo=0.05, forget=0.2))


# --- played cards that are hidden ------------------------------------------------------------------------


def forgetting(record: GameRecord, hidden: int) -> GameRecord:
    """Return an observer's record in which so many of the cards below the first top are not known."""
    midgame = record.midgame
    assert midgame is not None
    known = list(midgame.played)
    number = min(hidden, len(known))
    return replace(record, midgame=replace(midgame, played=Cards.of(known[number:]), hidden=number))


def accepted(game: Game, hidden: int) -> int:
    """Require that both seats' records of a game are accepted although they know less; return how many are hidden."""
    record, found = record_of(game, PLAYERS), 0
    for seat in (0, 1):
        less = forgetting(observed(record, seat), hidden)
        assert less.midgame is not None
        found += less.midgame.hidden
        text = format_record(less)
        assert parse_record(text) == less
        assert format_record(parse_record(text)) == text
    return found


@settings(max_examples=60)
@given(any_rules(), any_seed, st.integers(0, 30), st.integers(1, 20))
def test_true_records_with_hidden_played_cards_are_accepted(rules: Rules, seed: int, moves: int, hidden: int) -> None:
    accepted(replay(wandered(begun_in_the_middle(rules, seed, moves), seed % 1000, 50, undo=0.0, forget=0.2)), hidden)


@pytest.mark.parametrize("deck", ["mini-12", "few of four colours", "all penalties", "one colour"])
def test_true_records_of_all_rules_with_hidden_played_cards_are_accepted(deck: str) -> None:
    hidden = reshuffled = 0
    for number, variant in enumerate([*PAIRS_OF_VALUES, *ALL_VARIANTS[len(deck) :: 25]]):
        game = play_out(begun_in_the_middle(rules_of(deck, variant), number, 5), number, at_most=40)
        hidden += accepted(game, hidden=4)
        reshuffled += any(move.reshuffled for move in game.moves)
    assert hidden > 40
    assert reshuffled > 3 or deck != "all penalties"


SEEN: Final = replace(
    observed(record_of(begun("R5", "R1 R2 Y3", "G1 G2 R9", "B1 B2", "B8 B9 W", colour=RED), ("one", "two")), 0),
    midgame=Midgame(RED, played=Cards.parse("W"), hidden=2),
)
"""Player 1 knows W of the three cards below R5; hidden are three in the other hand, two in the pile and two below."""


def with_moves(moves: str, record: GameRecord = SEEN, result: str = "unfinished") -> str:
    """Return the text of a record with these moves."""
    return format_record(record).replace("result: unfinished", f"{moves}result: {result}").replace("\n\n", "\n")


MOVES: Final = "1. player 1: R1\n2. player 2: R9\n3. player 1: R2\n4. player 2: draw 1 hidden\n5. player 1: draw B8\n"


@pytest.mark.parametrize(
    ("moves", "line", "reason"),
    [
        (MOVES, 0, ""),
        (f"{MOVES}reshuffle: 6 hidden\n6. player 2: draw 1 hidden\n", 0, ""),
        (f"{MOVES}reshuffle: 4 hidden\n6. player 2: draw 1 hidden\n", 18, "the reshuffled pile has 6 cards"),
        (f"{MOVES}6. player 2: draw 1 hidden\n", 17, "the draw needs a reshuffle line before it"),
        (MOVES.replace("B8", "W"), 16, "W can't be drawn: every one is seen elsewhere"),
        (MOVES.replace("B8", "R5"), 16, "R5 can't be drawn: every one is seen elsewhere"),
        ("1. player 1: R1\n2. player 2: W:R\n", 13, "W can't be played: every one is seen elsewhere"),
    ],
)
def test_what_hidden_played_cards_allow(moves: str, line: int, reason: str) -> None:
    text = with_moves(moves)
    if line:
        refused(text, line_of(text, "seed: ") + line, reason)
    else:
        assert format_record(parse_record(text)) == text


def test_after_a_reshuffle_a_card_that_was_hidden_can_be_drawn() -> None:
    known = f"{MOVES}reshuffle: 6 hidden\n6. player 2: draw 1 hidden\n7. player 1: draw "
    for card in ("W", "R1", "B9"):
        parse_record(with_moves(f"{known}{card}\n"))
    text = with_moves(f"{known}R2\n")
    refused(text, line_of(text, "7. player 1: draw"), "R2 can't be drawn: every one is seen elsewhere")
    text = with_moves(f"{known}B8\n")
    refused(text, line_of(text, "7. player 1: draw"), "B8 can't be drawn: every one is seen elsewhere")


@pytest.mark.parametrize(
    ("number", "reason"), [(1, "3, 1 and 2 hidden cards, but 7 are unseen"), (0, "3 and 2 hidden")]
)
def test_numbers_of_hidden_cards_that_do_not_add_up_are_refused(number: int, reason: str) -> None:
    assert SEEN.midgame is not None
    text = format_record(replace(SEEN, midgame=replace(SEEN.midgame, hidden=number)))
    refused(text, line_of(text, "draw pile: "), reason)


def test_a_whole_record_can_not_hide_played_cards() -> None:
    whole = record_of(begun("R5", "R1 R2 Y3", "G1 G2 R9", "B1 B2", "B8 B9 W", colour=RED))
    with pytest.raises(InvalidDeal, match="1 played cards are hidden"):
        replay(forgetting(whole, 1))
    with pytest.raises(InvalidRecord, match="1 played cards are hidden"):
        parse_record(format_record(forgetting(whole, 1)))


# --- at a table ------------------------------------------------------------------------------------------


def followed_at_a_table(game: Game, seat: int, hidden: int, seed: int) -> ObservedGame:
    """Return a table that begins where a game does, knows less of its played cards, and is told how it goes on."""
    deal, chance = game.deal, random.Random(seed)
    less = forgetting(observed(record_of(game), seat), hidden)
    table = ObservedGame(game.rules, seat, deal.hands[seat], deal.top, less.midgame, len(deal.hands[1 - seat]))
    assert less.midgame is not None
    lost = less.midgame.hidden
    unknown = game.observation(seat).played - table.observation.played
    for number in range(40):
        seen = game.observation(seat)
        if table.observation.hidden_played:
            seen = replace(seen, played=seen.played - unknown, hidden_played=lost)
        assert table.observation == seen
        if game.over:
            break
        game.apply(choose(game, chance))
        tell(table, game)
        for event, told in zip(game.events(seat, number), table.events[-1], strict=True):
            if isinstance(event, Reshuffled) and isinstance(told, Reshuffled) and lost:
                assert (told.returned + unknown, told.hidden) == (event.returned, lost)
                lost = 0
            else:
                assert told == event
    assert table.record(PLAYERS) == forgetting(observed(record_of(game, PLAYERS), seat), hidden)
    return table


@pytest.mark.parametrize("seat", [0, 1])
def test_a_table_that_is_begun_in_the_middle_sees_what_the_seat_would(seat: int) -> None:
    hidden = 0
    for number, variant in enumerate([*PAIRS_OF_VALUES, *ALL_VARIANTS[seat::40]]):
        rules = rules_of(("mini-12", "few of four colours", "all penalties")[number % 3], variant)
        table = followed_at_a_table(begun_in_the_middle(rules, number, 6), seat, number % 4, number)
        hidden += table.observations[0].hidden_played
    assert hidden > 20


@pytest.mark.parametrize(
    ("hand", "opponent", "midgame", "reason"),
    [
        ("R1 R1", 1, Midgame(RED), "the deck has 1 R1, but you name 2 in your hand and 0 on the pile"),
        (
            "R2",
            1,
            Midgame(RED, played=Cards.parse("R2")),
            "the deck has 1 R2, but you name 1 in your hand and 1 on the pile",
        ),
        ("R2", 9, Midgame(RED), "the deck has 8 cards, but hands and played cards are 3 more"),
        ("R2", 1, Midgame(RED, hidden=7), "the deck has 8 cards, but hands and played cards are 2 more"),
        ("R2", 0, Midgame(RED), "player 2 holds no card"),
        ("", 1, Midgame(RED), "player 1 holds no card"),
    ],
)
def test_a_table_refuses_what_can_not_be(hand: str, opponent: int, midgame: Midgame, reason: str) -> None:
    rules = Rules(deck=Cards.parse("R1 R2 R+2 Y1 Y+2 G1 W R5"), hand_size=1)
    with pytest.raises(InvalidDeal, match=reason):
        ObservedGame(rules, 0, Cards.parse(hand), parse_card("R5"), midgame, opponent)


# --- beliefs, agents, luck -------------------------------------------------------------------------------


HIDDEN: Final = ObservedGame(
    preset("house"),
    0,
    Cards.parse("R1 Y1 G3 W B+2"),
    parse_card("R5"),
    Midgame(RED, played=Cards.parse("R2 R3 B5"), hidden=40),
    4,
).observation
"""What a seat sees that knows three of the 43 cards below the top."""


@pytest.mark.parametrize(
    "agent",
    ["random", "greedy", "heuristic", "flat:sims=40", "ismcts:sims=40", "pomcp:sims=40", "flat:sims=40,belief=uniform"],
)
def test_agents_play_on_where_played_cards_are_hidden(agent: str) -> None:
    player = make_agent(agent)
    player.start(preset("house"), HIDDEN, 0)
    assert player.decide().action in HIDDEN.legal_actions()


@pytest.mark.parametrize("agent", ["champion", "champion:sims=100"])
def test_a_champion_refuses_played_cards_that_it_does_not_know(agent: str) -> None:
    with pytest.raises(InvalidAgent, match="40 played cards are not known, and a champion was trained to know them"):
        make_agent(agent).start(preset("house"), HIDDEN, 0)


@pytest.mark.parametrize("agent", ["heuristic", "flat:sims=20", "ismcts:sims=20", "pomcp:sims=20"])
def test_agents_play_on_from_the_middle(agent: str) -> None:
    game = begun_in_the_middle(preset("house"), 5, 15)
    assert make_agent(agent).consider(game).action in game.legal_actions()


def test_the_luck_of_a_game_begun_in_the_middle_begins_with_its_draws() -> None:
    game = play_out(begun_in_the_middle(preset("house"), 5, 15), 5)
    luck = luck_of(record_of(game))
    assert luck.deal == 0.0
    assert len(luck.chances) > 1


def test_a_forgotten_uno_has_its_luck_too() -> None:
    game = do(start("R1", "R2 R3", "Y4 G8", "Y5 B5 B6 B7 R9 R8"), "R2")
    game.forget_uno(0)
    luck = luck_of(record_of(play_out(game, 1)))
    assert game.moves[1].action == FORGOT_UNO
    found = next(chance for chance in luck.chances if chance.move == 1)
    assert (found.seat, found.cards, len(found.lucks)) == (0, cards("Y5 B5"), 2)
