"""`games`: the list, what counts, standings and accuracy; opening, deleting and exporting a game."""

import json
import os
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from rich.console import Console

from tests.cli.inside import Done, call
from tests.cli.test_json import check
from tests.cli.test_play import Typist
from uno_pomdp.cli.accuracies import NAME, Accuracies
from uno_pomdp.cli.commands import games as listing
from uno_pomdp.cli.places import folder, last_line, saved
from uno_pomdp.files import SavedFile
from uno_pomdp.game.game import Game
from uno_pomdp.game.notation import load_record, save_record
from uno_pomdp.game.record import HUMAN, GameRecord, observed, record_of, take_back
from uno_pomdp.game.scoring import MatchRound
from uno_pomdp.registry import make_agent
from uno_pomdp.rules import preset
from uno_pomdp.session.tally import counting, standings

QUICK: Final = "flat:sims=2"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return where games lie; the coach is quick."""
    monkeypatch.setenv("UNO_POMDP_GAMES", str(tmp_path / "games"))
    monkeypatch.setattr(listing, "coach_for", lambda _: QUICK)
    (tmp_path / "games").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path / "games"


def game_of(seed: int, seat: int = 0, opponent: str = "greedy", moves: int = 10_000, **more: Any) -> GameRecord:
    """Return a game that the person plays at random."""
    game, chance = Game.new(preset("mini-9"), seed), Typist(seed).chance
    agent = make_agent(opponent)
    agent.start(game.rules, game.observation(1 - seat), 1)
    while not game.over and len(game.moves) < moves:
        action = chance.choice(game.legal_actions()) if game.turn == seat else agent.decide().action
        game.apply(action)
        agent.update(*game.last_step(1 - seat))
    players = (HUMAN, opponent) if seat == 0 else (opponent, HUMAN)
    return record_of(game, players, **more)


def lay(home: Path, *records: GameRecord) -> None:
    """Save games, each a minute after the other."""
    for number, record in enumerate(records):
        path = home / f"g{number:02}.txt"
        save_record(path, record)
        os.utime(path, (1_700_000_000 + 60 * number,) * 2)


def told(*more: str) -> Any:
    """Return what the command tells a machine."""
    done = call("games", *more, "--json")
    assert done.code == 0, done.err
    check("games", done.out)
    return json.loads(done.out)


def refused(*words: str) -> str:
    """Return the one sentence with which it refuses."""
    done = call("games", *words)
    assert done.code == 2
    assert done.err.count("\n") == 1
    return done.err


# --- the list --------------------------------------------------------------------------------------------


def test_without_a_game_it_says_where_one_would_be(home: Path) -> None:
    for _ in range(2):
        done = call("games")
        assert (done.code, done.err) == (0, "")
        assert f"no saved game lies in {home}" in done.out
        home.rmdir() if home.exists() else None


def test_every_game_is_listed_with_how_it_ended(home: Path) -> None:
    records = [game_of(seed, seed % 2) for seed in range(6)]
    lay(home, *records, game_of(7, moves=2))
    found = told()["games"]
    assert [one["number"] for one in found] == [1, 2, 3, 4, 5, 6, 7]
    for one, record in zip(found, records, strict=False):
        assert record.outcome is not None
        result = record.outcome.result(record.players.index(HUMAN))
        assert one["result"] == {1: "won", 0: "draw", -1: "lost"}[result]
        assert (one["moves"], one["player"]) == (len(record.moves), record.players.index(HUMAN) + 1)
    assert [one["name"] for one in found] == [f"g{number:02}" for number in range(7)]
    assert found[-1]["result"] == "unfinished"
    assert re.findall(r"^g\d\d(?= )", call("games").out, re.MULTILINE) == [f"g{number:02}" for number in range(7)]


def test_a_round_is_listed_with_the_persons_own_points_first(home: Path) -> None:
    stands = MatchRound(500, 3, (120, 60))
    lay(home, *(game_of(seed, seat, match=stands) for seed, seat in ((1, 0), (2, 1))))
    assert re.findall(r"round 3 at \d+:\d+", call("games").out) == ["round 3 at 120:60", "round 3 at 60:120"]
    assert [one["match"] for one in told()["games"]] == [{"to": 500, "round": 3, "score": [120, 60]}] * 2  # by player


def test_a_game_without_a_move_of_the_person_is_listed_but_never_offered(home: Path) -> None:
    lay(home, game_of(1, moves=0), game_of(2, seat=1, moves=1))
    assert [one["result"] for one in told()["games"]] == ["not begun", "not begun"]
    assert saved(unfinished=True) == []
    done = call("play", "--resume", typed="quit\n")
    assert (done.code, done.out) == (2, "")
    assert done.err == f"uno-pomdp: no unfinished game lies in {home}: name its file, as in --resume game.txt\n"
    opened = call("games", "open", "g00", typed="quit\n")  # whoever names it means it
    assert opened.code == 0, opened.err


def test_a_long_name_is_shown_whole(home: Path) -> None:
    name = "a-game-that-somebody-has-given-a-name-of-forty-three"
    save_record(home / f"{name}.txt", game_of(1))
    lines = call("games").out.splitlines()
    assert max(map(len, lines)) <= 80
    assert name in "".join(line[: listing.NAMED].rstrip() for line in lines)


def test_the_list_fits_a_screen(home: Path) -> None:
    opponents = [f"flat:sims={n},rollout=baseline" for n in range(1, 9)]
    lay(
        home,
        *(
            record_of(
                Game.new(preset("printed"), seed),
                (HUMAN, opponents[seed % 8]),
                match=MatchRound(500, 3, (499, 480)),
                practice=True,
            )
            for seed in range(20)
        ),
        *(game_of(seed, opponent="greedy" if seed % 2 else "random") for seed in range(20)),
    )
    call("games", "--judge")
    lines = call("games").out.splitlines()
    assert len(lines) < 24
    assert max(map(len, lines)) <= 80
    assert "30 older games: --all shows them too" in lines[0]
    assert sum("mini-9" in line for line in lines) == listing.SHOWN
    assert len(call("games", "--all").out.splitlines()) > 40


def test_what_is_no_game_is_told_and_left_out(home: Path) -> None:
    lay(home, game_of(1))
    (home / "letter.txt").write_text("dear all")
    save_record(home / "others.txt", record_of(Game.new(preset("mini-9"), 1), ("a", "b")))
    done = call("games")
    assert done.code == 0
    assert re.fullmatch(r"uno-pomdp: .*letter\.txt is no record of a game: .*; it is passed over\n", done.err)
    assert len(told_quietly()["games"]) == 1


def told_quietly() -> Any:
    return json.loads(call("games", "--json").out)


# --- what counts -----------------------------------------------------------------------------------------


def test_practice_unfinished_games_and_deals_played_before_do_not_count(home: Path) -> None:
    won = game_of(3)
    again = game_of(3, seat=1)
    undone = take_back(game_of(5), 1)
    records = [won, again, game_of(4, practice=True), undone, game_of(6, moves=1), game_of(8)]
    assert counting(records) == [True, False, False, False, False, True]
    lay(home, *records)
    found = told()
    assert [one["counts"] for one in found["games"]] == counting(records)
    assert sum(one["games"] for one in found["against"]) == 2
    shown = call("games").out
    assert shown.count("practice") == 2
    assert shown.count("known deal") == 1


def test_the_standings_are_won_and_lost_and_a_rating_by_opponent() -> None:
    records = [game_of(seed, seed % 2, "greedy") for seed in range(40)]
    records += [game_of(seed, seed % 2, "random") for seed in range(100, 106)]
    greedy, other = standings(records)
    assert (greedy.opponent, other.opponent) == ("greedy", "random")
    assert greedy.games == 40
    results = [r.outcome.result(r.players.index(HUMAN)) for r in records[:40] if r.outcome is not None]
    assert (greedy.wins, greedy.draws, greedy.losses) == tuple(results.count(value) for value in (1, 0, -1))
    assert greedy.rating.low < greedy.rating.estimate < greedy.rating.high
    points = greedy.wins + greedy.draws / 2
    assert (greedy.rating.estimate > 0) == (points > 20)
    assert other.rating.high - other.rating.low > greedy.rating.high - greedy.rating.low


def test_who_has_won_every_game_is_rated_all_the_same() -> None:
    won = [r for r in (game_of(seed, 0, "random") for seed in range(60)) if r.outcome and r.outcome.winner == 0][:5]
    (standing,) = standings(won)
    assert (standing.wins, standing.losses) == (5, 0)
    assert 0 < standing.rating.estimate < 2000
    assert standing.rating.low < standing.rating.estimate


# --- accuracy --------------------------------------------------------------------------------------------


def test_accuracy_is_that_of_analyze_and_is_kept(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay(home, *(game_of(seed) for seed in range(12)), game_of(20, practice=True))
    assert all(one["accuracy"] is None for one in told()["games"])
    found = told("--judge")["games"]
    assert found[-1]["accuracy"] is None
    for one in found[:-1]:
        review = json.loads(call("analyze", one["file"], "--coach", QUICK, "--json").out)
        assert one["accuracy"] == review["summary"][0]["accuracy"]
    assert (home / NAME).is_file()

    def unasked(*_: object, **__: object) -> None:
        raise AssertionError("it is known")

    monkeypatch.setattr("uno_pomdp.review.game.review_game", unasked)
    assert told("--judge")["games"] == found
    assert re.search(r"accuracy \d+\.\d % in \d games?, lately \d+\.\d %: [▁▂▃▄▅▆▇█]+", call("games").out)


@pytest.mark.parametrize("text", ["", "{", "[1, 2]", '{"x": "y"}', '{"x": NaN}', "null"])
def test_a_damaged_file_of_figures_is_no_trouble(text: str, home: Path) -> None:
    lay(home, game_of(1))
    (home / NAME).write_text(text)
    assert told()["games"][0]["accuracy"] is None
    known = Accuracies()
    known.note(game_of(1), QUICK, 50.0)
    assert Accuracies().of(game_of(1), QUICK) == 50.0


def test_the_end_of_a_game_keeps_its_accuracy() -> None:
    moves = "\n".join(["1", "wild red"] * 40)
    for seed in range(20):
        call("play", "random", "--rules", "mini-7", "--seed", str(seed), "--coach", QUICK, typed=moves)
    done = [load_record(path) for path in saved(unfinished=False)]
    assert done
    assert all(Accuracies().knows(record, QUICK) for record in done)


def test_a_picture_of_it(home: Path) -> None:
    lay(home, *(game_of(seed) for seed in range(6)))
    assert "is there already" not in call("games", "--plot", "accuracy.svg").err
    assert "How accurate you were" in Path("accuracy.svg").read_text(encoding="utf-8")
    assert "accuracy.svg is there already" in refused("--plot", "accuracy.svg")
    assert "is no file for a picture" in refused("--plot", "accuracy.doc")


# --- one game --------------------------------------------------------------------------------------------


def test_a_game_is_opened_by_its_name(home: Path) -> None:
    lay(home, game_of(1), game_of(2, moves=2))
    finished = call("games", "open", "g00")
    assert finished.code == 0, finished.err
    assert "human v greedy, rules mini-9" in finished.out
    for which in ("g01", "g01.txt", str(home / "g01.txt")):
        opened = call("games", "open", which, typed="quit\n")
        assert opened.code == 0, opened.err
        assert f"go on with: uno-pomdp play --resume {home / 'g01.txt'}" in opened.out


def test_a_game_is_watched_by_its_name_and_one_that_is_not_over_from_the_persons_seat(home: Path) -> None:
    lay(home, game_of(1), game_of(2, moves=2))
    over = call("games", "watch", "g00")
    assert over.code == 0, over.err
    assert over.out.startswith("human v greedy, rules mini-9\n")
    assert "hidden" not in over.out
    assert over.out.endswith(f"{game_of(1).outcome}\n")
    running = call("games", "watch", "g01").out
    seat = game_of(2, moves=2).players.index("human")
    assert running.startswith(f"human v greedy, rules mini-9, as player {seat + 1} saw it, unfinished\n")
    assert f"player {2 - seat}, greedy, is dealt 2 hidden cards" in running
    refusal = call("watch", str(home / "g01.txt"), "--json")
    assert refusal.code == 2
    assert "is not over: until then the opponent's cards stay hidden, and there is no document of it" in refusal.err


def running(seat: int) -> GameRecord:
    """Return a game in which cards were drawn and that is not over."""
    games = (game_of(seed, seat, moves=6) for seed in range(100))
    return next(
        game for game in games if game.outcome is None and {move.seat for move in game.moves if move.drawn} == {0, 1}
    )


@pytest.mark.parametrize("seat", [0, 1])
def test_a_game_that_counts_is_shown_as_the_person_has_seen_it_until_it_is_over(home: Path, seat: int) -> None:
    """Whatever shows a file says of the whole game what it says of the person's own record, and of the rest nothing."""
    file, page = home / "game.txt", home / "page.html"
    record = running(seat)
    commands = (
        ("watch", str(file)),
        ("analyze", str(file), "--coach", QUICK),
        ("analyze", str(file), "--coach", QUICK, "--seat", str(seat + 1), "--candidates"),
        ("analyze", str(file), "--coach", QUICK, "--json"),
        ("analyze", str(file), "--coach", QUICK, "--html", str(page), "--force"),
    )
    said = []
    for each in (record, observed(record, seat)):
        save_record(file, each, over=True)
        done = [call(*command) for command in commands]
        assert [one.code for one in done] == [0] * len(commands), done
        said.append([*(one.out for one in done), page.read_text(encoding="utf-8")])
    assert said[0] == said[1]
    save_record(file, record, over=True)
    for command in ("analyze", "watch"):
        refusal = call(command, str(file), "--seat", str(2 - seat))
        assert refusal.code == 2
        assert refusal.err == (
            f"uno-pomdp: the game in {file} is not over: until then you can look at it as player {seat + 1} alone, "
            f"where you sit, for player {2 - seat}'s cards stay hidden\n"
        )


