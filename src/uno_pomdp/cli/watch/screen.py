"""One moment of a game as a screen: both hands, the last moves, the coach, both beliefs, who wins, the keys."""

from dataclasses import dataclass
from typing import Final

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.segment import Segment, SegmentLines
from rich.table import Table
from rich.text import Text

from uno_pomdp.cards import COLOUR_NAMES
from uno_pomdp.cli.ui.annotated_game import hope_of
from uno_pomdp.cli.ui.candidates import candidates_view
from uno_pomdp.cli.ui.console import STYLES, action_text, card_text, cards_text
from uno_pomdp.cli.ui.narrate import PLAYERS
from uno_pomdp.cli.ui.sparkline import strip
from uno_pomdp.cli.watch.beliefs import belief_in_full, both_beliefs
from uno_pomdp.cli.watch.words import GRADE_STYLES, opinion, weighed
from uno_pomdp.game.actions import seat_name
from uno_pomdp.game.layout import SEATS, Seat
from uno_pomdp.quantities import percent
from uno_pomdp.registry import BeliefSpec
from uno_pomdp.review.game import Reviewer
from uno_pomdp.review.judgement import BAD
from uno_pomdp.session.policy_aware import SwitchedOff
from uno_pomdp.session.watched import WatchedGame

Lines = list[list[Segment]]
"""What is drawn, by lines."""
WIDEST: Final = 120
"""Columns that a screen uses at most."""
LONGEST_LOG: Final = 12
"""Lines of the log on a high screen."""
SHORTEST_LOG: Final = 3
"""And on a low one."""
AWARE: Final = 34
"""Lines of a screen from which on a belief in full has the policy-aware one beside it."""


@dataclass(frozen=True, slots=True)
class Look:
    """What is to be seen of a moment."""

    at: int
    """Which moment: after so many moves."""
    of: Seat | None = None
    """Whose belief is shown in full; None for both in short."""
    spec: BeliefSpec | None = None
    """The belief beside the exact one, if one was asked for."""
    footer: str = ""
    """The keys."""
    waits: str = ""
    """Why the coach has said nothing of this move."""
    off: SwitchedOff | None = None
    """Beliefs that have failed, and are not shown any more."""


def screen(game: WatchedGame, reviewer: Reviewer | None, look: Look, console: Console) -> SegmentLines:
    """Return all of a moment that fits the console, with the keys at the bottom."""
    width, height = min(console.width, WIDEST), console.height
    options = console.options.update(width=width, height=None)

    def drawn(*parts: RenderableType) -> Lines:
        return [line for part in parts for line in console.render_lines(part, options)]

    head = drawn(title(game, look.at, width), table_view(game, look.at))
    coach = drawn(_heading(_coach_title(game, reviewer, look)), *coach_view(game, reviewer, look))
    beliefs = drawn(_heading(_belief_title(game, look, height)), belief_view(game, reviewer, look, width, height))
    wins = drawn(_heading("who wins"), *course_view(game, look.at, width)) if game.chances else []
    left = height - len(head) - 2 - SHORTEST_LOG
    parts: list[Lines] = []
    for part in (coach, beliefs, wins):  # the first that has no room is left out, and what is worth less too
        if len(part) > left:
            break
        left -= len(part)
        parts.append(part)
    if len(parts) == 3 and (more := _candidates(reviewer, look, width)) is not None:
        rows = drawn(more)
        if len(rows) <= left:
            parts[0] = [*coach, *rows]
            left -= len(rows)
    room = min(SHORTEST_LOG + max(left, 0), LONGEST_LOG)
    log = drawn(_heading(f"{PLAYERS.title.plain}  move"), *_log(game, reviewer, look.at, room))
    shown = [*head, *log, *(line for part in parts for line in part)][: height - 1]
    blank = [[Segment(" " * width)]] * (height - 1 - len(shown))
    return SegmentLines([*shown, *blank, *drawn(fitting(look.footer, width))[:1]], new_lines=True)


def title(game: WatchedGame, at: int, width: int) -> RenderableType:
    """Return who plays by which rules, and the place in the game."""
    left = Text(f"{game.names[0]} v {game.names[1]}, rules {game.timeline.rules.name}", "bold", no_wrap=True)
    if game.note:
        left += Text(f", {game.note}")
    of = "" if game.total is None else f" of {game.total}"
    grid = Table.grid(expand=True)
    grid.width = width
    grid.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
    grid.add_column(justify="right", no_wrap=True)
    grid.add_row(left, Text(f" move {at}{of}" if at else f" the deal{f', {game.total} moves follow' if of else ''}"))
    return grid


