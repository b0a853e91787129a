"""Stepping: what each key does in a game that is over and in one that is being played."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from io import BytesIO, TextIOWrapper

import pytest
from rich.console import Console

from tests.cli.watch.games import COACH, played, terminal, watched
from uno_pomdp.cli.leaving import Leave
from uno_pomdp.cli.output import READABLE
from uno_pomdp.cli.ui.console import CompilingNotice
from uno_pomdp.cli.watch import keys, viewer
from uno_pomdp.cli.watch.viewer import Viewer
from uno_pomdp.game.game import Game
from uno_pomdp.registry import BeliefSpec
from uno_pomdp.review.game import review_game
from uno_pomdp.review.judgement import BAD
from uno_pomdp.session.watched import WatchedGame


class Typist:
    """Presses keys, and notes where the viewer stood before each; None is a time without a key."""

    def __init__(self, pressed: Iterable[str | None]) -> None:
        self.viewer: Viewer
        self.stood: list[int] = []
        self._left = list(pressed)

    def __call__(self, seconds: float) -> str | None:
        """Press the next key."""
        del seconds
        key = self._left.pop(0)
        if key is not None:
            self.stood.append(self.viewer.at)
        return key


def seated(*pressed: str | None, delay: float = 1000.0, coach: str = COACH) -> tuple[Viewer, Typist]:
    """Return a viewer, and who presses its keys."""
    typist = Typist(pressed)
    typist.viewer = Viewer(terminal(), typist, coach, delay)
    return typist.viewer, typist


def test_arrows_pages_home_and_end_step_through_a_game() -> None:
    found = watched()
    last = found.timeline.last
    one, typist = seated(
        keys.LEFT, keys.RIGHT, keys.RIGHT, keys.PAGE_DOWN, keys.PAGE_UP, keys.END, keys.RIGHT, keys.PAGE_UP,
        keys.LEFT, keys.HOME, "x", keys.QUIT,
    )  # fmt: skip
    one.browse(found)
    assert typist.stood == [0, 0, 1, 2, 12, 2, last, last, last - 10, last - 11, 0, 0]


def test_up_and_down_find_mistakes_also_those_the_coach_has_not_come_to() -> None:
    bad = [move.number for move in review_game(played(), COACH).moves if move.grade in BAD]
    wait = [None] * len(played().moves)
    one, typist = seated(
        None, keys.DOWN, *wait, keys.DOWN, keys.DOWN, keys.DOWN, keys.UP, keys.HOME, keys.UP, keys.QUIT
    )
    one.browse(watched())
    assert typist.stood == [0, *bad, bad[-1], bad[-2], 0, 0]
    text = one.console.file.getvalue()  # type: ignore[attr-defined]  # a text
    assert "looking for a mistake" in text
    assert "no mistake after this move" in text
    assert "no mistake before this move" in text


def test_another_key_ends_the_search_for_a_mistake() -> None:
    wait = [None] * len(played().moves)
    one, typist = seated(keys.DOWN, keys.RIGHT, *wait, keys.QUIT)
    one.browse(watched())
    assert typist.stood == [0, 0, 1]


@pytest.mark.parametrize("method", ["begin", "follow", "move_values"])
def test_a_coach_that_fails_is_told_and_the_game_is_watched_without_it(
    method: str, capsys: pytest.CaptureFixture[str]
) -> None:
    coach = f"py:tests.agents.wrong.Wrong,kind=exits,method={method}"
    wait = [None, None]
    one, typist = seated(*wait, keys.DOWN, keys.END, keys.HOME, keys.RIGHT, keys.UP, keys.QUIT, coach=coach)
    one.browse(watched())
    assert typist.stood == [0, 0, watched().timeline.last, 0, 1, 1]
    failed = f"{coach} failed: SystemExit: 0, in {method} ("
    shown = " ".join(one.console.file.getvalue().split())  # type: ignore[attr-defined]  # a text
    assert "the coach has failed, and knows no mistake there" in shown
    assert f"{failed.split(',')[0]}," in shown
    one.mention_failure()
    said = capsys.readouterr()
    assert (said.out, said.err.count(failed)) == ("", 1)


def test_a_belief_that_fails_is_told_and_the_game_is_watched_without_it(capsys: pytest.CaptureFixture[str]) -> None:
    one, _ = seated(keys.END, keys.HOME, keys.END, keys.QUIT)
    one.console = terminal(width=120, height=60)
    one.of = 0
    one.spec = BeliefSpec.parse("particles,particles=50,model=(py:tests.agents.wrong.Modelled,method=follow)")
    one.browse(watched())
    shown = one.console.file.getvalue()  # type: ignore[attr-defined]  # a text
    assert shown.count("a belief has failed and is switched off") == 1
    assert "choosing as random, which it does" in shown  # the usual one
    one.mention_failure()
    said = capsys.readouterr()
    assert (said.out, said.err.count("the belief that uses it is switched off")) == ("", 1)


def test_the_belief_key_goes_through_both_and_each() -> None:
    one, _ = seated("b", keys.QUIT)
    for of in (0, 1, None):
        one._read = Typist(["b", keys.QUIT])
        one._read.viewer = one
        one.browse(watched())
        assert one.of == of


def played_on(one: Viewer, moves: int) -> WatchedGame:
    """Play so many moves of a game before a viewer."""
    game = Game.new("house", 3)
    found = WatchedGame.of_deal(game, ("a", "b"))
    one.follow(found)
    for _ in range(moves):
        game.apply(game.legal_actions()[0])
        found.grow(game)
        one.follow(found)
    return found


def test_a_paused_game_is_stepped_back_and_goes_on_from_its_end() -> None:
    one, typist = seated(
        keys.SPACE,
        keys.RIGHT,  # one move more, paused
        keys.LEFT,
        keys.RIGHT,
        keys.LEFT,
        keys.SPACE,  # on from the end
        keys.LEFT,  # which pauses, too
        keys.SPACE,
        keys.RIGHT,  # at once
        delay=1000.0,
    )
    played_on(one, 3)
    assert typist.stood == [0, 0, 1, 0, 1, 0, 2, 1, 3]
    assert not one.paused


def test_a_game_that_is_not_paused_goes_on_when_its_time_has_come(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []

    def read(seconds: float) -> str | None:
        waited.append(seconds)
        return None

    monkeypatch.setattr("uno_pomdp.cli.watch.viewer.time.monotonic", lambda: sum(waited))
    played_on(Viewer(terminal(), read, delay=0.25), 3)
    assert waited == [0.25] * 4


@pytest.mark.parametrize(
    ("pressed", "delay", "then"),
    [("+", 1.0, 0.5), ("=", 1.0, 0.5), ("-", 1.0, 2.0), ("-", 0.0, 0.125), ("-", 16.0, 16.0), ("+", 1 / 16, 1 / 16)],
)
def test_plus_and_minus_change_the_speed_within_bounds(pressed: str, delay: float, then: float) -> None:
    one, _ = seated(pressed, keys.RIGHT, delay=max(delay, 1e-9))
    clock: Callable[[], float] = iter(x * 1e-12 for x in range(100)).__next__
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("uno_pomdp.cli.watch.viewer.time.monotonic", clock)
        played_on(one, 0)
    assert one.delay == pytest.approx(then)


def test_q_leaves_a_game_that_is_being_played_paused_or_not() -> None:
    for pressed in ([keys.QUIT], [keys.SPACE, keys.QUIT]):
        one, _ = seated(*pressed)
        with pytest.raises(Leave):
            played_on(one, 0)


def test_the_coach_judges_while_the_game_is_paused_and_not_before() -> None:
    one, _ = seated(keys.RIGHT, keys.SPACE, None, None, keys.SPACE)
    played_on(one, 1)
    text = one.console.file.getvalue()  # type: ignore[attr-defined]  # a text
    running, _, paused = text.partition("space goes on")
    assert f"{COACH} to player 1 on move 1" not in running
    assert f"{COACH} to player 1 on move 1" in paused


def test_what_is_compiled_is_said_in_the_line_of_the_keys_until_the_next_moment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tell: list[Callable[[str], None]] = []

    @contextmanager
    def compiling(report: Callable[[str], None], _: Callable[[], None]) -> Iterator[None]:
        tell.append(report)
        yield

    monkeypatch.setattr(viewer, "compiling", compiling)
    monkeypatch.setattr(viewer, "notice", CompilingNotice(iter(range(0, 40, 4)).__next__))
    one, _ = seated()
    one.game = watched()
    with one.showing_compilation():
        for number in range(3):
            one.draw("the keys")
            tell[0](f"game.kernel_{number}")
        shown = on_screen(one.console)
        assert shown[-1].startswith("Compiling the rules: ")
        assert shown[0].startswith("heuristic v random, rules house"), "nothing has scrolled"
        assert not any("Compiling" in line for line in shown[:-1])
        one.draw("the keys")
    assert on_screen(one.console)[-1].rstrip() == "the keys"


def test_a_screen_fits_in_an_encoding_that_lacks_its_characters() -> None:
    written = TextIOWrapper(BytesIO(), encoding="ascii", errors=READABLE, newline="")
    console = Console(file=written, force_terminal=True, width=80, height=24, highlight=False, _environ={})
    one = Viewer(console, None, COACH)
    one.game, one.paused = watched(), True
    for at in range(0, one.game.timeline.last, 5):
        one.at = at
        one.draw(viewer.STEPPING)
        written.flush()
        shown = on_screen(console, written.buffer.getvalue().decode("ascii"))
        assert shown[0].startswith("heuristic v random, rules house"), "nothing has scrolled"
        assert shown[-1].startswith("<- -> move")
        assert shown[-1].rstrip().endswith("q leave")


def on_screen(console: Console, printed: str | None = None) -> list[str]:
    """Return the lines of a terminal after all that was printed: text, line breaks and moves of the cursor."""
    lines, row, column = [" " * console.width] * console.height, 0, 0
    if printed is None:
        printed = str(console.file.getvalue())  # type: ignore[attr-defined]  # a text
    for part in re.split(r"(\x1b\[[0-9;?]*[A-Za-z]|\n)", printed):
        if part == "\n":
            row, column = row + 1, 0
            if row == console.height:
                lines, row = [*lines[1:], " " * console.width], row - 1
        elif place := re.fullmatch(r"\x1b\[(?:(\d+);(\d+))?H", part):
            row, column = (int(place[1]) - 1, int(place[2]) - 1) if place[1] else (0, 0)
        elif not part.startswith("\x1b"):
            lines[row] = lines[row][:column] + part + lines[row][column + len(part) :]
            column += len(part)
            assert column <= console.width
    return lines
