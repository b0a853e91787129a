"""The screen of `play`: as it was approved, within 80 columns, readable without colour, blind to hidden cards.

`python -m tests.cli.test_play_screens` writes the golden screens anew.
"""

import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Final

import pytest
from rich.console import Console, RenderableType
from rich.text import Text

from tests.helpers import SMALL_RULES, moves_under
from uno_pomdp.agents.agent import Candidate, Decision
from uno_pomdp.cards import Cards, CardType, is_black
from uno_pomdp.cli.play.answers import belief_by, hint_by, weighed, why_by
from uno_pomdp.cli.play.ending import points
from uno_pomdp.cli.play.help import help_text
from uno_pomdp.cli.play.interfaces import TerminalInterface
from uno_pomdp.cli.play.log import numbered, rails
from uno_pomdp.cli.play.person import Answer
from uno_pomdp.cli.play.screen import offer, screen
from uno_pomdp.cli.play.view import SeatView, seen_by
from uno_pomdp.cli.ui.card_art import CARD_HEIGHT, CARD_WIDTH, drawn_cards, face
from uno_pomdp.errors import UnoError
from uno_pomdp.game.actions import CHALLENGE, DRAW, KEEP, Action
from uno_pomdp.game.events import Challenged, Drew, Event, Played, Reshuffled, Swapped
from uno_pomdp.game.game import Deal, Game
from uno_pomdp.game.layout import SKIPS
from uno_pomdp.game.observation import Observation
from uno_pomdp.game.record import record_of
from uno_pomdp.game.scoring import MatchRound, round_score
from uno_pomdp.narration.explain import position_in_words
from uno_pomdp.rules import PRESETS, Rules, preset
from uno_pomdp.session.coach import Coach
from uno_pomdp.session.parse import choices
from uno_pomdp.session.session import Session
from uno_pomdp.session.setup import Setup

GOLDEN: Final = Path(__file__).parents[1] / "golden" / "screens"
WIDTH: Final = 80
HEIGHT: Final = 24


def text_of(what: RenderableType, width: int = WIDTH) -> str:
    """Return what is shown in a terminal without colour."""
    console = Console(file=StringIO(), width=width, color_system=None, highlight=False)
    console.print(what)
    assert isinstance(console.file, StringIO)
    return "".join(line.rstrip() + "\n" for line in console.file.getvalue().splitlines())


def random_game(rules: Rules, seed: int, most: int = 10_000) -> Iterator[Game]:
    """Yield a game of two random players after every action, the same object each time."""
    game, chance = Game.new(rules, seed), random.Random(seed)
    yield game
    while not game.over and len(game.moves) < most:
        game.apply(chance.choice(game.legal_actions()))
        yield game


def view(game: Game, seat: int) -> SeatView:
    """Return what a seat has seen of a game."""
    return seen_by(seat, record_of(game), "heuristic")


@cache
def found(
    rules: str, wanted: Callable[[Observation], bool], moves: int = 0, first: int = 0, most: int = 10_000
) -> SeatView:
    """Return the first position of random games that is wanted, from a seed on, for the player to move."""
    for seed in range(first, 1000):
        for game in random_game(Rules.parse(rules), seed, most):
            seen = game.observation(game.turn)
            if not game.over and len(game.moves) >= moves and wanted(seen):
                return view(game, game.turn)
    raise AssertionError("no game has this position")


def after(rules: str, wanted: Callable[[Sequence[Event]], bool]) -> SeatView:
    """Return the first position of random games after events that are wanted, for the player to move."""
    for seed in range(1000):
        for game in random_game(preset(rules), seed, 40):
            if game.moves and not game.over and wanted(game.events(since=len(game.moves) - 1)):
                return view(game, game.turn)
    raise AssertionError("no game has these events")


def answering(seen: Observation) -> bool:
    return seen.penalty > 2 and len(seen.legal_actions()) > 1


def opening(seen: Observation) -> bool:
    return len(seen.played) == 1


