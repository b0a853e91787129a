"""`uno-pomdp analyze`: a review as text, JSON and a page that needs nothing else."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from typing import Final

import pytest
from rich.console import Console

from tests.cli.command import uno
from tests.cli.inside import call
from tests.review.games import missed_run, played
from uno_pomdp.cli.ui import progress
from uno_pomdp.game.notation import save_record
from uno_pomdp.game.record import GameRecord, observed, replay
from uno_pomdp.narration.explain import effect_of
from uno_pomdp.review.game import review_game
from uno_pomdp.review.judgement import Grade
from uno_pomdp.review.page import page

COACH: Final = "flat:sims=300"


def test_the_bar_says_how_many_of_all_moves_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = Console(file=StringIO(), width=80, force_terminal=True, color_system=None)
    monkeypatch.setattr(progress, "err", shown)
    with progress.counting("judging the moves") as show:
        show(3, 1_040)
    assert isinstance(shown.file, StringIO)
    assert "3 of 1,040" in shown.file.getvalue()


def saved(record: GameRecord, folder: Path) -> str:
    """Return the name of a file with this game."""
    save_record(folder / "game.txt", record)
    return str(folder / "game.txt")


class Page(HTMLParser):
    """What a page consists of; it has to close what it opens."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.scripts: list[str | None] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take in a tag."""
        self.tags.append(tag)
        self.attributes += attrs
        if tag == "script":
            self.scripts.append(dict(attrs).get("type"))
        if tag != "meta":
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take in a tag without content."""
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag: str) -> None:
        """Close the tag that was opened last."""
        assert self._open.pop() == tag


def test_the_text_has_every_move_both_players_and_what_cost_most(tmp_path: Path) -> None:
    record = played("heuristic", "random", seed=8)
    review = review_game(record, COACH)
    path = saved(record, tmp_path)
    done = uno("analyze", path, "--coach", COACH, "--candidates", COLUMNS="80")
    lines = done.stdout.splitlines()
    for move in review.moves:
        sizes = " : ".join(map(str, move.hand_sizes))
        row = rf" *{move.number}  +{sizes}  +P{move.seat + 1}   {re.escape(str(move.action))}\b"
        assert any(re.match(row, line) for line in lines)
    assert max(map(len, lines)) <= 80
    accuracies = next(line.split()[1:] for line in lines if line.startswith("accuracy"))
    assert accuracies == [f"{review.accuracy(seat):.1f}" for seat in (0, 1)]
    for seat in (0, 1):
        assert (f"what cost player {seat + 1} most" in done.stdout) == bool(review.costliest(seat))
    assert "inaccuracy 5, mistake 10, blunder 15 or more" in " ".join(done.stdout.split())
    assert done.stdout.count("← played") == len(review.judged(0)) + len(review.judged(1))
    assert uno("analyze", path, "--coach", COACH, "--candidates", COLUMNS="80").stdout == done.stdout


def test_every_marked_move_has_a_sentence_on_what_the_better_one_does_in_the_words_of_a_hint(tmp_path: Path) -> None:
    record = played("random", "random", seed=13)
    review, game = review_game(record, COACH), replay(record)
    marked = [move for move in review.judged(0) if move.grade in (Grade.INACCURACY, Grade.MISTAKE, Grade.BLUNDER)]
    assert len(marked) > 3
    told = " ".join(call("analyze", saved(record, tmp_path), "--coach", COACH, "--seat", "1").out.split())
    _, _, told = told.partition("what cost player 1 most")
    for move in marked:
        assert move.best is not None
        effect = effect_of(move.best, game.history(0).before(move.number - 1))
        found = re.search(rf" {move.number}\. {re.escape(str(move.action))} lost .*?Better (.*?\.)(?= |$)", told)
        assert found
        assert found[1] == f"{move.best}: {effect}."


def test_the_document_is_the_reviews_own(tmp_path: Path) -> None:
    record = played()
    done = call("analyze", saved(record, tmp_path), "--coach", COACH, "--json", "--seat", "2")
    assert json.loads(done.out) == json.loads(json.dumps(review_game(record, COACH, seats=(1,)).to_json()))


def test_an_observers_record_is_judged_for_him_alone(tmp_path: Path) -> None:
    path = saved(observed(played(), 1), tmp_path)
    done = uno("analyze", path, "--coach", COACH, "--html", str(tmp_path / "game.html"), COLUMNS="80")
    assert "as player 2 saw it" in done.stdout
    assert "who was ahead" not in done.stdout
    text = (tmp_path / "game.html").read_text(encoding="utf-8")
    assert "not judged" in text
    assert 'class="seat1" d=' not in text
    refused = call("analyze", path, "--seat", "1")
    assert refused.code == 2
    assert refused.err.splitlines()[-1].startswith("uno-pomdp: this is player 2's record: only player 2's moves")


def test_a_page_is_whole_needs_nothing_else_and_has_every_move_with_its_candidates() -> None:
    record = replace(played("heuristic", "random", seed=8), players=("<b>one</b>", 'two & "two"'))
    review = review_game(record, COACH)
    text = page(review)
    parsed = Page(text)
    assert not {"link", "img", "iframe", "object"} & set(parsed.tags)
    assert not {"src", "srcset", "action", "formaction", "data", "style"} & {name for name, _ in parsed.attributes}
    assert parsed.scripts == ["module", "application/json"]
    links = [value or "" for name, value in parsed.attributes if name in ("href", "src", "xlink:href")]
    assert all(re.fullmatch(r"#move-\d+", link) for link in links)
    assert set(re.findall(r"https?://[^\"]+", text)) == {"http://www.w3.org/2000/svg"}  # a name, nothing is fetched
    assert "url(" not in text
    assert "<b>one</b>" not in text
    assert "&lt;b&gt;one&lt;/b&gt;" in text
    assert "\\u003cb\\u003eone" in text  # in the data of the script
    assert parsed.tags.count("li") == len(review.moves)
    judged = [move for move in review.moves if move.judged]
    assert parsed.tags.count("details") == len(judged)
    assert parsed.tags.count("meter") == sum(len(move.candidates) for move in judged)
    sizes = re.findall(r'<span class="sizes">(\d+) : (\d+)</span>', text)
    assert [(int(first), int(second)) for first, second in sizes] == [move.hand_sizes for move in review.moves]
    assert "color-scheme: light dark" in text
    assert "light-dark(#" in text
    assert 'name="viewport"' in text


def test_the_graph_marks_the_mistakes_where_they_are() -> None:
    review = review_game(missed_run(), COACH)
    (mark,) = re.findall(r'<circle class="mark seat1" cx="([\d.]+)" cy="([\d.]+)" r="([\d.]+)"', page(review))
    move = review.moves[0]
    assert move.after is not None
    assert move.grade is Grade.BLUNDER
    # a quarter of the way from 34 to 472, for it is the first of four moves; 100 % lies at 10, 0 % at 218
    assert float(mark[0]) == pytest.approx(34 + 438 / 4, abs=0.1)
    assert float(mark[1]) == pytest.approx(10 + 208 * (1 - move.after), abs=0.1)
    line = re.search(r'<path class="seat1" d="M([\d.]+) ([\d.]+) L([\d.]+) ([\d.]+)', page(review))
    assert line is not None
    assert (float(line[1]), float(line[2])) == (34.0, 10.0)  # before it player 1 wins for certain
    assert (line[3], line[4]) == mark[:2]


@pytest.mark.parametrize("part", [0, 1, 5])
def test_a_game_that_was_broken_off_has_a_page_too(part: int) -> None:
    record = played()
    Page(page(review_game(replace(record, moves=record.moves[:part], outcome=None), COACH)))


@pytest.mark.parametrize(
    ("text", "arguments", "sentence"),
    [
        (None, (), "can't be read: No such file or directory"),
        ("hello\n", (), "line 1: a record begins with 'uno-pomdp game, version 2', not with 'hello'"),
        ("", ("--coach", "baseline"), "baseline can't be a coach: choose one that values every move"),
        ("", ("--html", "/nowhere/x.html"), "/nowhere/x.html can't be written: there is no folder /nowhere"),
    ],
)
def test_what_can_not_be_done_is_one_sentence(
    text: str | None, arguments: tuple[str, ...], sentence: str, tmp_path: Path
) -> None:
    path = tmp_path / "game.txt"
    if text == "":
        saved(missed_run(), tmp_path)
    elif text is not None:
        path.write_text(text, encoding="utf-8")
    done = call("analyze", str(path), *(arguments or ("--coach", COACH)))
    assert done.code == 2
    assert done.err.splitlines()[-1].startswith("uno-pomdp: ")
    assert sentence in done.err.splitlines()[-1]
    assert "Traceback" not in done.err
