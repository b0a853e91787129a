"""`uno-pomdp demo`: a whole random game with both players' moves, then many games and their summary."""

import time

import numpy as np
from rich.table import Table
from rich.text import Text

from uno_pomdp.cards import Cards
from uno_pomdp.cli.console import action_text, card_text, cards_text, out, showing_compilation
from uno_pomdp.game.engine import Game
from uno_pomdp.game.layout import SEATS
from uno_pomdp.game.selfplay import Tally, play_random_games
from uno_pomdp.game.values import Drew, Event, Kept, Played, Reshuffled, seat_name
from uno_pomdp.rules import Rules

Z95 = 1.96
"""Half the width of a 95 % interval, in standard errors."""


def demo(rules: Rules, games: int, seed: int) -> None:
    """Play and print one random game, then `games` more in kernels."""
    with showing_compilation():
        play_random_games(rules, 1, seed)
        game = play_one(rules, seed)
    print_game(game)
    started = time.perf_counter()
    tally = play_random_games(rules, games, seed)
    print_tally(tally, time.perf_counter() - started)


def play_one(rules: Rules, seed: int) -> Game:
    """Play one game, every legal action equally likely."""
    deal, moves = np.random.SeedSequence(seed).spawn(2)
    game = Game.new(rules, int(deal.generate_state(1, np.uint64)[0]))
    choose = np.random.default_rng(moves)
    while not game.over:
        legal = game.legal_actions()
        game.apply(legal[choose.integers(len(legal))])
    return game


def print_game(game: Game) -> None:
    """Print the deal, every move of both players, and the result."""
    deal = game.deal
    out.print(f"A random game, rules [bold]{game.rules.name}[/], deal seed {game.seed}")
    for seat in SEATS:
        out.print(Text(f"{seat_name(seat)} is dealt ") + cards_text(deal.hands[seat]))
    out.print(Text("top card ") + card_text(deal.top))
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title, justify in (("#", "right"), ("who", "left"), ("what", "left"), ("hand then", "left")):
        table.add_column(title, justify=justify)  # type: ignore[arg-type]  # Rich names its literals
    hands = list(deal.hands)
    for number, move in enumerate(game.moves, 1):
        for event in game.events(since=number - 1)[: 2 if move.reshuffled is not None else 1]:
            if isinstance(event, Reshuffled):
                table.add_row("", "", f"the played pile goes back: {len(event.returned)} cards reshuffled", "")
                continue
            hands[event.seat] = _after(hands[event.seat], event)
            table.add_row(str(number), seat_name(event.seat), _what(event), cards_text(hands[event.seat]))
    out.print(table)
    out.print(Text(f"{game.outcome}", "bold"))


def print_tally(tally: Tally, seconds: float) -> None:
    """Print the summary of many games, with a 95 % interval."""
    rate = tally.first_wins / tally.games
    half = Z95 * (rate * (1 - rate) / tally.games) ** 0.5
    out.print(
        f"\n{tally.games:,} random games in {seconds:.2f} s, on one core: "
        f"{tally.games / seconds:,.0f} games/s\n"
        f"{tally.decisions / seconds / 1e6:.1f} M decisions/s, {tally.decisions / tally.games:.1f} decisions a game, "
        f"{tally.reshuffles:,} reshuffles\n"
        f"player 1 wins {100 * rate:.2f} % ± {100 * half:.2f} (95 % interval), draws {tally.draws}, "
        f"deck exhausted {tally.exhausted}"
    )


def _after(hand: Cards, event: Played | Drew | Kept) -> Cards:
    if isinstance(event, Played) and event.action.card is not None:
        return hand - Cards.of([event.action.card])
    return hand + Cards.of(event.cards or ()) if isinstance(event, Drew) else hand


def _what(event: Event) -> Text:
    match event:
        case Played(action=action):
            return Text("plays ") + action_text(action)
        case Drew(count=0):
            return Text("has to draw, but the deck is exhausted")
        case Drew(cards=cards, penalty=penalty):
            return Text("draws the penalty " if penalty else "draws ") + cards_text(cards or ())
        case _:
            return Text("keeps it")
