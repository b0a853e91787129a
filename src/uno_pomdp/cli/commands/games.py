"""`uno-pomdp games`: the saved games, how you do against each opponent, and how accurate you were over time."""

import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import typer
from rich.table import Table
from rich.text import Text

from uno_pomdp.cli.app import app
from uno_pomdp.cli.options import AsJson, complete_game
from uno_pomdp.cli.places import folder, later_round
from uno_pomdp.cli.ui.console import out, print_json, say, showing_compilation
from uno_pomdp.cli.ui.sparkline import strip
from uno_pomdp.default_agents import coach_for
from uno_pomdp.errors import ConflictingOptions, UnoError, UnusableFile, quoted
from uno_pomdp.quantities import count_of

if TYPE_CHECKING:
    from uno_pomdp.game.record import GameRecord
    from uno_pomdp.session.tally import Standing

SHOWN: Final = 10
"""Games in the list, and opponents in the table, unless all are asked for: a screen holds them."""
NAMED: Final = 24
"""Columns for a game's name; a longer one takes several lines, for it has to be typed."""
SMOOTHED: Final = 5
"""Games of the running mean in the picture."""
ACTIONS: Final = ("open", "watch", "delete", "export")
"""What can be done with a game."""


class Entry(NamedTuple):
    """A saved game."""

    number: int
    """From 1, the oldest first; of now, for it changes when a game before it is played on or deleted."""
    path: Path
    """Its file."""
    record: "GameRecord"
    """The game."""
    when: datetime
    """When it was saved last."""
    counts: bool
    accuracy: float | None
    """How accurate the person was, where that is known."""

    @property
    def name(self) -> str:
        """What it is called as long as it is there."""
        return self.path.stem

    @property
    def seat(self) -> int:
        """Where the person sits."""
        seat = self.record.person
        assert seat is not None
        return seat

    @property
    def opponent(self) -> str:
        """The text that makes the other player."""
        return self.record.players[1 - self.seat]

    @property
    def result(self) -> str:
        """How it ended for the person."""
        from uno_pomdp.session.tally import moved_in

        if self.record.outcome is None:
            return "unfinished" if moved_in(self.record) else "not begun"
        return {1: "won", 0: "draw", -1: "lost"}[self.record.outcome.result(self.seat)]

    @property
    def note(self) -> str:
        """What else there is to say of it."""
        match = self.record.match
        known = self.record.outcome is not None and not self.counts
        parts = ["practice"] if self.record.practice else ["known deal"] if known else []
        if match is not None:
            own, other = match.score[self.seat], match.score[1 - self.seat]
            parts.append(f"round {match.round} at {own}:{other}")
        return ", ".join(parts)

    def to_json(self) -> dict[str, Any]:
        """Return it as JSON values."""
        match = self.record.match
        return {
            "number": self.number,
            "name": self.name,
            "file": str(self.path),
            "saved": self.when.isoformat(timespec="seconds"),
            "opponent": self.opponent,
            "rules": self.record.rules.name,
            "player": self.seat + 1,
            "moves": len(self.record.moves),
            "result": self.result,
            "counts": self.counts,
            "practice": self.record.practice,
            "match": None if match is None else {"to": match.to, "round": match.round, "score": list(match.score)},
            "accuracy": self.accuracy,
        }


def complete_game_action(incomplete: str) -> list[str]:
    """Return what can be done with saved games whose name begins so, for the shell."""
    return [name for name in ACTIONS if name.startswith(incomplete)]


