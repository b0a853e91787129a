"""The menu that `uno-pomdp` shows at a terminal: what can be done, by number or name. It needs no kernels."""

import shlex
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from rich.table import Table
from rich.text import Text

from uno_pomdp.cli.failures import UsageError, usage_sentence
from uno_pomdp.cli.leaving import SIGNALLED
from uno_pomdp.cli.places import changed, folder, head, saved
from uno_pomdp.cli.ui.console import out, say
from uno_pomdp.errors import UnoError, abridged, sentence_of

Run = Callable[[list[str]], int]
"""Runs a command with these words and returns its exit code."""
LEAVING: Final = ("q", "quit", "exit")
BACK: Final = ("menu", "m", "")


@dataclass(frozen=True, slots=True)
class Item:
    """A line of the menu."""

    name: str
    """What can be typed for it."""
    about: str
    """What it does, in a few words."""
    words: tuple[str, ...]
    """The command; nothing where it can't be done now."""


def items() -> list[Item]:
    """Return what can be done now."""
    unfinished, finished = saved(unfinished=True), saved(unfinished=False)
    going_on = to_go_on(unfinished, finished)
    stepped = "there is no finished game yet" if not finished else "through your last game, both hands open"
    last = "there is no finished game yet" if not finished else "your last game, move by move: what each was worth"
    return [
        Item("play", "a game against a strong opponent", ("play",)),
        Item("match", "rounds to 500 points", ("play", "--to", "500")),
        Item("practice", "a game that does not count: moves can be taken back", ("play", "--practice")),
        Item("go on", going_on or "there is no unfinished game", ("play", "--resume") if going_on else ()),
        Item("watch", "two agents play, with what they know of each other", ("watch", "champion", "heuristic")),
        Item("step", stepped, ("watch", str(finished[0])) if finished else ()),
        Item("review", last, ("analyze", str(finished[0])) if finished else ()),
        Item("advise", "at a real table: type what you see, get the best move", ("advise",)),
        Item("games", "your saved games: won, lost, rating, accuracy", ("games",)),
        Item("serve", "the board in your browser: all of this with a mouse", ("serve",)),
        Item("arena", "two agents play 1,000 deals: who is better", ("arena", "heuristic", "baseline")),
        Item("rules", "the rules that have a name", ("rules",)),
    ]


def to_go_on(unfinished: list[Path], finished: list[Path]) -> str:
    """Return in a few words what `--resume` would take up, from the heads of records alone; nothing if there is none.

    Whether a match goes on after its last round is not known before that is counted, which needs kernels.
    """
    rounds = (path for path in finished if "match" in head(path))
    ended = next(rounds, None)
    if ended is not None and (not unfinished or changed(ended) > changed(unfinished[0])):
        return f"with the match of {_when(ended)}, if it is not over"
    if not unfinished:
        return ""
    last = unfinished[0]
    more = f", the last of {len(unfinished)} unfinished" if len(unfinished) > 1 else ""
    told = head(last)
    what = f"round {told.get('round', '1')} of a match," if "match" in told else "the game of"
    return f"with {what} {_when(last)}{more}"


def _when(path: Path) -> str:
    return f"{datetime.fromtimestamp(changed(path)):%m-%d %H:%M}"


def menu(run: Run) -> int:
    """Show the menu and run what is chosen, until the person leaves; return the exit code."""
    with suppress(ImportError):  # not everywhere; with it a line can be edited
        import readline  # noqa: F401
    typed = ""
    while True:
        offered = items()
        try:
            if typed.lower() in BACK:
                show(offered)
                typed = input("> ").strip()
            if typed.lower() in LEAVING:
                return 0
            words, typed = chosen(typed, offered), ""
            if words is None:
                continue
            code = attempted(run, words)
            if code > SIGNALLED:
                return code
            typed = input("Enter: back to the menu · q: quit > ").strip()  # another choice counts here too
        except EOFError:
            out.print()
            return 0
        except KeyboardInterrupt:
            out.print()  # else the shell's prompt follows in the same line
            raise


def show(offered: list[Item]) -> None:
    """Print the menu; it fits a terminal of 80 columns and 24 lines."""
    out.print()
    out.print(Text().append("UNO", "bold").append(" for two, played, solved and explained"))
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    for style in ("dim", "bold", ""):
        table.add_column(style=style, no_wrap=True, overflow="ellipsis")
    for number, item in enumerate(offered, 1):
        table.add_row(str(number), item.name, Text(item.about, "" if item.words else "dim"))
    table.add_row("q", "quit", "")
    out.print(table)
    out.print(Text("a number, a name, or any command, with options: 1 --seat 2 · play heuristic · --help", "dim"))


def chosen(typed: str, offered: list[Item]) -> list[str] | None:
    """Return the words of the command that was chosen; None if nothing is to be done, with the reason said."""
    if typed.lower() in BACK:
        return None
    try:
        words = shlex.split(typed)
    except ValueError:
        say("a quotation mark is not closed: type a number, a name or a command")
        return None
    for number, item in enumerate(offered, 1):
        named = words[:1] == [str(number)] or (words[:1] == [item.name] and words[:1] != list(item.words[:1]))
        if named or typed.lower() == item.name:
            if not item.words:
                say(f"{item.about}: `play` begins one; games lie in {folder()}")
                return None
            return [*item.words, *(words[1:] if named else ())]
    if words and words[0].isdecimal():
        say(f"there is no number {abridged(words[0])} in the menu: they go from 1 to {len(offered)}")
        return None
    return words[1:] if words[:1] == ["uno-pomdp"] else words


def attempted(run: Run, words: list[str]) -> int:
    """Run a command; a refusal is one sentence, and the menu stays."""
    try:
        return run(words or ["--help"])
    except (UnoError, UsageError, OSError) as error:
        sentence = usage_sentence(error) if isinstance(error, UsageError) else sentence_of(error)
        if sentence is None:
            raise
        say(sentence)
        return 2
