"""The closing report of a game: result and reason, the whole log, luck, better moves, where the record is."""

from pathlib import Path
from shlex import quote

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from uno_pomdp.agents.failure import AgentFailure
from uno_pomdp.cli.play.interfaces import PlayerInterface
from uno_pomdp.cli.play.log import rails
from uno_pomdp.cli.play.view import seen_by
from uno_pomdp.cli.ui.console import action_text, cards_text, err, showing_compilation
from uno_pomdp.cli.ui.filter_course import filter_course
from uno_pomdp.default_agents import coach_for
from uno_pomdp.evaluation.luck import Luck, luck_of
from uno_pomdp.game.layout import Seat
from uno_pomdp.game.outcome import Outcome
from uno_pomdp.game.record import GameRecord, replay
from uno_pomdp.game.scoring import MatchRound, RoundScore, points_of, round_score
from uno_pomdp.narration.explain import effect_of
from uno_pomdp.quantities import count_of
from uno_pomdp.registry import BeliefSpec
from uno_pomdp.review.judgement import Review, ReviewedMove
from uno_pomdp.rules import Rules
from uno_pomdp.session.coach import Coach, NoCoach
from uno_pomdp.session.policy_aware import SwitchedOff
from uno_pomdp.session.setup import Setup


def show_ending(
    interface: PlayerInterface,
    setup: Setup,
    record: GameRecord,
    coach: Coach,
    path: Path | None,
    spec: BeliefSpec | None = None,
    off: SwitchedOff | None = None,
) -> Review | None:
    """Show how a game went, once it is over, and where it lies.

    The review takes a moment, and is returned; None if the coach has failed.
    """
    interface.finish()
    interface.say(summary(setup, record, interface.width))
    review, gone = None, ""
    try:
        review = coach.review(record, setup.seat, _progress)
    except NoCoach as error:
        gone = str(error)
    with showing_compilation():
        luck = luck_of(record) if review is None else review.luck
    assert luck is not None
    interface.say(luck_text(luck, setup.seat))
    interface.say(Text(f"No review: {gone}.", overflow="fold") if review is None else costliest(review, setup.seat))
    if spec is not None and (off is None or spec not in off):
        try:
            interface.say(filter_course(record, setup.seat, spec))
        except AgentFailure as failure:
            interface.say(Text(f"No course of the belief {spec}: {failure}.", overflow="fold"))
    if path is not None:
        interface.say(Text(f"Record: {path}", overflow="fold"))
        if review is not None:
            interface.say(command("All moves judged:", judged(record, coach.name, path), interface.width))
    if setup.match is None:
        interface.say(command("The same deal again:", again(setup), interface.width))
    if record.practice:
        interface.say(Text(f"A practice game, which does not count ({count_of(len(record.undone), 'undo')})."))
    if setup.match is not None:
        interface.say(points(setup, setup.match, round_score(replay(record))))
    elif interface.scrolled:
        assert record.outcome is not None
        interface.say(result(record.outcome, setup.seat, len(record.moves)))
    return review


def summary(setup: Setup, record: GameRecord, width: int) -> RenderableType:
    """Return result and reason, every move, and the cards that were left: now they may be seen."""
    game = replay(record)
    assert game.outcome is not None
    seen = seen_by(setup.seat, record, setup.opponent)
    news = seen.narrator.sentences(seen.news())  # what no screen has shown: there is none after the last move
    parts: list[RenderableType] = [
        result(game.outcome, setup.seat, len(record.moves)),
        *([news] if news else []),
        rails(seen, width, sizes=True),
        Text("6:7 behind a move: after it you held 6 cards, the opponent 7", "dim"),
    ]
    for seat, who in ((setup.seat, "You"), (1 - setup.seat, "Opponent")):
        if game.hand(seat):
            parts.append(Text(f"{who} still held ") + cards_text(game.hand(seat)))
    return Group(*parts)


def result(outcome: Outcome, seat: Seat, moves: int) -> Text:
    """Return who won and why, in a line."""
    who = {1: "YOU WIN", -1: "YOU LOSE", 0: "A DRAW"}[outcome.result(seat)]
    return Text(f" {who} · {outcome.reason} · {count_of(moves, 'move')} ", "bold reverse")