def test_practice_games_those_of_agents_and_those_that_are_over_are_shown_whole(home: Path) -> None:
    file = home / "game.txt"
    record = running(0)
    for each in (
        game_of(3),
        replace(record, practice=True),
        replace(record, players=("random", "greedy")),
        replace(record, players=(HUMAN, HUMAN)),
    ):
        save_record(file, each, over=True)
        for command in (("watch",), ("analyze", "--coach", QUICK, "--seat", "2")):
            done = call(*command, str(file))
            assert done.code == 0, done.err
            assert "saw it" not in done.out


def test_a_round_that_was_followed_by_another_is_reviewed_and_the_last_is_gone_on_with(home: Path) -> None:
    """Each run is given the moves of one round at most; a round that ended goes on only where none follows it."""
    first = home / "a.txt"
    line = ("--coach", QUICK)
    begin = ("play", "random", "--rules", "mini-7", "--seed", "4", "--to", "500", "--record", str(first), *line)
    call(*begin, typed="1\n" * 9)
    for number in range(40):
        if (home / "a-2.txt").exists() and load_record(first).outcome is not None:
            break
        call("play", "--resume", str(first), *line, typed="wild red\n1\n" if number % 2 else "1\n1\n")
    assert load_record(first).outcome is not None
    before = sorted(path.name for path in home.glob("*.txt"))
    rounds = {record.match.round: path for path in home.glob("*.txt") if (record := load_record(path)).match}
    assert listing.goes_on(rounds[max(rounds)])
    assert not listing.goes_on(first)
    assert "human v random" in call("games", "open", "a").out
    opened = call("play", "--resume", str(first), *line, typed="quit\n")  # what was begun after it
    assert opened.code == 0
    assert f"play --resume {home / 'a-'}" in opened.out
    assert sorted(path.name for path in home.glob("*.txt")) == before