@app.command(
    epilog="Examples: uno-pomdp games · uno-pomdp games open 2026-01-31-201500 · uno-pomdp games --plot accuracy.svg"
)
def games(
    action: Annotated[
        str | None,
        typer.Argument(
            metavar="DO",
            help="open, watch, delete or export.",
            show_default="list all",
            autocompletion=complete_game_action,
        ),
    ] = None,
    game: Annotated[
        str | None,
        typer.Argument(metavar="GAME", help="Which, by its name in the list.", autocompletion=complete_game),
    ] = None,
    target: Annotated[Path | None, typer.Argument(metavar="FILE", help="With export: where its record goes.")] = None,
    every: Annotated[bool, typer.Option("--all", help="All games, not only the newest.")] = False,
    judge: Annotated[
        bool, typer.Option("--judge", help="Review games whose accuracy is not known: seconds for each.")
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw your accuracy over time: .svg, .png or .pdf; needs `plots`."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Delete without asking; write over files that are there already.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List your saved games, with won, lost, rating and accuracy; open, watch, delete or export one."""
    from uno_pomdp.cli.files import written
    from uno_pomdp.files import claim, write_text
    from uno_pomdp.game.notation import format_record
    from uno_pomdp.game.record import observed
    from uno_pomdp.plots import check_picture
    from uno_pomdp.session.setup import playing

    if action is not None and action not in ACTIONS:
        raise ConflictingOptions(
            f"nothing is called {quoted(action)} here: choose one of {', '.join(ACTIONS)}, or give nothing for the list"
        )
    if action is not None and (every or judge or as_json or plot is not None):
        raise ConflictingOptions(f"{action} does not go with an option of the list: give it alone")
    check_picture(plot)
    claim(plot, force)
    with showing_compilation():
        found = entries()
    if action is None:
        if judge or plot is not None:
            found = judged(found)
        with written(plot, lambda file: draw(file, found, force)) as failed:
            print_json(to_json(found)) if as_json else show(found, every, plot if failed is None else None)
        return
    if game is None or (target is None) == (action == "export"):
        example = " FILE" if action == "export" else ""
        raise ConflictingOptions(
            f"say which game, by its name in the list: `uno-pomdp games {action} 2026-01-31-201500{example}`"
        )
    one = chosen(found, game)
    if action == "watch":
        from uno_pomdp.cli.commands.watch import watch

        watch(str(one.path))
    elif action == "open" and goes_on(one.path):
        from uno_pomdp.cli.commands.play import play

        play(str(one.path), resume=True)
    elif action == "open":
        from uno_pomdp.cli.commands.analyze import analyze

        analyze(one.path)
    elif action == "delete":
        delete(one, force)
    elif target is not None:
        claim(target, force, [one.path])
        person = playing(one.record)
        shown = one.record if person is None else observed(one.record, person)
        write_text(target, format_record(shown), over=force)
        told = "the game is" if person is None else "it is not over, so only what you have seen of it is"
        out.print(f"{told} in {target}", markup=False, soft_wrap=True)


def entries() -> list[Entry]:
    """Return all saved games, the oldest first; what is none is told and left out."""
    from uno_pomdp.cli.accuracies import Accuracies
    from uno_pomdp.cli.files import read_game
    from uno_pomdp.session.tally import counting

    home, known = folder(), Accuracies()
    read: list[tuple[float, Path, GameRecord]] = []
    for path in sorted(home.glob("*.txt")) if home.is_dir() else []:
        try:
            record, saved = read_game(path), path.stat().st_mtime
        except (UnoError, OSError) as error:
            say(f"{error}; it is passed over")
            continue
        if record.person is not None:
            read.append((saved, path, record))
    read.sort(key=lambda each: each[:2])
    counted = counting(record for _, _, record in read)
    return [
        Entry(n, path, record, datetime.fromtimestamp(saved), counts, known.of(record, coach_for(record.rules)))
        for n, ((saved, path, record), counts) in enumerate(zip(read, counted, strict=True), 1)
    ]


def judged(found: list[Entry]) -> list[Entry]:
    """Return the games with how accurate the person was in each that counts; what is not known is found out."""
    from uno_pomdp.cli.accuracies import Accuracies
    from uno_pomdp.cli.ui.progress import counting
    from uno_pomdp.review.game import review_game

    known = Accuracies()
    todo = [each for each in found if each.counts and not known.knows(each.record, coach_for(each.record.rules))]
    with showing_compilation(), counting("judging your games", lambda: "what is judged is kept") as report:
        for done, each in enumerate(todo):
            report(done, len(todo))
            coach = coach_for(each.record.rules)
            known.note(each.record, coach, review_game(each.record, coach, seats=(each.seat,)).accuracy(each.seat))
    return entries()


def chosen(found: Sequence[Entry], text: str) -> Entry:
    """Return the game with a name; its place in the list would be another game's once one before it changes."""
    for each in found:
        if text in (each.name, each.path.name, str(each.path)):
            return each
    told = f"take a name from the list, such as {found[-1].name}" if found else f"none lies in {folder()}"
    raise UnusableFile(f"no saved game is called {quoted(text)}: {told}")


def goes_on(path: Path) -> bool:
    """Return whether a saved game can be gone on with, or its match, of which it is the last round so far."""
    from uno_pomdp.cli.files import read_game
    from uno_pomdp.session.setup import saved_game

    try:
        found = saved_game(read_game(path), str(path))
    except UnusableFile:
        return False
    match = found.setup.match
    return found.after is None or match is None or later_round(path, found.setup.seed, match.round) is None


def delete(one: Entry, force: bool) -> None:
    """Remove a game, if the person means it; one that is being played is not."""
    from uno_pomdp.files import Held, remove

    if not force:
        if not (sys.stdin.isatty() and out.is_terminal):
            raise UnusableFile(f"{one.path} is not deleted without being asked: give --force")
        told = f"Delete the game {one.name}, {one.result}, against {one.opponent}? y: yes > "
        if input(told).strip().lower() not in ("y", "yes"):
            out.print("nothing is deleted")
            return
    with Held(one.path):
        remove(one.path)
    out.print(f"{one.path} is deleted", markup=False, soft_wrap=True)


# --- showing ---------------------------------------------------------------------------------------------


def to_json(found: Sequence[Entry]) -> dict[str, Any]:
    """Return everything as JSON values."""
    from uno_pomdp.session.tally import standings

    counted = [each.record for each in found if each.counts]
    return {
        "folder": str(folder()),
        "games": [each.to_json() for each in found],
        "against": [standing.to_json() for standing in standings(counted)],
    }


def show(found: Sequence[Entry], every: bool, plot: Path | None) -> None:
    """Print the list, the standings and the course of the accuracy."""
    from uno_pomdp.session.tally import standings

    if not found:
        out.print(f"no saved game lies in {folder()}: `uno-pomdp play` begins one", markup=False, soft_wrap=True)
        return
    shown = found if every else found[-SHOWN:]
    if len(shown) < len(found):
        out.print(Text(f"{count_of(len(found) - len(shown), 'older game')}: --all shows them too", "dim"))
    out.print(_listed(shown))
    against = standings([each.record for each in found if each.counts])
    if against:
        out.print(_against(against if every else against[: SHOWN // 2]))
    accuracies = [each.accuracy for each in found if each.counts and each.accuracy is not None]
    if accuracies:
        last = accuracies[-SHOWN:]
        mean, lately = sum(accuracies) / len(accuracies), sum(last) / len(last)
        line = Text(f"accuracy {mean:.1f} % in {count_of(len(accuracies), 'game')}, lately {lately:.1f} %: ")
        out.print(line + strip([one / 100 for one in accuracies], max(out.width - len(line), 8)))
    if plot is not None:
        out.print(f"the picture is in {plot}", markup=False, soft_wrap=True)
    out.print(Text("games open GAME · watch · delete · export GAME FILE · --judge · --plot FILE", "dim"))


def _listed(found: Sequence[Entry]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 1, 0, 0))
    wide = min(NAMED, max(len(each.name) for each in found))
    table.add_column("game", overflow="fold", min_width=wide, max_width=wide)
    widths = {"against": None, "rules": None, "result": 10, "moves": 5, "acc %": 5, "": None}
    for title, width in widths.items():
        right = title in ("moves", "acc %")
        most = 16 if title in ("against", "rules") else None
        table.add_column(
            title,
            justify="right" if right else "left",
            no_wrap=True,
            overflow="ellipsis",
            min_width=width,
            max_width=width or most,
        )
    for each in found:
        accuracy = "" if each.accuracy is None else f"{each.accuracy:.1f}"
        table.add_row(
            Text(each.name),
            Text(each.opponent),
            each.record.rules.name,
            Text(each.result, "bold" if each.result == "unfinished" else ""),
            str(len(each.record.moves)),
            accuracy,
            Text(each.note, "dim"),
        )
    return table


def _against(found: "Sequence[Standing]") -> Table:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for title in ("against", "games", "won", "drawn", "lost", "you are rated"):
        left = title in ("against", "you are rated")
        table.add_column(title, justify="left" if left else "right", no_wrap=True, overflow="ellipsis")
    for each in found:
        rating = each.rating
        told = f"{rating.estimate:+z.0f} Elo [{rating.low:+z.0f}, {rating.high:+z.0f}]"
        row = (each.games, each.wins, each.draws, each.losses)
        table.add_row(Text(each.opponent), *map(str, row), told)
    return table


def draw(path: Path, found: Sequence[Entry], force: bool) -> None:
    """Draw how accurate the person was over time."""
    from uno_pomdp.plots import picture

    known = [(each.number, each.accuracy) for each in found if each.counts and each.accuracy is not None]
    numbers, figures = [number for number, _ in known], [figure for _, figure in known]
    means = [
        sum(figures[max(n - SMOOTHED, 0) : n]) / len(figures[max(n - SMOOTHED, 0) : n])
        for n in range(1, len(figures) + 1)
    ]
    with picture(path, "game", "accuracy, %", over=force) as axes:
        axes.plot(numbers, figures, "o", alpha=0.5, label="a game")
        axes.plot(numbers, means, "-", label=f"mean of the last {SMOOTHED}")
        axes.set_title("How accurate you were, by games that count", fontsize=9)
        axes.legend()