def points(setup: Setup, match: MatchRound, scored: RoundScore) -> RenderableType:
    """Return what a round scored, and why: the loser's hand, its last draw, the points; then where the match stands."""
    own, other = setup.score(match.score_after(scored))
    parts: list[RenderableType] = [Text(f"Round {match.round}", "bold") + Text(": nobody emptied the hand, no points.")]
    if scored.winner is not None:
        mine = scored.winner == setup.seat
        loser, verb = ("The opponent", "s") if mine else ("You", "")
        held = scored.hand - scored.drawn
        line = Text(f"Round {match.round}", "bold") + Text(f": {loser.lower() if mine else 'you'} held ")
        line += cards_text(held) + Text(f" = {points_of(held)}")
        parts = [line]
        if scored.drawn:
            still = Text(f"{loser} draw{verb} for the last card ") + cards_text(scored.drawn)
            parts.append(still + Text(f" = {points_of(scored.drawn)}"))
        who = "You score" if mine else "The opponent scores"
        parts.append(Text(f"{who} {count_of(scored.points, 'point')}.", "bold"))
    over = max(own, other) >= match.to
    stands = f"{'YOU WIN' if own > other else 'YOU LOSE'} THE MATCH" if over else f"MATCH TO {match.to}"
    rounds = f" · {count_of(match.round, 'round')}"
    parts.append(Text(f" {stands} · you {own} : {other} opponent{rounds} ", "bold reverse"))
    return Group(*parts)


def luck_text(luck: Luck, seat: Seat) -> Text:
    """Return how much chance favoured the person, in points of win probability."""
    sign = 1 if seat == 0 else -1
    deal, own, other = (100 * sign * part for part in (luck.deal, luck.drawn_by(seat), luck.drawn_by(1 - seat)))
    text = Text().append(f"Luck {deal + own + other:+z.0f} points", "bold")
    return text.append(f" of win probability: deal {deal:+z.0f}, your draws {own:+z.0f}, the opponent's {other:+z.0f}")


def costliest(review: Review, seat: Seat) -> RenderableType:
    """Return the three moves that cost the person most, with what was better by what they could know."""
    accuracy = review.accuracy(seat)
    said = Text().append("Your play", "bold").append(f", {review.judge}, from what you could know: ")
    said.append("there was nothing to decide" if accuracy is None else f"accuracy {accuracy:.1f} %")
    moves = review.costliest(seat, 3)
    if not moves:
        return said + Text("." if accuracy is None else ", no move shown to be worse than another.")
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for title in ("move", "you played", "wins", "better", "wins", "lost points", ""):
        table.add_column(title, justify="left" if title in ("you played", "better", "") else "right", no_wrap=True)
    for move in moves:
        assert move.best is not None
        wins = [Text("" if value is None else f"{100 * value:.0f} %") for value in (move.after, move.before)]
        cells = action_text(move.action), wins[0], action_text(move.best), wins[1], move.points_lost, move.grade or ""
        table.add_row(Text(str(move.number)), *cells)
    return Group(said + Text(". Your costliest moves:"), table, *better(review, moves[0]))


def better(review: Review, worst: ReviewedMove) -> list[Text]:
    """Return what would have come of the better move, in the words of a hint."""
    assert worst.best is not None
    game = replay(review.record)
    before = game.earlier(len(game.moves) - worst.number + 1).observation(worst.seat)
    told = f" at move {worst.number}: {effect_of(worst.best, before)}."
    return [Text("Better ") + action_text(worst.best) + Text(told)]


def command(label: str, words: str, width: int) -> Text:
    """Return a command with what it is for, on a line of its own if it is long: so it can be copied in one piece."""
    between = " " if len(f"{label} {words}") <= width else "\n"
    return Text(f"{label}{between}{words}", "dim", overflow="fold")


def judged(record: GameRecord, coach: str, path: Path) -> str:
    """Return the command that reviews the game with the same coach: it says the same of each move."""
    named = "" if coach == coach_for(record.rules) else f" --coach {quote(coach)}"
    return f"uno-pomdp analyze {quote(str(path))}{named}"


def again(setup: Setup) -> str:
    """Return the command that deals the same cards."""
    rules = "" if setup.rules == Rules() else f" --rules {quote(str(setup.rules))}"
    rules += " --practice" if setup.practice else ""
    return f"uno-pomdp play {quote(setup.opponent)} --seat {setup.seat + 1} --seed {setup.seed}{rules}"


def _progress(done: int, of: int) -> None:
    if err.is_terminal:
        text = f"reviewing move {done + 1} of {of} …" if done < of else ""
        err.print(f"{text:<40}", end="\r", style="dim")