def table_view(game: WatchedGame, at: int) -> RenderableType:
    """Return both hands and what lies between them."""
    seen = game.timeline.seen(at)
    hands = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    for seat, size in zip(SEATS, game.timeline.sizes(at), strict=True):
        turn = "▶" if seen.turn == seat and seen.outcome is None else " "
        held = game.timeline.hand(at, seat)
        cards = Text("hidden", "dim") if held is None else cards_text(held)
        name = Text(f"{turn} {seat_name(seat)}, {game.names[seat]}")
        name.truncate(40, overflow="ellipsis")
        hands.add_row(name, Text(f"{size:>2} card{'s' if size != 1 else ' '}"), cards)
    state = Text("top ") + card_text(seen.top) + Text(", ") + Text(COLOUR_NAMES[seen.colour], STYLES[seen.colour])
    state += Text(f" to match; draw pile {seen.draw_size}, played {seen.played_size}")
    if seen.penalty:
        whose = game.timeline.seen(at, seen.turn) if seen.turn in game.timeline.seats else seen
        state += Text("; ") + Text(PLAYERS.debt(whose), "bold reverse")
    if seen.outcome is not None:
        state += Text("; ") + Text(str(seen.outcome), "bold")
    back = [_taken_back(game, at)] if game.taken_back(at) else []
    return Group(hands, Padding(state, (0, 0, 0, 2)), *back)


def _taken_back(game: WatchedGame, at: int) -> Text:
    """Return what was taken back to this moment."""
    told = [
        Text(" ").join(Text(f"{PLAYERS.labels[move.seat]} ") + action_text(move.action) for move in undone.moves)
        for undone in game.taken_back(at)
    ]
    return Text("  taken back here: ", "dim") + Text("; ").join(told)


def _log(game: WatchedGame, reviewer: Reviewer | None, at: int, room: int) -> list[Text]:
    """Return the last moves before a moment, which is the last line; bad ones are marked."""
    found: list[Text] = []
    for number in range(at, 0, -1):
        told = PLAYERS.lines(number, game.timeline.events(number), game.timeline.sizes(number))
        decision = game.decisions[number - 1]
        hope = None if decision is None else hope_of(decision)
        if hope is not None:
            told[-1] += Text(f", hopes for {percent(hope)}", "dim")
        judged = None if reviewer is None else reviewer.of(number)
        if judged is not None and judged.grade in BAD:
            told[-1] += Text(f"  {judged.grade}", GRADE_STYLES[judged.grade])
        if number == at:
            for line in told:
                line.stylize("bold")
        found = [*told, *found]
        if len(found) >= room:
            break
    return [*found[-room:], *[Text("")] * (room - len(found))]


# --- the coach -------------------------------------------------------------------------------------------


def _coach_title(game: WatchedGame, reviewer: Reviewer | None, look: Look) -> str:
    who = "the coach" if reviewer is None else reviewer.coach
    return who if not look.at else f"{who} to {seat_name(game.timeline.move(look.at).seat)} on move {look.at}"


def coach_view(game: WatchedGame, reviewer: Reviewer | None, look: Look) -> list[RenderableType]:
    """Return what the coach thinks of the last move, in two lines at least, so that the screen does not jump."""
    told: list[Text]
    judged = None if reviewer is None else reviewer.of(look.at)
    if not look.at:
        told = [Text("Nothing to weigh yet: each move is judged by what its player could know.")]
    elif judged is None:
        told = [Text(look.waits, "dim")]
    else:
        known = judged.seat if judged.seat in game.timeline.seats else None
        told = opinion(judged, game.timeline.seen(look.at - 1, known))
    return [*told, *[Text("")] * (2 - len(told))]


def _candidates(reviewer: Reviewer | None, look: Look, width: int) -> RenderableType | None:
    """Return all that was weighed at the last move; None where nothing was."""
    judged = None if reviewer is None else reviewer.of(look.at)
    decision = None if judged is None else weighed(judged)
    return None if decision is None or judged is None else candidates_view(decision, judged.action, width=width)


# --- beliefs and chances ---------------------------------------------------------------------------------


def _belief_title(game: WatchedGame, look: Look, height: int) -> str:
    if len(game.timeline.seats) > 1 and look.of is None:
        return "what each can know of the other's hand, its choices ignored"
    seat = game.timeline.seats[0] if look.of is None else look.of
    ignored = "" if height >= AWARE else ", its choices ignored"
    return f"what {seat_name(seat)} can know of {seat_name(1 - seat)}'s hand{ignored}"


def belief_view(game: WatchedGame, reviewer: Reviewer | None, look: Look, width: int, height: int) -> RenderableType:
    """Return both beliefs in short, or one in full."""
    coach = None if reviewer is None else reviewer.coach
    if len(game.timeline.seats) > 1 and look.of is None:
        return both_beliefs(game, look.at, width, coach, look.off)
    seat = game.timeline.seats[0] if look.of is None else look.of
    return belief_in_full(game, look.at, seat, width, look.spec, coach, height >= AWARE, look.off)


def course_view(game: WatchedGame, at: int, width: int) -> list[RenderableType]:
    """Return player 1's win probability from the deal to a moment."""
    now = game.chances[at]
    told = f"both hands open: {seat_name(0)} {percent(now)}, {seat_name(1)} {percent(1.0 - now)}"
    return [strip(game.chances[: at + 1], width), Text(told)]


def _heading(text: str) -> Rule:
    return Rule(Text(text, overflow="ellipsis", no_wrap=True), align="left", style="dim")


def fitting(footer: str, width: int) -> Text:
    """Return the keys, in a line; in a narrow window the last ones are left out."""
    parts = footer.split(" · ")
    while len(parts) > 1 and len(" · ".join(parts)) > width:
        del parts[-2]  # the last one says how to leave
    return Text(" · ".join(parts), "reverse", no_wrap=True, overflow="ellipsis")