def owing_four(seen: Observation) -> bool:
    return seen.penalty == 4


def facing_uno(seen: Observation) -> bool:
    return seen.opponent_size == 1 and not seen.penalty and len(seen.legal_actions()) > 1


def nothing_fits(seen: Observation) -> bool:
    return not seen.penalty and [str(action) for action in seen.legal_actions()] == ["draw"]


def just_drawn(seen: Observation) -> bool:
    return seen.deciding and len(seen.legal_actions()) > 1


def skips(event: Event) -> bool:
    """Whether a skip or reverse was played."""
    return isinstance(event, Played) and event.action.card is not None and bool(SKIPS[event.action.card])


def one_left(seen: Observation) -> bool:
    """Whether one card is left, which fits, and a card may be drawn instead."""
    return len(seen.hand) == 1 and len(seen.legal_actions()) == 2 and not seen.penalty and not seen.deciding


def free_to_draw(seen: Observation) -> bool:
    return not seen.deciding and not seen.penalty and len(seen.legal_actions()) > 3


def hint() -> RenderableType:
    legal = found("house", facing_uno, 40).now.legal_actions()
    tried = [Candidate(action, 0.5 - n / 20, 0.01, 1000 >> n) for n, action in enumerate(reversed(legal))]
    return weighed(Decision(legal[-1], tuple(tried), line=(legal[-1], DRAW), note="a note"), legal)


def hint_with_gaps() -> RenderableType:
    """Return a hint in which some moves were not searched, or proved instead."""
    legal = found("house", facing_uno, 40).now.legal_actions()
    best, proved, unlikely, *rest = legal
    tried = (
        Candidate(best, 0.51, 0.01, 900, 0.6),
        Candidate(proved, 0.2, None, 0, 0.2, "proved 10.0 to 30.0 %"),
        Candidate(unlikely, prior=0.0004, note="prior < 0.1 %: skipped"),
        *(Candidate(action) for action in rest),  # of an agent that gives no reason
    )
    return weighed(Decision(best, tried), legal)