def test_a_game_is_exported_whole(home: Path) -> None:
    lay(home, game_of(1))
    assert call("games", "export", "g00", "copy.txt").code == 0
    assert load_record("copy.txt") == game_of(1)
    assert "copy.txt is there already" in refused("export", "g00", "copy.txt")
    assert call("games", "export", "g00", "copy.txt", "--force").code == 0
    assert "none/copy.txt can't be written: there is no folder none" in refused("export", "g00", "none/copy.txt")
    assert "is a file that this command reads" in refused("export", "g00", str(home / "g00.txt"), "--force")


@pytest.mark.parametrize("seat", [0, 1])
def test_what_the_person_has_seen_of_a_game_that_counts_is_exported_until_it_is_over(home: Path, seat: int) -> None:
    record = running(seat)
    lay(home, record, replace(record, practice=True))
    done = call("games", "export", "g00", "seen.txt")
    assert (done.code, done.out) == (0, "it is not over, so only what you have seen of it is in seen.txt\n"), done.err
    assert load_record("seen.txt") == observed(record, seat)
    assert load_record(home / "g00.txt") == record
    assert call("games", "export", "g01", "whole.txt").code == 0
    assert load_record("whole.txt") == replace(record, practice=True)


def asked(*words: str, typed: str, monkeypatch: pytest.MonkeyPatch) -> Done:
    """Run it where a person sits."""
    monkeypatch.setattr(Console, "is_terminal", property(lambda _: True))
    monkeypatch.setattr("builtins.input", lambda _: typed)
    monkeypatch.setenv("TERM", "dumb")
    return call(*words, terminal=True)


