"""The last words of a game: result and reason, the whole log, luck, what was better, where the record is."""

from pathlib import Path

from rich.text import Text

from uno_pomdp.arena.luck import Luck, luck_of
from uno_pomdp.cli.console import cards_text, showing_compilation
from uno_pomdp.cli.play.desks import Desk
from uno_pomdp.cli.play.log import rails
from uno_pomdp.cli.play.saves import Setup, quoted
from uno_pomdp.cli.play.view import seen_by
from uno_pomdp.game.layout import Seat
from uno_pomdp.game.transcript import GameRecord, replay
from uno_pomdp.game.values import Outcome


def show_ending(desk: Desk, setup: Setup, record: GameRecord, coach: str, path: Path) -> None:
    """Show how a game went, once it is over."""
    game = replay(record)
    assert game.outcome is not None
    desk.say(Text(result(game.outcome, setup.seat, len(record.moves)), "bold reverse"))
    desk.say(rails(seen_by(setup.seat, record, setup.opponent), desk.width))
    for seat, who in ((setup.seat, "You"), (1 - setup.seat, "Opponent")):
        if game.hand(seat):
            desk.say(Text(f"{who} still held ") + cards_text(game.hand(seat)))
    with showing_compilation():
        luck = luck_of(record)
    desk.say(luck_text(luck, setup.seat))
    desk.say(Text(f"Record: {path}"))
    again = f"uno-pomdp play {quoted(setup.opponent)} --seat {setup.seat + 1} --seed {setup.seed}"
    desk.say(Text(f"The same deal again: {again} --rules {setup.rules.name}", "dim"))


def result(outcome: Outcome, seat: Seat, moves: int) -> str:
    """Return who won and why, in a line."""
    who = {1: "YOU WIN", -1: "YOU LOSE", 0: "A DRAW"}[outcome.result(seat)]
    return f" {who} · {outcome.reason} · {moves} moves "


def luck_text(luck: Luck, seat: Seat) -> Text:
    """Return how much chance favoured the person, in points of win probability."""
    sign = 1 if seat == 0 else -1
    deal, own, other = (100 * sign * part for part in (luck.deal, luck.drawn_by(seat), luck.drawn_by(1 - seat)))
    text = Text(f"Luck {deal + own + other:+.0f} points of win probability", "bold")
    return text + Text(f": the deal {deal:+.0f}, your draws {own:+.0f}, the opponent's draws {other:+.0f}")