def in_window(one: SeatView, width: int, height: int) -> Text:
    """Return what a terminal of this size shows where a move is asked for."""
    console = Console(file=StringIO(), width=width, height=height, color_system=None, force_terminal=True)
    TerminalInterface(console).turn(one)
    assert isinstance(console.file, StringIO)
    return Text(re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", console.file.getvalue()).removesuffix("\n"))


def in_match(practice: bool = False) -> SeatView:
    """Return a position in a match."""
    return replace(found("house", facing_uno, 40), match=MatchRound(500, 3, (120, 85)), practice=practice)


def why(practice: bool) -> RenderableType:
    """Return why the opponent moved so, told in a game that counts or in practice."""
    setup = Setup(preset("house"), 24, 0, "greedy", practice=practice)
    session = Session(setup)
    session.move(session.game.legal_actions()[0])
    while not session.awaits_person:
        session.answer()
    return why_by(session)(SeatView(session.history, "greedy"), WIDTH)


def last_draw(seat: int) -> RenderableType:
    """Return the end of a round in which the loser draws for the last card, told to this seat."""
    for seed in range(200):
        game = list(random_game(preset("house"), seed))[-1]
        scored = round_score(game)
        if scored.drawn:
            match = MatchRound(500, 3, (120, 85))
            return points(Setup(game.rules, seed, seat, "greedy", match), match, scored)
    raise AssertionError("no game ends so")


SCREENS: Final[dict[str, Callable[[], RenderableType]]] = {
    "opening": lambda: screen(found("house", opening), WIDTH),
    "penalty": lambda: screen(found("house", owing_four), WIDTH),
    "uno": lambda: screen(found("house", facing_uno, 40), WIDTH),
    "nothing-fits": lambda: screen(found("house", nothing_fits), WIDTH),
    "just-drawn": lambda: screen(found("printed", just_drawn), WIDTH),
    "free-to-draw": lambda: screen(found("printed", free_to_draw), WIDTH),
    "challenge": lambda: screen(found("printed", lambda seen: seen.before is not None), WIDTH),
    "bluff-caught": lambda: screen(after("printed", lambda events: Challenged(1, guilty=True) in events), WIDTH),
    "challenged-wrongly": lambda: screen(after("printed", lambda events: Challenged(0, guilty=False) in events), WIDTH),
    "first-card-acts": lambda: screen(found("printed", lambda seen: opening(seen) and seen.penalty > 0, most=0), WIDTH),
    "stacked": lambda: screen(found("stacking", answering, most=40), WIDTH),
    "once-more": lambda: screen(after("house", lambda events: skips(events[0])), WIDTH),
    "last-card": lambda: screen(found("printed", one_left, most=60), WIDTH),
    "until-playable": lambda: screen(found("party", nothing_fits), WIDTH),
    "swapped": lambda: screen(after("party", lambda events: any(isinstance(one, Swapped) for one in events)), WIDTH),
    "many-cards": lambda: screen(view(Game.new(Rules(hand_size=24), 2), 0), WIDTH),
    "long-log": lambda: screen(found("house", lambda seen: len(seen.hand) > 9, 110, 43), WIDTH),
    "mini": lambda: screen(found("mini-7", lambda seen: len(seen.hand) == 1), WIDTH),
    "match": lambda: screen(in_match(), WIDTH),
    "match-window-40x10": lambda: in_window(in_match(), 40, 10),
    "practice": lambda: in_window(in_match(practice=True), WIDTH, HEIGHT),
    "points": lambda: last_draw(0),
    "points-other": lambda: last_draw(1),
    "position": lambda: Text(position_in_words(found("house", facing_uno, 40).history)),
    "position-challenge": lambda: Text(
        position_in_words(found("printed", lambda seen: seen.before is not None).history)
    ),
    "why": lambda: why(practice=False),
    "why-in-full": lambda: why(practice=True),
    "log-in-words": lambda: numbered(found("house", facing_uno, 40)),
    "help": lambda: help_text(preset("house")),
    "help-printed": lambda: help_text(preset("printed")),
    "window-40x10": lambda: in_window(found("house", facing_uno, 40), 40, 10),
    "window-40x10-penalty": lambda: in_window(found("house", owing_four), 40, 10),
    "window-40x24": lambda: in_window(found("house", facing_uno, 40), 40, 24),
    "window-80x10": lambda: in_window(found("house", facing_uno, 40), 80, 10),
    "window-24x6": lambda: in_window(found("house", lambda seen: len(seen.hand) > 9, 110, 43), 24, 6),
    "hint": hint,
    "hint-with-gaps": hint_with_gaps,
    "belief": lambda: belief_by()(found("house", facing_uno, 40), WIDTH),
}
"""The main views by name."""


@pytest.mark.parametrize("name", SCREENS)
def test_the_screen_is_the_golden_one(name: str) -> None:
    assert text_of(SCREENS[name]()) == (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")


def test_there_is_no_golden_screen_too_many() -> None:
    assert {path.stem for path in GOLDEN.iterdir()} == set(SCREENS)


@pytest.mark.parametrize("rules", PRESETS)
def test_help_of_all_rules_is_one_page(rules: str) -> None:
    lines = text_of(help_text(preset(rules))).splitlines()
    assert len(lines) < HEIGHT
    assert max(map(len, lines)) < WIDTH


@pytest.mark.parametrize(("rules", "games"), [("house", 6), ("printed", 4), ("party", 4), ("mini-12", 60)])
@pytest.mark.parametrize("width", [80, 60])
def test_no_line_is_wider_than_the_terminal_and_all_is_there(rules: str, games: int, width: int) -> None:
    tall = shown = 0
    for seed in range(games):
        for game in random_game(preset(rules), seed, 120):
            if game.over or (len(game.moves) + seed) % 6:
                continue
            one = view(game, game.turn)
            text = text_of(screen(one, width), width)
            assert max(map(len, text.splitlines())) <= width
            check_numbers(text, one.now)
            check_log(text_of(rails(one, width), width), one)
            shown += 1
            tall += len(text.splitlines()) + 2 > HEIGHT
    assert shown > 20
    assert tall < shown / 4 or width < WIDTH  # random players play long, with large hands; even so most screens fit


def check_numbers(text: str, seen: Observation) -> None:
    """Read the numbers back from the drawn hand: they stand below the cards that they mean, and below no other."""
    lines = text.splitlines()
    label = next(number for number, line in enumerate(lines) if line.startswith("Your hand"))
    start = next(number for number, line in enumerate(lines) if number > label and line[0] in "╭┏")
    drawn: list[tuple[str, int | None]] = []
    for row in range(start, len(lines), CARD_HEIGHT):
        _, middle, bottom = lines[row : row + CARD_HEIGHT]
        for left in range(0, len(middle), CARD_WIDTH):
            number = re.search(r"\d+", bottom[left : left + CARD_WIDTH])
            drawn.append((middle[left + 1 : left + 6], None if number is None else int(number[0])))
            assert (middle[left] == "┃") == (number is not None)
    meant = {each: n for n, each in enumerate(choices(seen.legal_actions()), 1) if not isinstance(each, Action)}
    assert drawn == [(face(card), meant.get(card)) for card in seen.hand]


def meant_by(word: str) -> str:
    """Return the action that a word on a rail stands for."""
    if word in ("ch✓", "ch✗"):
        return "challenge"
    return "draw" if word.startswith("↓") else word.removesuffix("⇄")


def check_log(text: str, one: SeatView, cell: int = 5) -> list[str]:
    """Read the rails back, column by column: they are all actions of both players in order. Return what is behind."""
    lines = text.splitlines()
    read: list[tuple[int, str]] = []
    behind: list[str] = []
    for upper, lower in zip(lines[::2], lines[1::2], strict=False):
        for left in range(9, max(len(upper), len(lower)), cell):
            for seat, line in enumerate((upper, lower)):
                word = line[left : left + 5].strip()
                if word not in ("", "·", "mix"):
                    read.append((seat, word))
                    behind.append(line[left + 5 : left + cell].strip())
    done = [(step.deed.seat, str(step.action)) for step in one.steps]
    assert [(seat, meant_by(word)) for seat, word in read] == done
    mixed = sum(isinstance(event, Reshuffled) for step in one.steps for event in step.events)
    assert text.count("mix") == 2 * mixed
    return behind


@pytest.mark.parametrize(("rules", "seed"), [("house", 43), ("printed", 3), ("party", 3), ("mini-9", 5)])
@pytest.mark.parametrize("width", [80, 40])
def test_at_the_end_the_sizes_of_both_hands_stand_behind_every_move(rules: str, seed: int, width: int) -> None:
    game = list(random_game(preset(rules), seed))[-1]
    for seat in (0, 1):
        one = view(game, seat)
        text = text_of(rails(one, width, sizes=True), width)
        assert max(map(len, text.splitlines())) <= width
        sizes = [(len(step.observation.hand), step.observation.opponent_size) for step in one.steps]
        cell = 8 + 2 * len(str(max(map(max, sizes))))
        held = [tuple(map(int, words.split(":"))) for words in check_log(text, one, cell)]
        assert held == sizes


def test_cards_are_numbered_in_any_width() -> None:
    hand = Cards.parse("R5 R5 GS W W4 B+2 YR")
    numbers: dict[CardType, int] = {card: n for n, card in enumerate(hand.types(), 1)}
    for width in (7, 20, 80):
        lines = text_of(drawn_cards(hand, numbers, width), width).splitlines()
        assert max(map(len, lines)) <= max(width, CARD_WIDTH)
        assert len(lines) == CARD_HEIGHT * -(-7 // (width // CARD_WIDTH))


def twins(game: Game, seat: int, wanted: int, seed: int) -> list[Game]:
    """Return games that differ from this one in hidden cards alone: dealt otherwise, with all moves possible again.

    The cards that the opponent has not shown and the rest of the draw pile are exchanged at random, at the places where
    they lay at the deal; a deal in which the moves made are not legal, or draw other cards before our eyes, is no twin.
    """
    chance, deal, other = random.Random(seed), game.deal, 1 - seat
    mine = [card for move in game.moves if move.seat == seat for card in move.cards]
    shown = Cards.of(move.action.card for move in game.moves if move.seat == other and move.action.card is not None)
    alike: list[Game] = []
    for _ in range(400):
        hand, pile = list(deal.hands[other]), list(deal.pile)
        free = [("hand", place) for place, card in enumerate(hand) if card not in shown]
        free += [("pile", place) for place, card in enumerate(pile) if card not in shown and card not in mine]
        cards = [hand[place] if where == "hand" else pile[place] for where, place in free]
        chance.shuffle(cards)
        for (where, place), card in zip(free, cards, strict=True):
            (hand if where == "hand" else pile)[place] = card
        hands = (deal.hands[0], Cards.of(hand)) if seat == 0 else (Cards.of(hand), deal.hands[1])
        twin = Game.from_deal(game.rules, Deal(deal.top, hands, tuple(pile)), game.seed)
        try:
            for move in game.moves:
                twin.apply(move.action)
        except UnoError:
            continue
        if twin.events(seat) == game.events(seat) and twin.hand(other) != game.hand(other):
            alike.append(twin)
        if len(alike) == wanted:
            break
    return alike


@pytest.mark.parametrize("rules", ["house", "printed"])
def test_the_screen_and_every_answer_are_the_same_whatever_is_hidden(rules: str) -> None:
    compared = 0
    for seed in range(8):
        game = list(random_game(preset(rules), seed, 8 + 2 * seed))[-1]
        if game.over:
            continue
        seat = game.turn
        one = view(game, seat)
        advice = hint_by(Coach("flat:sims=50", 1))
        mine = [text_of(what) for what in shown_to(one, advice)]
        for twin in twins(game, seat, 3, seed):
            other = view(twin, seat)
            assert other == one
            assert [text_of(what) for what in shown_to(other, advice)] == mine
            compared += 1
    assert compared >= 12


def shown_to(one: SeatView, advice: Answer) -> tuple[RenderableType, ...]:
    """Return all that the person can be shown."""
    return screen(one, WIDTH), numbered(one), belief_by()(one, WIDTH), advice(one, WIDTH)


def test_a_view_holds_no_card_that_the_seat_has_not_seen() -> None:
    game = list(random_game(preset("house"), 3, 60))[-1]
    for seat in (0, 1):
        one = view(game, seat)
        for step in one.steps:
            for event in step.events:
                if isinstance(event, Reshuffled):
                    assert event.pile is None
                elif isinstance(event, Drew) and event.seat != seat:
                    assert getattr(event, "cards", None) is None


def test_a_black_top_card_is_shown_with_its_colour_in_words() -> None:
    one = found("house", lambda seen: is_black(seen.top) and not seen.penalty)
    text = text_of(screen(one, WIDTH))
    assert re.search(r"Colour  (RED|YELLOW|GREEN|BLUE) ", text)
    assert KEEP not in one.now.legal_actions()


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for name, make in SCREENS.items():
        (GOLDEN / f"{name}.txt").write_text(text_of(make()), encoding="utf-8")


@pytest.mark.parametrize("rules", SMALL_RULES.values(), ids=SMALL_RULES)
def test_what_is_offered_names_as_many_cards_as_are_drawn(rules: Rules) -> None:
    for before, move, after in moves_under(rules):
        seen = before.observation(before.turn)
        said, drawn = offer(seen, seen.legal_actions()), len(move.drawn)
        if not drawn or after.outcome is not None:
            continue
        if move.action == CHALLENGE:
            assert (f"wrongly, you draw {drawn})" in said) or move.guilty
        elif len(seen.legal_actions()) == 1:
            assert said.endswith("until a card does" if seen.draws_until() else f"draw {drawn}")