def test_a_game_is_deleted_if_the_person_means_it(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay(home, game_of(1), game_of(2))
    assert "is not deleted without being asked: give --force" in refused("delete", "g00")
    assert "nothing is deleted" in asked("games", "delete", "g00", typed="", monkeypatch=monkeypatch).out
    assert (home / "g00.txt").exists()
    assert asked("games", "delete", "g00", typed="y", monkeypatch=monkeypatch).code == 0
    assert not (home / "g00.txt").exists()
    monkeypatch.undo()


def test_by_force_nothing_is_asked_but_a_game_in_use_stays(home: Path) -> None:
    lay(home, game_of(1), game_of(2))
    with SavedFile(home / "g01.txt"):
        assert "is in use by another uno-pomdp" in refused("delete", "g01", "--force")
    assert call("games", "delete", "g01", "--force").code == 0
    assert [path.name for path in home.iterdir()] == ["g00.txt"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("fly g00", "nothing is called 'fly' here: choose one of open, watch, delete, export"),
        ("open", "say which game, by its name in the list: `uno-pomdp games open 2026-01-31-201500`"),
        ("open g00 x.txt", "say which game"),
        ("export g00", "`uno-pomdp games export 2026-01-31-201500 FILE`"),
        ("open 1", "no saved game is called '1': take a name from the list, such as g00"),
        ("delete 1 --force", "no saved game is called '1': take a name from the list, such as g00"),
        ("open g00 --all", "open does not go with an option of the list: give it alone"),
    ],
)
def test_what_can_not_be_done_is_refused_in_a_sentence(words: str, said: str, home: Path) -> None:
    lay(home, game_of(1))
    assert said in refused(*words.split())


# --- places ----------------------------------------------------------------------------------------------


def test_finished_and_unfinished_games_are_told_apart_by_their_last_line(home: Path) -> None:
    lay(home, game_of(1), game_of(2, moves=1), game_of(3))
    (home / "letter.txt").write_text("result of all this")
    (home / "empty.txt").touch()
    assert [path.name for path in saved(unfinished=True)] == ["g01.txt"]
    assert [path.name for path in saved(unfinished=False)] == ["g02.txt", "g00.txt"]
    assert last_line(home / "none.txt") == ""


@pytest.mark.skipif(sys.platform == "win32", reason="another place there")
def test_where_games_lie_unless_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("UNO_POMDP_GAMES")
    monkeypatch.setenv("XDG_DATA_HOME", "/data")
    assert folder() == Path("/data/uno-pomdp/games")
